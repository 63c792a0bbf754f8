"""What a page shows, written into an import's rows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold_documents.data import import_files
from leasehold_documents.providers import Entry, Page
from leasehold_documents.providers.interface import FOLDER, GONE

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Listing:
    """The rows of one import."""

    def __init__(self, job: Any, connector: dict[str, Any]) -> None:
        self._job_id: UUID = job.id
        self._whose = {
            "job_id": job.id,
            "tenant_id": connector["tenant_id"],
            "connector_id": connector["id"],
        }

    def keep(self, connection: Connection, page: Page, begin: int) -> None:
        """Write down what a page shows: found again it is as it was found last, or gone."""
        found: dict[str, Entry] = {}
        for entry in page.entries:
            if entry.kind != GONE:
                found[entry.id] = entry
            elif entry.id:
                found.pop(entry.id, None)
                import_files.forget(connection, self._job_id, entry.id)
            else:
                found = {key: each for key, each in found.items() if not _is_at(each, entry.path)}
                import_files.forget_path(connection, self._job_id, entry.path)
        places = enumerate(found.values(), begin)
        rows = {entry.id: self._row(entry, position) for position, entry in places}
        import_files.put(connection, self._job_id, rows)

    def next_folder(self, connection: Connection, read: str | None) -> str | None:
        """Say that a folder was read; returns the next one."""
        if read is not None:
            import_files.mark(connection, self._job_id, read, import_files.READ)
        return import_files.next_folder(connection, self._job_id)

    def _row(self, entry: Entry, position: int) -> dict[str, Any]:
        return {
            **self._whose,
            "remote_id": entry.id,
            "position": position,
            "kind": import_files.FOLDER if entry.kind == FOLDER else import_files.FILE,
            "parent": entry.parent,
            "name": entry.name,
            "path": entry.path,
            "revision": entry.revision,
            "size_bytes": entry.size,
            "digest": entry.digest,
            "export": entry.export,
            "state": import_files.REFUSED if entry.refused else import_files.WAITING,
            "code": entry.refused or None,
            "document_id": None,
            "created_at": datetime.now(UTC),
        }


def _is_at(entry: Entry, path: str) -> bool:
    return f"{entry.path}/".lower().startswith(f"{path}/".lower())


def entry_of(row: dict[str, Any]) -> Entry:
    """Return what a row was made of, as far as a download needs it."""
    return Entry(
        id=row["remote_id"],
        name=row["name"],
        revision=row["revision"],
        size=row["size_bytes"],
        digest=row["digest"],
        export=row["export"],
    )
