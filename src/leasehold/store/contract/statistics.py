"""What a store can do with statistics: what jobs came to over time, and how deep the queues were.

Nothing that a job's fate rests on is in them, and they say nothing of tenants.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from leasehold.model.ids import JobId
from leasehold.model.statistics import Counted, Depth, Range, Slot, Total, Unhappy


class StatisticsStore(Protocol):
    """Counted by workers, in memory first, and read by people. All times are the store's."""

    def moment(self) -> datetime:
        """Tell the time."""

    def add_statistics(self, counted: Sequence[Counted]) -> None:
        """Add to what was counted in the present span of time."""

    def statistics(
        self, ranges: Sequence[Range], *, facts: Sequence[str] | None = None
    ) -> list[Counted]:
        """Add up what was counted in these ranges, by queue, kind, fact and bucket."""

    def statistic_series(
        self, ranges: Sequence[Range], *, step_seconds: int, queue: str | None, kind: str | None
    ) -> list[Slot]:
        """Add up the same in steps of so many seconds, counted from the epoch; no order."""

    def totals(self) -> list[Total]:
        """Add up all that was ever counted; no number of it ever gets less."""

    def labels(self, job_ids: Sequence[JobId]) -> dict[JobId, tuple[str, str]]:
        """Say of which queue and kind these jobs are, those of them that there are."""

    def count_depths(self) -> list[Depth]:
        """Count the live jobs of each queue now, by its name."""

    def sample_depths(self) -> list[Depth]:
        """Do so and write it down, in place of what was written in the same span of time.

        A queue that has no job any more is written down once; when there are no jobs at all that is
        written down every few minutes, as the queue "".
        """

    def last_depths(self) -> list[Depth]:
        """Read the newest sample, by queue; empty when there is none, or nothing was there."""

    def depth_series(
        self, ranges: Sequence[Range], *, step_seconds: int, queue: str | None
    ) -> list[Depth]:
        """Read the greatest numbers of a queue, or of all together, in each step with a sample."""

    def fold_statistics(self, *, limit: int) -> int:
        """Take a step in bringing old counts and samples to coarser spans; says how many it took.

        Forgets what is past its time there. The totals stay what they are.
        """

    def unhappy(self, *, since: datetime, limit: int) -> list[Unhappy]:
        """List the newest attempts that failed, died or lapsed since then, newest first."""
