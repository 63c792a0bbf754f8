"""A new document: first its file is safe in the vault, then its row says that it is there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO
from uuid import UUID

from leasehold_documents.data import arrivals, documents
from leasehold_documents.extracting import sniff
from leasehold_documents.papers.taking import Taken, taken
from leasehold_documents.settings import settings
from leasehold_documents.vault import original_key

if TYPE_CHECKING:
    from leasehold_documents.access import Access
    from leasehold_documents.vault import Vault

_LONGEST_NAME = 1_000
_NAMELESS = "document"


def add(
    access: Access,
    vault: Vault,
    name: str,
    file: BinaryIO,
    *,
    source: str = "upload",
    connector_id: UUID | None = None,
    remote_id: str | None = None,
    remote_revision: str | None = None,
) -> dict[str, Any]:
    """Take a document in, and return its row.

    What it is, its content says, not its name. The same content again is a document of its own
    with `duplicate_of`; the same version of a connector's file again is the same document.
    `Rejected` for what is empty or will never be read, `TooLarge` for what is too long.
    """
    access.require("member")
    with taken(file, settings().file_bytes) as copy:
        media_type = sniff(copy.file).media_type
        copy.file.seek(0)
        document_id = _announce(access)
        key = original_key(access.tenant_id, document_id, name)
        vault.put(key, copy.file)
        try:
            row = _describe(
                access,
                document_id,
                copy,
                name=kept_name(name),
                file_path=key,
                media_type=media_type,
                source=source,
                connector_id=connector_id,
                remote_id=remote_id,
                remote_revision=remote_revision,
            )
            return _insert(access, vault, row)
        except BaseException:
            vault.delete(key)
            raise


def _announce(access: Access) -> UUID:
    """Say that a file will come, so that none is left behind that nobody knows of."""
    (document_id,) = access.client.ids.take(1)
    with access.write() as session:
        now = datetime.now(UTC)
        arrivals.add(session.connection(), access.tenant_id, document_id, now)
    return document_id


def _describe(access: Access, document_id: UUID, copy: Taken, **values: Any) -> dict[str, Any]:
    now = datetime.now(UTC)
    return {
        "id": document_id,
        "tenant_id": access.tenant_id,
        "size_bytes": copy.size_bytes,
        "sha256": copy.sha256,
        **values,
        "created_by": access.user_id,
        "created_at": now,
        "updated_at": now,
    }


def _insert(access: Access, vault: Vault, row: dict[str, Any]) -> dict[str, Any]:
    """Write it down beside an equal one, if there is any; who is late leaves no file."""
    tenant_id = access.tenant_id
    with access.write() as session:
        connection = session.connection()
        documents.lock_content(connection, tenant_id, row["sha256"])
        first = documents.first_with(connection, tenant_id, row["sha256"])
        arrivals.end(connection, tenant_id, row["id"])
        is_new = documents.add(connection, row | {"duplicate_of": first})
        found = (
            documents.get(connection, tenant_id, row["id"])
            if is_new
            else documents.get_imported(
                connection,
                tenant_id,
                row["connector_id"],
                row["remote_id"],
                row["remote_revision"],
            )
        )
    if not is_new:
        vault.delete(row["file_path"])
    assert found is not None  # noqa: S101 - it was just written, or was in the way
    return found


def kept_name(name: str) -> str:
    """Keep a name as it was given, but for what no database can hold; it is only ever shown."""
    text = name.encode("utf-8", "replace").decode().replace("\x00", "").strip()
    return text[:_LONGEST_NAME] or _NAMELESS
