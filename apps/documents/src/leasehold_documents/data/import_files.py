"""The rows of an import: what its source has, and what has become of each file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import delete, func, or_, select, update

from leasehold.kit.data import Page, insert_new, page_of
from leasehold_documents.data.tables import documents
from leasehold_documents.data.tables import import_files as files

if TYPE_CHECKING:
    from sqlalchemy import Connection

FILE, FOLDER = "file", "folder"
WAITING, FETCHING = "waiting", "fetching"
IMPORTED, PRESENT, REFUSED, READ = "imported", "present", "refused", "read"
_OPEN = (WAITING, FETCHING)
_STEP = 500  # values in one statement


def put(connection: Connection, job_id: UUID, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Write down what was found, by its id; found again, it is as it was found last.

    What has been done already stays done: only what waits takes another name or revision.
    """
    known = _states(connection, job_id, list(rows))
    new = [row for identifier, row in rows.items() if identifier not in known]
    if new:
        insert_new(connection, files, new)
    for identifier, state in known.items():
        if state in {WAITING, REFUSED}:
            kept = ("position", "created_at")
            changed = {name: value for name, value in rows[identifier].items() if name not in kept}
            is_it = (files.c.job_id == job_id, files.c.remote_id == identifier)
            connection.execute(update(files).where(*is_it).values(changed))


def pass_present(connection: Connection, job_id: UUID) -> None:
    """Say of each file that waits whether an earlier import has made a document of it."""
    made = (
        select(documents.c.id)
        .where(
            documents.c.tenant_id == files.c.tenant_id,
            documents.c.connector_id == files.c.connector_id,
            documents.c.remote_id == files.c.remote_id,
            documents.c.remote_revision == files.c.revision,
        )
        .scalar_subquery()
    )
    waits = (files.c.job_id == job_id, files.c.kind == FILE, files.c.state == WAITING)
    connection.execute(update(files).where(*waits).values(document_id=made))
    is_made = files.c.document_id.is_not(None)
    connection.execute(update(files).where(*waits, is_made).values(state=PRESENT))


def next_file(connection: Connection, job_id: UUID) -> dict[str, Any] | None:
    """Return the file to go on with, marked as begun: one that was begun, else one that waits."""
    begun = _first(connection, job_id, FETCHING)
    if begun is not None:
        return begun
    waiting = _first(connection, job_id, WAITING)
    if waiting is not None:
        mark(connection, job_id, waiting["remote_id"], FETCHING)
    return waiting


def next_folder(connection: Connection, job_id: UUID) -> str | None:
    """Return the first folder that has not been read."""
    found: str | None = connection.scalar(
        select(files.c.remote_id)
        .where(files.c.job_id == job_id, files.c.kind == FOLDER, files.c.state == WAITING)
        .order_by(files.c.position)
        .limit(1)
    )
    return found


def mark(
    connection: Connection,
    job_id: UUID,
    remote_id: str,
    state: str,
    *,
    document_id: UUID | None = None,
    code: str | None = None,
) -> None:
    """Say what became of a file or a folder."""
    changed = update(files).where(files.c.job_id == job_id, files.c.remote_id == remote_id)
    connection.execute(changed.values(state=state, document_id=document_id, code=code))


def forget(connection: Connection, job_id: UUID, remote_id: str) -> None:
    """Forget what is gone at the source, if it is still to be fetched."""
    is_it = (files.c.job_id == job_id, files.c.remote_id == remote_id)
    connection.execute(delete(files).where(*is_it, files.c.state.in_(_OPEN)))


def forget_path(connection: Connection, job_id: UUID, path: str) -> None:
    """Forget what is gone by its path, with all that was below it."""
    whole = func.lower(files.c.path)
    is_below = func.substr(whole, 1, len(path) + 1) == f"{path.lower()}/"
    gone = delete(files).where(files.c.job_id == job_id, files.c.state.in_(_OPEN))
    connection.execute(gone.where(or_(whole == path.lower(), is_below)))


def forget_open(connection: Connection, job_id: UUID) -> None:
    """Forget all that was not fetched yet: the listing begins anew."""
    is_open = files.c.state.in_((*_OPEN, READ, REFUSED))
    connection.execute(delete(files).where(files.c.job_id == job_id, is_open))


def forget_outside(connection: Connection, job_id: UUID, place: str) -> None:
    """Forget files that are not below a folder, by what was found of all folders."""
    found = connection.execute(
        select(files.c.remote_id, files.c.parent).where(
            files.c.job_id == job_id, files.c.kind == FOLDER
        )
    )
    inside = _below({row.remote_id: row.parent for row in found}, place)
    parents = connection.scalars(
        select(files.c.parent).where(files.c.job_id == job_id, files.c.kind == FILE).distinct()
    ).all()
    outside = [parent for parent in parents if parent not in inside]
    for begin in range(0, len(outside), _STEP):
        is_there = files.c.parent.in_(outside[begin : begin + _STEP])
        gone = delete(files).where(files.c.job_id == job_id, files.c.kind == FILE, is_there)
        connection.execute(gone)


def counts(connection: Connection, tenant_id: UUID, job_id: UUID) -> dict[str, int]:
    """Count the files of an import by what became of them."""
    wanted = (
        select(files.c.state, func.count())
        .where(files.c.tenant_id == tenant_id, files.c.job_id == job_id, files.c.kind == FILE)
        .group_by(files.c.state)
    )
    return {row[0]: row[1] for row in connection.execute(wanted)}


def documents_of(connection: Connection, job_id: UUID) -> list[UUID]:
    """List the documents that an import has made, in the order of its source."""
    wanted = (
        select(files.c.document_id)
        .where(files.c.job_id == job_id, files.c.kind == FILE, files.c.state == IMPORTED)
        .order_by(files.c.position)
    )
    return list(connection.scalars(wanted))


def page(
    connection: Connection, tenant_id: UUID, job_id: UUID, *, limit: int, after: int = -1
) -> Page:
    """List the files of an import; the next page begins behind the last one's position."""
    wanted = select(files).where(
        files.c.tenant_id == tenant_id,
        files.c.job_id == job_id,
        files.c.kind == FILE,
        files.c.position > after,
    )
    return page_of(connection, wanted.order_by(files.c.position), limit, key="position")


def forget_old(connection: Connection, connector_id: UUID, before: datetime) -> None:
    """Forget how imports of a connector went that were long ago."""
    is_old = (files.c.connector_id == connector_id, files.c.created_at < before)
    connection.execute(delete(files).where(*is_old))


def finished(found: Mapping[str, int]) -> int:
    """Say how many of the files that were counted are done with, however that was."""
    return sum(number for state, number in found.items() if state not in _OPEN)


def _states(connection: Connection, job_id: UUID, ids: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for begin in range(0, len(ids), _STEP):
        some = files.c.remote_id.in_(ids[begin : begin + _STEP])
        wanted = select(files.c.remote_id, files.c.state).where(files.c.job_id == job_id, some)
        found |= {row.remote_id: row.state for row in connection.execute(wanted)}
    return found


def _first(connection: Connection, job_id: UUID, state: str) -> dict[str, Any] | None:
    wanted = (
        select(files)
        .where(files.c.job_id == job_id, files.c.kind == FILE, files.c.state == state)
        .order_by(files.c.position)
        .limit(1)
    )
    row = connection.execute(wanted).mappings().first()
    return None if row is None else dict(row)


def _below(parents: Mapping[str, str], place: str) -> set[str]:
    """Return all folders that are below a place, and the place itself."""
    inside, outside = {place}, {""}
    for folder in parents:
        walked: list[str] = []
        above = folder
        while above not in inside and above not in outside and above not in walked:
            walked.append(above)
            above = parents.get(above, "")
        (inside if above in inside else outside).update(walked)
    return inside
