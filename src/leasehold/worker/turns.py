"""Who of an idle fleet looks, and how often, so that one job does not make all workers look."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Fleet
    from leasehold.store.base import Wake

# After those whose turn it is, this many more look, one after the other, to be sure. The rest find
# what is left at the next survey of any of them, within a second.
SPARE_LOOKS = 3
TURN_SECONDS = 0.003
SURVEYS_A_SECOND = 40  # of all workers of a queue together
LONGEST_SURVEY_SECONDS = 10.0
LAPSE_LOOKERS = 32


def place_in_line(worker: WorkerId, wake: Wake, fleet: Fleet) -> int:
    """Return 0 when it is this worker's turn, else how many come before it.

    As many have their turn as jobs came, counted round from the wake-up's own number. Who does not
    know the fleet takes the job for its own.
    """
    places = [0] if not wake.arrivals else []
    for queue, count in wake.arrivals.items():
        line = fleet.with_room.get(queue, [])
        place = (line.index(worker) - wake.turn) % len(line) if worker in line else 0
        places.append(max(0, place - count + 1))
    return min(places)


def seconds_between_surveys(poll_seconds: float, queues: Iterable[str], fleet: Fleet) -> float:
    """How long a worker rests between two surveys: who has room for a queue shares its looks.

    What no wake-up told of is found by whoever looks next, so more workers need not look more.
    """
    sharing = min((len(fleet.with_room.get(queue, [])) for queue in queues), default=0)
    return max(poll_seconds, min(LONGEST_SURVEY_SECONDS, sharing / SURVEYS_A_SECOND))


def looks_for_lapses(lot: float, fleet: Fleet) -> bool:
    """Whether a worker with this lot looks for lapsed leases: of a large fleet a few dozen do.

    A worker keeps its lot, as whoever saw a lease lapse must see it again. When many have died the
    fleet is smaller, and others are among the few.
    """
    return lot * fleet.workers < LAPSE_LOOKERS
