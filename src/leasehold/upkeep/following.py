"""What follows from ends that are committed: batches end, and jobs that waited are let go.

What waits in vain ends here, and that end has consequences of its own: they are followed until
there are none.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from leasehold.batches import cancel_members
from leasehold.model.batches import Followed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leasehold.model.ids import JobId
    from leasehold.model.needs import Released
    from leasehold.store.base import Store

SWEEP_LIMIT = 1_000
STEPS = 10  # of a cancellation, in one sweep


def follow_up(store: Store, ended: Sequence[JobId]) -> Followed:
    """Do all that follows from the ends of these jobs."""
    followed = store.follow_up(ended)
    return _go_on(store, followed, store.release_dependents(ended))


def sweep_dependents(store: Store, limit: int = SWEEP_LIMIT) -> Followed:
    """Do the same for ends that nobody has followed up, for jobs that wait for others."""
    return _go_on(store, Followed(), store.sweep_dependents(limit=limit))


def cancel_rest(store: Store, cancelled: Mapping[JobId, str | None]) -> Followed:
    """Cancel members of batches whose cancellation somebody did not live to end; some of them."""
    for by in dict.fromkeys(cancelled.values()):
        batches = [batch for batch, who in cancelled.items() if who == by]
        cancel_members(store, batches, by, steps=STEPS)
    return store.follow_batches(list(cancelled)[::-1]) if cancelled else Followed()


def _go_on(store: Store, followed: Followed, released: Released) -> Followed:
    followed = _join(followed, Followed(arrivals=released.arrivals))
    while ended := released.cancelled:
        released = store.release_dependents(ended)
        followed = _join(followed, store.follow_up(ended))
        followed = _join(followed, Followed(arrivals=released.arrivals))
    return followed


def _join(one: Followed, other: Followed) -> Followed:
    return msgspec.structs.replace(
        one,
        batches=one.batches + other.batches,
        failures=one.failures + other.failures,
        busy=one.busy + other.busy,
        arrivals=dict(Counter(one.arrivals) + Counter(other.arrivals)),
    )
