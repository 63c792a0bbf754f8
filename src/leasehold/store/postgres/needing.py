"""Jobs that wait for others: the work is done by functions of migration 0011."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from leasehold.model.needs import Predecessor, Released
from leasehold.model.states import State
from leasehold.store.postgres.rows import GREATEST_ID
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from leasehold.model.ids import JobId
    from leasehold.store.postgres.connection import Connection

PACKAGE = "leasehold.store.postgres"


class Dependents:
    """Looks at jobs that wait for others, and remembers how far the sweeps have come."""

    def __init__(
        self,
        run: Callable[..., list[Any]],
        lend: Callable[[], AbstractContextManager[Connection]],
        skew_seconds: Callable[[], float],
    ) -> None:
        self._run = run
        self._lend = lend
        self._skew_seconds = skew_seconds
        self._before = GREATEST_ID

    def release(self, ended: Sequence[JobId]) -> Released:
        if not ended:
            return Released()
        found = self._run(load(PACKAGE, "dependents_of"), ended=list(ended))
        return self.look_at([row[0] for row in found], recent=list(ended))

    def sweep(self, limit: int) -> Released:
        newest = self._page(GREATEST_ID, limit)
        others: list[JobId] = []
        if len(newest) == limit:  # else these are all
            others = self._page(min(self._before, newest[-1]), limit)
            self._before = others[-1] if len(others) == limit else GREATEST_ID
        seen = [*newest, *others]
        done = self.look_at(seen, recent=None)
        if seen:
            self._run(load(PACKAGE, "unmark_dependents"), jobs=seen)
        return done

    def look_at(self, jobs: Sequence[JobId], *, recent: Sequence[JobId] | None) -> Released:
        """Judge these jobs; what they need may have ended before, unless `recent` says what did."""
        if not jobs:
            return Released()
        moved = self._run(
            load(PACKAGE, "release_dependents"),
            jobs=list(jobs),
            recent=recent,
            skew_seconds=self._skew_seconds(),
        )
        return Released(
            let_go=dict(Counter(queue for _, queue, is_ended, _ in moved if not is_ended)),
            cancelled=tuple(job_id for job_id, _, is_ended, _ in moved if is_ended),
            called=dict(Counter(called for *_, called in moved if called is not None)),
        )

    def predecessors(self, job_id: JobId) -> list[Predecessor]:
        sql = load(PACKAGE, "predecessors").encode()
        with self._lend() as connection:
            found = connection.cursor(row_factory=dict_row).execute(sql, {"job_id": job_id})
            return [_predecessor(row) for row in found]

    def dependents(self, job_id: JobId, limit: int) -> list[JobId]:
        found = self._run(load(PACKAGE, "dependents"), job_id=job_id, limit=limit)
        return [row[0] for row in found]

    def _page(self, before: JobId, limit: int) -> list[JobId]:
        found = self._run(load(PACKAGE, "dependents_page"), before=before, limit=limit)
        return [row[0] for row in found]


def _predecessor(row: dict[str, Any]) -> Predecessor:
    state = row["state"]
    return Predecessor(**row | {"state": None if state is None else State(state)})
