"""Takes back leases whose worker is gone.

A lease is reclaimed only when it was seen lapsed twice, a third of the lease apart on this
process's own clock, and unchanged: after a database outage or a step of its clock every lease looks
lapsed, and the live workers get that time to renew.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from leasehold.errors import StoreError
from leasehold.model.outcomes import lapse_delay_seconds
from leasehold.model.states import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from leasehold.model.ids import JobId
    from leasehold.model.values import Lapsed
    from leasehold.store.base import Store

LOOK_LIMIT = 2_000
LONGEST_GAP_SECONDS = 10.0
_logger = logging.getLogger("leasehold.upkeep")


class Reclaim:
    """Remembers which leases it has seen lapsed, and since when."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], float],
        chance: Callable[[], float],
        on_ended: Callable[[Sequence[JobId]], None] = lambda _ended: None,
        on_taken: Callable[[Mapping[JobId, State]], None] = lambda _taken: None,
    ) -> None:
        self._store = store
        self._on_ended = on_ended  # told of jobs that ended here, after the commit
        self._on_taken = on_taken  # told of what was taken back, and the states of the jobs
        self._clock = clock
        self._chance = chance
        self._first_seen: dict[Lapsed, float] = {}
        self._looked_at = clock()

    def step(self) -> int:
        """Look once; returns how many leases were taken back."""
        lapsed = self._look()
        now = self._clock()
        if now - self._looked_at > LONGEST_GAP_SECONDS:
            self._first_seen.clear()  # nobody could renew while nobody could look
        self._looked_at = now
        self._first_seen = {each: self._first_seen.get(each, now) for each in lapsed}
        due = [each for each in lapsed if now - self._first_seen[each] >= each.lease_seconds / 3]
        return self._take_back(due) if due else 0

    def _look(self) -> list[Lapsed]:
        try:
            return self._store.lapsed(limit=LOOK_LIMIT)
        except StoreError:
            self._first_seen.clear()
            raise

    def _take_back(self, due: Iterable[Lapsed]) -> int:
        delayed = [(each, lapse_delay_seconds(each.lapses, self._chance())) for each in due]
        taken = self._store.reclaim(delayed)
        dead = sum(state is State.DEAD for state in taken.values())
        if ended := [job_id for job_id, state in taken.items() if state.is_final]:
            self._on_ended(ended)
        if taken:
            _logger.warning("leases reclaimed", extra={"count": len(taken), "dead": dead})
            self._on_taken(taken)
        return len(taken)
