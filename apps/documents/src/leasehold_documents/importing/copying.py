"""One file: fetched from its cloud, checked, and taken in as a paper like any other."""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast
from uuid import UUID

from leasehold_documents import papers
from leasehold_documents.data import documents, import_files
from leasehold_documents.errors import Rejected
from leasehold_documents.importing.listing import entry_of
from leasehold_documents.providers.errors import ContentChanged, RemoteRefused, TooLarge
from leasehold_documents.settings import settings
from leasehold_documents.vault import vault_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_documents.access import Access, Service
    from leasehold_documents.providers import Provider


class Outcome(NamedTuple):
    """What became of a file: its document, or the code that says why there is none."""

    state: str
    document_id: UUID | None = None
    code: str | None = None


class Copying:
    """The files of one import, in the order in which they were found."""

    def __init__(self, service: Service, job: Any, connector: dict[str, Any]) -> None:
        self._service = service
        self._job = job
        self._connector = connector
        self._vault = vault_of(settings())

    def mark(self, connection: Connection, row: dict[str, Any], outcome: Outcome) -> None:
        state, document_id, code = outcome
        import_files.mark(
            connection, self._job.id, row["remote_id"], state, document_id=document_id, code=code
        )

    def copy(self, provider: Provider, access: Access, row: dict[str, Any]) -> Outcome:
        """Fetch a file and keep it; what can't be had, or is no paper, is refused by its code."""
        try:
            try:
                return self._copy(provider, access, row)
            except ContentChanged:
                # Somebody has written it since it was listed: then it is what it is now.
                return self._copy(provider, access, _as_now(provider, row))
        except (RemoteRefused, Rejected) as refused:
            return Outcome(import_files.REFUSED, code=refused.code)

    def _copy(self, provider: Provider, access: Access, row: dict[str, Any]) -> Outcome:
        with self._service.read() as connection:
            known = self._imported(connection, row)
        if known is not None:  # it was made just before somebody died
            return Outcome(import_files.IMPORTED, known)
        most = settings().file_bytes
        if (row["size_bytes"] or 0) > most:
            raise TooLarge(most)
        with TemporaryFile() as opened:
            file = cast("BinaryIO", opened)
            provider.fetch(entry_of(row), file, most)
            self._job.check()  # who was cancelled, or lost its lease meanwhile, adds nothing
            return Outcome(import_files.IMPORTED, self._add(access, row, file))

    def _add(self, access: Access, row: dict[str, Any], file: BinaryIO) -> UUID:
        document = papers.add(
            access,
            self._vault,
            row["name"],
            file,
            source=self._connector["provider"],
            connector_id=self._connector["id"],
            remote_id=row["remote_id"],
            remote_revision=row["revision"],
        )
        made: UUID = document["id"]
        return made

    def _imported(self, connection: Connection, row: dict[str, Any]) -> UUID | None:
        found = documents.get_imported(
            connection,
            self._connector["tenant_id"],
            self._connector["id"],
            row["remote_id"],
            row["revision"],
        )
        return None if found is None else found["id"]


def _as_now(provider: Provider, row: dict[str, Any]) -> dict[str, Any]:
    entry = provider.look(row["remote_id"])
    now = {"revision": entry.revision, "size_bytes": entry.size, "digest": entry.digest}
    return {**row, **now, "name": entry.name, "export": entry.export}
