"""What people do with imports: begin one, and see how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold_documents.data import connectors, import_files
from leasehold_documents.errors import Rejected
from leasehold_documents.importing.connectors import get
from leasehold_documents.importing.tasks import import_dropbox, import_gdrive, import_onedrive

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold.kit.data import Page
    from leasehold_documents.access import Access

MOST_FILES = 10_000
_LONGEST = 4_000
_TASKS: dict[str, lh.Task[[str, str, list[str]], dict[str, Any]]] = {
    "dropbox": import_dropbox,
    "onedrive": import_onedrive,
    "gdrive": import_gdrive,
}


def start(
    access: Access, connector_id: UUID, remote_path: str = "/", files: Sequence[str] = ()
) -> UUID:
    """Begin to copy files into the tenant; returns the job.

    `files` are ids as `browse` shows them, or paths that begin with `/`; without any it is all that
    is below the folder `remote_path`. Imports of one connector come one after the other.
    """
    access.require("member")
    connector = get(access, connector_id)
    _check(connector, remote_path, files)
    with access.write() as session:
        task = _TASKS[connector["provider"]].with_options(
            tenant=str(access.tenant_id), created_by=str(access.user_id)
        )
        made = access.on(session).enqueue(task, str(connector_id), remote_path, list(files))
    return made.id


def progress(access: Access, job_id: UUID) -> dict[str, int]:
    """Count the files of an import by what became of them."""
    access.client.get(job_id)  # else `JobNotFound`
    with access.read() as connection:
        return import_files.counts(connection, access.tenant_id, job_id)


def files_of(access: Access, job_id: UUID, *, limit: int = 100, after: int = -1) -> Page:
    """List the files of an import, each with what became of it."""
    access.client.get(job_id)
    with access.read() as connection:
        return import_files.page(connection, access.tenant_id, job_id, limit=limit, after=after)


def _check(connector: dict[str, Any], remote_path: str, files: Sequence[str]) -> None:
    if connector["status"] != connectors.ACTIVE:
        raise Rejected("CONNECTOR_EXPIRED", "the consent is over; connect anew")
    if len(remote_path) > _LONGEST or not remote_path.startswith("/"):
        raise Rejected("BAD_REMOTE_PATH", 'a folder is named from the root on, as "/Verträge"')
    if len(files) > MOST_FILES:
        raise Rejected("TOO_MANY_FILES", f"name at most {MOST_FILES:,}, or their folder")
    if any(not 0 < len(each) <= _LONGEST or "\0" in each for each in files):
        raise Rejected("BAD_REMOTE_FILE", "a file is named by its id or its path")
