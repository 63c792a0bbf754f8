"""Imports: from the uploaded file to folders, links and enrichments, some thousand lines at a time.

Each step is one transaction: links, counts, enrichments and how far we are stand together or not at
all. So whenever the worker is killed, the next one goes on and every line is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import UUID

import leasehold as lh
from leasehold.kit.data import moment_text, refusals
from leasehold_links.bookmarks.beside import reading_beside
from leasehold_links.bookmarks.counting import count_entries
from leasehold_links.bookmarks.lines import Counts, Line, read_steps
from leasehold_links.bookmarks.values import NotBookmarks
from leasehold_links.data import imports, library
from leasehold_links.data.tables import upload
from leasehold_links.errors import FolderMoved

if TYPE_CHECKING:
    from leasehold.kit.data import Bulk, Database

T = TypeVar("T")
LARGE_BYTES = 4_194_304  # from here on another process pays: it takes a fifth of a second to start
Enqueue = Callable[[lh.Client, Any, str, Sequence[library.NewCanonical]], None]


class Owner(NamedTuple):
    """Whose import it is, and who makes ids for it."""

    import_id: UUID
    user_id: str
    take_ids: Callable[[int], Sequence[UUID]]


def reading(
    database: Database, import_id: UUID, size: int, start: int
) -> AbstractContextManager[Iterator[list[Line]]]:
    """Read the uploaded file from a line on, in steps; a large one by a process of its own.

    Not beside PostgreSQL, which is another process already: of two cores a third one only takes.
    """
    chunks = imports.chunks(database, import_id)
    if size > LARGE_BYTES and database.is_sqlite:
        return reading_beside(chunks, start)
    return nullcontext(read_steps(chunks, start))


def one_ahead(steps: Iterator[T]) -> Generator[T]:
    """Read the next step while this one is written, in which time the database works, not we.

    To be closed: nobody reads any more then.
    """
    pool = ThreadPoolExecutor(1, thread_name_prefix="links-reader")
    try:
        upcoming = pool.submit(next, steps, None)
        while (step := upcoming.result()) is not None:
            upcoming = pool.submit(next, steps, None)
            yield step
    finally:
        with lh.shielded():  # a cancel that struck here would leave the file to a thread
            pool.shutdown()


class Step(NamedTuple):
    """Lines that are written together, and what could be made of them without the database."""

    lines: list[Line]
    candidates: library.Candidates


def prepared(
    steps: Iterator[list[Line]], owner: Owner, offset: int, make_call: library.MakeCall
) -> Iterator[Step]:
    """Make of each step what it needs when nobody has its addresses, as is so for most."""
    for lines in steps:
        now = moment_text(datetime.now(UTC))
        wanted = _wanted(lines, offset)
        user_id, take_ids = owner.user_id, owner.take_ids
        yield Step(lines, library.Candidates(user_id, take_ids, wanted, now, make_call))


def _wanted(lines: Sequence[Line], offset: int) -> list[library.Placement]:
    return [
        library.Placement(line.bookmark, line.address, line.number + offset)
        for line in lines
        if line.address is not None
    ]


def store_lines(
    bulk: Bulk,
    owner: Owner,
    lines: Sequence[Line],
    *,
    offset: int,
    candidates: library.Candidates | None = None,
) -> tuple[Counts, list[library.NewCanonical]]:
    """Write a step; returns what became of its lines, and the addresses that nobody had before.

    `offset` is between a line's number and its position among the user's links.
    """
    now = datetime.now(UTC)
    wanted = _wanted(lines, offset) if candidates is None else candidates.placements
    placed = library.Shelf(bulk, owner.user_id, owner.take_ids, now).place(wanted, candidates)
    noted = [
        imports.Noted(line, *_why_not(line, placed, line.number + offset))
        for line in lines
        if line.number + offset not in placed.links
    ]
    imports.note_items(bulk, owner.import_id, noted, now)
    skipped = len(lines) - len(wanted)
    imported = len(placed.links)
    counts = Counts(imported=imported, duplicate=len(wanted) - imported, skipped=skipped, failed=0)
    return counts, placed.fresh


def _why_not(line: Line, placed: library.Placed, position: int) -> tuple[str, str]:
    """Say what a line came to that did not become a link, and why."""
    if line.address is None:
        return "skipped", line.reason
    return "duplicate", "repeated" if position in placed.repeated else "in_folder"


def _refusals() -> tuple[type[Exception], ...]:
    return (*refusals(), FolderMoved)


class Importer:
    """One attempt at an import."""

    def __init__(
        self,
        job: Any,
        database: Database,
        import_id: UUID,
        user_id: str,
        *,
        enqueue: Enqueue,
        make_call: library.MakeCall,
    ) -> None:
        self._job = job
        self._client: lh.Client = job.client
        self._database = database
        self._owner = Owner(import_id, user_id, self._client.ids.take)
        self._enqueue = enqueue
        self._make_call = make_call
        self._total = 0
        self._offset = 0

    def run(self) -> None:
        """Import what is not in yet; at the end the job has ended, too."""
        start = self._job.cursor or 0
        row = self._look(start)
        with reading(self._database, self._owner.import_id, row["file_bytes"], start) as lines:
            self._total = self._count(row)
            self._job.progress(start, self._total)
            made = prepared(lines, self._owner, self._offset, self._make_call)
            with closing(one_ahead(made)) as steps:
                for step in steps:
                    self._take_step(step)
        self._end()

    def _stop_if_cancelled(self) -> None:
        """Stop within a step: the worker is told of it once a second."""
        self._job.check()
        if self._client.get(self._owner.import_id).cancel_requested:
            raise lh.Cancel("somebody has cancelled it")

    def _look(self, start: int) -> dict[str, Any]:
        import_id, user_id, _ = self._owner
        with self._database.read() as connection:
            row = imports.get(connection, import_id)
            self._offset = library.next_position(connection, user_id) - start
            has_file = imports.has_file(connection, import_id)
        if row is None:
            raise lh.Dead(f"there is no import {import_id}")
        if not has_file:  # it was cancelled or failed, and somebody has retried it
            raise lh.Dead("the file is gone: import it again")
        return row

    def _count(self, row: dict[str, Any]) -> int:
        """Say how many lines there seem to be, before the first of them is written."""
        if row["total_items"] is not None:
            return int(row["total_items"])
        total = count_entries(imports.chunks(self._database, self._owner.import_id))
        with self._database.write() as connection:
            imports.set_total(connection, self._owner.import_id, total)
        return total

    def _take_step(self, step: Step) -> None:
        try:
            self._store(step, self._store_all)
        except _refusals():
            # A line of them, or one that another one just took out of the library, does not fit.
            self._store(step, self._store_each)

    def _store(self, step: Step, store: Callable[[Any, Bulk, Step], Counts]) -> None:
        with self._job.saving() as connection:
            self._stop_if_cancelled()  # not before: who cancels may have to wait for a lock, too
            bulk = self._database.bulk(connection)
            bulk.make_room()
            counts = store(connection, bulk, step)
            done = step.lines[-1].number + 1
            total = max(self._total, done)
            growth = total - self._total
            imports.add_counts(bulk, self._owner.import_id, counts, to_total=growth)
            self._job.checkpoint(done, done=done, total=total)
        self._total = total

    def _store_all(self, connection: Any, bulk: Bulk, step: Step) -> Counts:
        return self._store_lines(connection, bulk, step.lines, step.candidates)

    def _store_lines(
        self,
        connection: Any,
        bulk: Bulk,
        lines: Sequence[Line],
        candidates: library.Candidates | None = None,
    ) -> Counts:
        counts, fresh = store_lines(
            bulk, self._owner, lines, offset=self._offset, candidates=candidates
        )
        self._enqueue(self._client, connection, self._owner.user_id, fresh)
        return counts

    def _store_each(self, connection: Any, bulk: Bulk, step: Step) -> Counts:
        """Write line by line, so that one that can't be stored costs no other."""
        counts = Counts()
        for line in step.lines:
            connection.execute("SAVEPOINT line")
            try:
                counts = counts.plus(self._store_lines(connection, bulk, [line]))
            except refusals() as error:
                connection.execute("ROLLBACK TO SAVEPOINT line")
                failed = imports.Noted(line, "failed", f"refused:{type(error).__name__}"[:100])
                imports.note_items(bulk, self._owner.import_id, [failed], datetime.now(UTC))
                counts = counts.plus(Counts(failed=1))
            connection.execute("RELEASE SAVEPOINT line")
        return counts

    def _end(self) -> None:
        """End the import with the job's own end: a worker that is killed here has done both."""
        with self._database.read() as connection:
            row = imports.get(connection, self._owner.import_id)
        assert row is not None  # noqa: S101 - nobody deletes an import that runs
        counts = imports.counts_of(row)
        is_failed = counts.imported + counts.duplicate == 0
        with self._job.saving() if is_failed else self._job.transaction() as connection:
            bulk = self._database.bulk(connection)
            surplus = counts.processed - row["total_items"]
            imports.add_counts(bulk, self._owner.import_id, Counts(), to_total=surplus)
            bulk.delete(upload, "import_id", str(self._owner.import_id))
            self._job.checkpoint(done=counts.processed, total=counts.processed)
            self._job.result = counts._asdict()
        if is_failed:
            raise NotBookmarks("nothing" if counts.processed else "no_entries")
