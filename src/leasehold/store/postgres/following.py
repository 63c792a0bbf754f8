"""What follows from ends, after their commit: the ends of batches, with their callbacks.

Each call is one transaction for some batches; a batch that ended is looked at as a member of its
parent in the next one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from uuid import UUID

from msgspec import structs

from leasehold.model.batches import Followed
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta

    from leasehold.model.ids import JobId

PACKAGE = "leasehold.store.postgres"
_LEAST_ID = UUID(int=0)


class Following:
    """At one moment of the store's clock."""

    def __init__(self, run: Callable[..., list[Any]], skew: timedelta) -> None:
        self._run = run
        self._skew = skew

    # -- batches ---------------------------------------------------------------------------------
    def follow(self, ended: Sequence[JobId]) -> Followed:
        """End the batches of these jobs, if they were the last."""
        found = self._run(load(PACKAGE, "follow_up"), ended=list(ended), skew=self._skew)
        return self._follow_parents(found)

    def look_at(self, batches: Sequence[JobId], *, is_thorough: bool = False) -> Followed:
        """End these batches, if nothing in them is alive."""
        found = self._follow_batches(batches, has_dead=None if is_thorough else False)
        return self._follow_parents(found)

    def sweep(self, after: JobId | None, limit: int, *, is_thorough: bool) -> Followed:
        """Do the same for those that nobody has followed up."""
        sql = load(PACKAGE, "sweep_batches")
        found = self._run(sql, after=after or _LEAST_ID, limit=limit)
        batches = [row[0] for row in found]
        if not batches:
            return Followed()
        followed = self.look_at(batches, is_thorough=is_thorough)
        return structs.replace(
            followed,
            swept_to=batches[-1] if len(batches) == limit else None,
            cancelled={
                batch: by
                for batch, is_cancelled, by in found
                if is_cancelled and batch not in followed.batches
            },
        )

    def _follow_batches(
        self, batches: Sequence[JobId], *, has_dead: bool | None
    ) -> list[tuple[Any, ...]]:
        sql = load(PACKAGE, "follow_batches")
        return self._run(sql, batches=list(batches), has_dead=has_dead, skew=self._skew)

    def _follow_parents(self, found: list[tuple[Any, ...]]) -> Followed:
        every = list(found)
        while parents := sorted({parent for _, _, parent, _ in found if parent is not None}):
            # A later transaction: it sees that the nested one has ended.
            found = self._follow_batches(parents, has_dead=False)
            every += found
        return _followed(every)


def _followed(found: Sequence[tuple[Any, ...]]) -> Followed:
    named: dict[str, list[JobId]] = {"ended": [], "failed": [], "busy": []}
    for batch, verdict, _, _ in found:
        named[verdict].append(batch)
    return Followed(
        tuple(named["ended"]),
        tuple(named["failed"]),
        tuple(named["busy"]),
        Counter([queue for *_, queue in found if queue is not None]),
    )
