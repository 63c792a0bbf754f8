"""What jobs came to over time, and how deep the queues were."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.statistics import (
    EVER_SPAN,
    FINE_KEPT_SECONDS,
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
from leasehold.store.postgres.rows import job_id
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from leasehold.model.ids import JobId

PACKAGE = "leasehold.store.postgres"


class Statistics:
    """The part of the store that counts for charts and metrics."""

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def _ask(self, operation: str, **parameters: Any) -> list[Any]:
        return self._run(load(PACKAGE, operation), **parameters)

    def moment(self) -> datetime:
        moment: datetime = self._ask("moment", skew=self._skew)[0][0]
        return moment.astimezone(UTC)

    def add_statistics(self, counted: Sequence[Counted]) -> None:
        if counted:
            self._ask("add_statistics", counted=_encoded(counted), skew=self._skew)

    def statistics(
        self, ranges: Sequence[Range], *, facts: Sequence[str] | None = None
    ) -> list[Counted]:
        wanted = None if facts is None else list(facts)
        found = self._ask("statistics", ranges=_encoded(ranges), facts=wanted)
        return [_counted(row) for row in found]

    def statistic_series(
        self, ranges: Sequence[Range], *, step_seconds: int, queue: str | None, kind: str | None
    ) -> list[Slot]:
        given = {"step_seconds": step_seconds, "queue": queue, "kind": kind}
        found = self._ask("statistic_series", ranges=_encoded(ranges), **given)
        return [
            Slot(at=at.astimezone(UTC), fact=fact, bucket=bucket, count=count, seconds=seconds)
            for at, fact, bucket, count, seconds in found
        ]

    def totals(self) -> list[Total]:
        return totals_of(_counted(row) for row in self._ask("statistic_totals"))

    def labels(self, job_ids: Sequence[JobId]) -> dict[JobId, tuple[str, str]]:
        found = self._ask("labels", job_ids=list(job_ids))
        return {job_id(each): (queue, kind) for each, queue, kind in found}

    def count_depths(self) -> list[Depth]:
        moment = self.moment()
        return [_depth(moment, *row) for row in self._ask("depth_counts", skew=self._skew)]

    def sample_depths(self) -> list[Depth]:
        counted = self.count_depths()
        if written := news_of(self.last_depths(), counted, self.moment()):
            self._ask("add_depths", depths=_encoded(written), skew=self._skew)
        return counted

    def last_depths(self) -> list[Depth]:
        return [_depth(*row) for row in self._ask("last_depths")]

    def depth_series(
        self, ranges: Sequence[Range], *, step_seconds: int, queue: str | None
    ) -> list[Depth]:
        given = {"ranges": _encoded(ranges), "step_seconds": step_seconds, "queue": queue}
        found = self._ask("depth_series", **given)
        return [_depth(at, queue or "", *counts) for at, *counts in found]

    def fold_statistics(self, *, limit: int) -> int:
        spans = [level.span for level in LEVELS]
        into = {"fold_statistics": [*spans, EVER_SPAN], "fold_depths": spans}
        for operation, into_spans in into.items():
            if count := self._fold(operation, FINE_KEPT_SECONDS, limit, spans=into_spans):
                return count
        for operation in ("forget_statistics", "forget_depths"):
            for level in LEVELS:
                kept = level.kept_seconds + level.span
                if count := self._fold(operation, kept, limit, span=level.span):
                    return count
        return 0

    def _fold(self, operation: str, kept_seconds: float, limit: int, **given: Any) -> int:
        ((count,),) = self._ask(operation, kept=kept_seconds, limit=limit, skew=self._skew, **given)
        return int(count)

    def unhappy(self, *, since: datetime, limit: int) -> list[Unhappy]:
        return [
            Unhappy(
                job_id=job_id(row[0]),
                kind=row[1],
                queue=row[2],
                error=row[3],
                at=row[4].astimezone(UTC),
                is_dead=bool(row[5]),
                is_waiting=bool(row[6]),
            )
            for row in self._ask("unhappy", since=since, limit=limit)
        ]


def _encoded(values: Sequence[Any]) -> str:
    return msgspec.json.encode(values).decode()


def _counted(row: Sequence[Any]) -> Counted:
    queue, kind, fact, bucket, count, seconds = row
    return Counted(queue=queue, kind=kind, fact=fact, bucket=bucket, count=count, seconds=seconds)


def _depth(at: datetime, queue: str, *counts: Any) -> Depth:
    ready, blocked, scheduled, failed, running, parked, oldest_seconds = counts
    return Depth(
        at=at.astimezone(UTC),
        queue=queue,
        ready=ready,
        blocked=blocked,
        scheduled=scheduled,
        failed=failed,
        running=running,
        parked=parked,
        oldest_seconds=oldest_seconds,
    )
