"""What jobs came to over time, and how deep the queues were."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from leasehold.model.ids import JobId
from leasehold.model.statistics import (
    EVER_SPAN,
    FINE_KEPT_SECONDS,
    FINE_SPAN,
    LEVELS,
    Counted,
    Depth,
    Range,
    Slot,
    Total,
    Unhappy,
    news_of,
    totals_of,
)
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, count, rows
from leasehold.store.sqlite.times import SECOND, Clock, from_datetime, to_datetime


class Statistics:
    """The part of the store that counts for charts and metrics."""

    _database: Database
    _clock: Clock

    def moment(self) -> datetime:
        return to_datetime(self._clock.now())

    def add_statistics(self, counted: Sequence[Counted]) -> None:
        if not counted:
            return
        with self._database.write() as connection:
            given = {"counted": as_json(counted), "now": self._clock.now()}
            rows(connection, "add_statistics", **given)

    def statistics(
        self, ranges: Sequence[Range], *, facts: Sequence[str] | None = None
    ) -> list[Counted]:
        wanted = None if facts is None else as_json(list(facts))
        found = self._ask("statistics", ranges=_ranges(ranges), facts=wanted)
        return [_counted(row) for row in found]

    def statistic_series(
        self, ranges: Sequence[Range], *, step_seconds: int, queue: str | None, kind: str | None
    ) -> list[Slot]:
        given = {"step": step_seconds * SECOND, "queue": queue, "kind": kind}
        found = self._ask("statistic_series", ranges=_ranges(ranges), **given)
        return [
            Slot(at=to_datetime(at), fact=fact, bucket=bucket, count=count, seconds=seconds)
            for at, fact, bucket, count, seconds in found
        ]

    def totals(self) -> list[Total]:
        return totals_of(_counted(row) for row in self._ask("statistic_totals"))

    def labels(self, job_ids: Sequence[JobId]) -> dict[JobId, tuple[str, str]]:
        found = self._ask("labels", ids=as_json([str(each) for each in job_ids]))
        return {to_job_id(each): (queue, kind) for each, queue, kind in found}

    def count_depths(self) -> list[Depth]:
        with self._database.read() as connection:
            return _count(connection, self._clock.now())

    def sample_depths(self) -> list[Depth]:
        counted = self.count_depths()
        if written := news_of(self.last_depths(), counted, self.moment()):
            with self._database.write() as connection:
                rows(connection, "add_depths", depths=as_json(written), now=self._clock.now())
        return counted

    def last_depths(self) -> list[Depth]:
        return [_depth(*row) for row in self._ask("last_depths")]

    def depth_series(
        self, ranges: Sequence[Range], *, step_seconds: int, queue: str | None
    ) -> list[Depth]:
        given = {"ranges": _ranges(ranges), "step": step_seconds * SECOND, "queue": queue}
        found = self._ask("depth_series", **given)
        return [_depth(at, queue or "", *counts) for at, *counts in found]

    def fold_statistics(self, *, limit: int) -> int:
        spans = [level.span for level in LEVELS]
        into = {"statistics": [*spans, EVER_SPAN], "depths": spans}
        for name, into_spans in into.items():
            if taken := self._fold(name, FINE_SPAN, FINE_KEPT_SECONDS, limit, into_spans):
                return taken
        for name in into:
            for level in LEVELS:
                kept = level.kept_seconds + level.span
                if taken := self._fold(name, level.span, kept, limit, ()):
                    return taken
        return 0

    def _fold(
        self, name: str, span: int, kept_seconds: float, limit: int, into: Sequence[int]
    ) -> int:
        """Bring the oldest of a span into others, and forget them there."""
        before = self._clock.now() - int(kept_seconds * SECOND)
        oldest = {"span": span, "before": before, "limit": limit}
        if not self._ask(f"forget_{name}_look", **oldest)[0][0]:
            return 0
        with self._database.write() as connection:
            for each in into:
                rows(connection, f"fold_{name}_put", into=each, step=each * SECOND, **oldest)
            return count(connection, f"forget_{name}", **oldest)

    def unhappy(self, *, since: datetime, limit: int) -> list[Unhappy]:
        return [
            Unhappy(
                job_id=to_job_id(row[0]),
                kind=row[1],
                queue=row[2],
                error=row[3],
                at=to_datetime(row[4]),
                is_dead=bool(row[5]),
                is_waiting=bool(row[6]),
            )
            for row in self._ask("unhappy", since=from_datetime(since), limit=limit)
        ]

    def _ask(self, operation: str, **parameters: Any) -> list[tuple[Any, ...]]:
        with self._database.read() as connection:
            return rows(connection, operation, **parameters)


def _count(connection: sqlite3.Connection, now: int) -> list[Depth]:
    since = dict(rows(connection, "depth_oldest"))
    ages = {queue: max(0, now - moment) / SECOND for queue, moment in since.items()}
    return [
        _depth(now, queue, *counts, ages.get(queue))
        for queue, *counts in rows(connection, "counts", tenant=None)
    ]


def _ranges(ranges: Sequence[Range]) -> str:
    return as_json(
        [
            {
                "span": each.span,
                "since": from_datetime(each.since),
                "until": from_datetime(each.until),
            }
            for each in ranges
        ]
    )


def _counted(row: tuple[Any, ...]) -> Counted:
    queue, kind, fact, bucket, count, seconds = row
    return Counted(queue=queue, kind=kind, fact=fact, bucket=bucket, count=count, seconds=seconds)


def _depth(at: int, queue: str, *counts: Any) -> Depth:
    ready, blocked, scheduled, failed, running, parked, oldest_seconds = counts
    return Depth(
        at=to_datetime(at),
        queue=queue,
        ready=ready,
        blocked=blocked,
        scheduled=scheduled,
        failed=failed,
        running=running,
        parked=parked,
        oldest_seconds=oldest_seconds,
    )
