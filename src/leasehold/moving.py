"""Moves everything a queue holds into another database: `leasehold move`.

Both are closed meanwhile: nobody changes anything in them but this. A page and how far it is are
written in one transaction, so that a killed move goes on where it was. At the end both sides are
read once more, and what they hold is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from leasehold.errors import BadOption, SchemaMismatch, StoreMoved, StoreRefused
from leasehold.model.moving import Loaded, MoveMark, Side, Sum
from leasehold.store import open_store
from leasehold.store.moving_tables import TABLES, hash_rows, key_of

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from leasehold.store.moving_tables import Key, Row, Table

PAGE, FIRST_PAGE = 1_000, 100
LARGE_PAGE = 8_000_000  # letters
_SEEN_LATELY = timedelta(seconds=45)


class MoveProgress(msgspec.Struct, frozen=True):
    """How far a move is: `step` is "copy" or "compare"."""

    step: str
    table: str
    done: int
    total: int


Progress: TypeAlias = Callable[[MoveProgress], object]


class TableReport(msgspec.Struct, frozen=True, kw_only=True):
    """What both sides hold of one table."""

    table: str
    source: Sum
    target: Sum

    @property
    def is_same(self) -> bool:
        return self.source == self.target


class MoveReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a move. `taken_back` are the jobs that were running; they wait again."""

    source: str
    target: str
    taken_back: int
    tables: list[TableReport]

    @property
    def is_same(self) -> bool:
        """Whether the target holds what the source does, row by row."""
        return all(each.is_same for each in self.tables)

    @property
    def rows(self) -> int:
        return sum(each.target.count for each in self.tables)


def move(
    source_url: str, target_url: str, *, force: bool = False, progress: Progress | None = None
) -> MoveReport:
    """Move all that a queue holds, or go on with a move that was interrupted.

    The source stays closed, and the target is opened, when both hold the same. The target's tables
    are made; it must be empty. `force` moves although workers have been seen lately.
    """
    with closing(open_store(source_url)) as source, closing(open_store(target_url)) as target:
        return Mover(source, target, progress or (lambda _: None)).run(is_forced=force)


def undo_move(url: str, *, force: bool = False) -> MoveMark | None:
    """Open a source again that was closed for a move; None when it was not closed.

    When all of it has arrived, that would make two queues of one: only with `force`.
    """
    with closing(open_store(url)) as store:
        mark = store.move_mark()
        if mark is None:
            return None
        if mark.side is Side.TARGET:
            raise StoreRefused(
                f"this database is the target of a move from {mark.place} that is not over: run "
                "that move again, or delete this database"
            )
        if mark.is_over and not force:
            raise StoreMoved(
                f"all of this queue is at {mark.place} and may run there: opened again here, jobs "
                "would run twice; use --force if that one is gone"
            )
        store.open_after_move()
        return mark


class Mover:
    """One move, from its checks to its end."""

    def __init__(self, source: Store, target: Store, progress: Progress) -> None:
        self._source = source
        self._target = target
        self._progress = progress

    def run(self, *, is_forced: bool) -> MoveReport:
        self._check_tables()
        source, target = self._source.identity(), self._target.identity()
        if source[0] == target[0]:
            raise BadOption("source and target are the same database")
        leaving = MoveMark(side=Side.SOURCE, place=target[1], identity=target[0])
        arriving = MoveMark(side=Side.TARGET, place=source[1], identity=source[0])
        self._check_marks(leaving, arriving, is_forced=is_forced)
        self._target.close_for_move(arriving)
        mark = self._source.close_for_move(leaving)
        for table in TABLES:
            self._copy(table)
        self._target.raise_fence(self._source.fence())
        report = MoveReport(
            source=source[1],
            target=target[1],
            taken_back=mark.taken_back,
            tables=[self._compare(table) for table in TABLES],
        )
        if report.is_same:
            self._source.end_move()  # first: a target without a mark that was never said to be full
            self._target.open_after_move()  # would look like somebody else's queue
        return report

    # -- whether it may begin --------------------------------------------------------------------
    def _check_tables(self) -> None:
        if self._source.schema().version == 0:
            raise SchemaMismatch("there is no queue at the source: look at its URL")
        if self._source.schema().pending:
            raise SchemaMismatch(
                "the source's tables are older than this leasehold: run `leasehold migrate` on it"
            )
        status = self._target.schema()
        if status.version == 0:
            self._target.migrate()
        elif status.pending:
            raise SchemaMismatch(
                "the target's tables are older than this leasehold: run `leasehold migrate` on it"
            )

    def _check_marks(self, leaving: MoveMark, arriving: MoveMark, *, is_forced: bool) -> None:
        here, there = self._source.move_mark(), self._target.move_mark()
        if here is None:
            self._refuse_living_workers(is_forced=is_forced)
        elif (here.side, here.identity) != (Side.SOURCE, leaving.identity):
            raise StoreMoved(f"the source can't be moved: {here.message}")
        elif here.is_over and there is None:
            raise StoreMoved(f"the source can't be moved again: {here.message}")
        if there is None:
            self._refuse_rows()
        elif (there.side, there.identity) != (Side.TARGET, arriving.identity):
            raise StoreMoved(f"the target can't be moved to: {there.message}")

    def _refuse_living_workers(self, *, is_forced: bool) -> None:
        now = datetime.now(UTC) + timedelta(seconds=self._source.skew_seconds)
        living = [
            worker.name
            for worker in self._source.workers()
            if worker.seen_at is not None and now - worker.seen_at < _SEEN_LATELY
        ]
        if living and not is_forced:
            raise StoreRefused(
                f"workers use the source: {', '.join(living[:5])}; stop them, or use --force, and "
                "what they run is taken back"
            )

    def _refuse_rows(self) -> None:
        filled = [table.name for table in TABLES if self._target.dump(table.name, None, limit=1)]
        if filled:
            raise StoreRefused(
                f"the target is not empty ({', '.join(filled[:5])}): move into a new database"
            )

    # -- the move itself -------------------------------------------------------------------------
    def _copy(self, table: Table) -> None:
        """Copy the rest of a table, page by page."""
        state = self._target.loaded(table.name)
        total = self._source.count_rows(table.name)
        if state.is_over:
            return
        for page, is_last in _pages(self._source, table, state.after):
            state = Loaded(
                after=key_of(table, page[-1]) if page else state.after,
                count=state.count + len(page),
                is_over=is_last,
            )
            self._target.load(table.name, page, state)
            self._progress(MoveProgress("copy", table.name, state.count, total))

    def _compare(self, table: Table) -> TableReport:
        total = self._source.count_rows(table.name)
        sums = [self._sum(side, table, total) for side in (self._source, self._target)]
        return TableReport(table=table.name, source=sums[0], target=sums[1])

    def _sum(self, store: Store, table: Table, total: int) -> Sum:
        found = Sum()
        for page, _ in _pages(store, table, None):
            found = found.plus(hash_rows(table, page))
            if store is self._target:
                self._progress(MoveProgress("compare", table.name, found.count, total))
        return found


def _pages(store: Store, table: Table, after: Key | None) -> Iterator[tuple[list[Row], bool]]:
    """Read a table from there on, page by page, each with whether it is the last.

    Pages of large rows are small: a thousand jobs of 10 MB would fill the memory.
    """
    limit = min(PAGE, FIRST_PAGE)
    while True:
        page = store.dump(table.name, after, limit=limit)
        is_last = len(page) < limit
        yield page, is_last
        if is_last:
            return
        after = key_of(table, page[-1])
        limit = max(1, limit // 4) if _size(page) > LARGE_PAGE else min(PAGE, limit * 2)


def _size(page: list[Row]) -> int:
    """Count the letters of a page; the rest of a row is small."""
    return sum(len(part) for row in page for part in row if isinstance(part, str))
