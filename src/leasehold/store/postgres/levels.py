"""Where a claim's scans start.

Deleted rows stay in an index until vacuum, and for as long as somebody's old snapshot might see
them. A scan from the head walks over all of them (12,000 jobs/s instead of 54,000, measured), so
each (queue, priority) level is scanned on from the last row taken there. What sorts before a hint
(a job that was released or fell due, or whose enqueue committed late) is found by the next scan
from the head: those take at most 2 % of the time, and one comes at once when a hinted scan finds
nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leasehold.model.values import Want

_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
_LEAST_ID = UUID(int=0)

HEAD_SHARE = 50  # a head scan may follow after 50 times its cost: 2 % of the time
HEAD_LEAST_SECONDS = 0.05
HEAD_MOST_SECONDS = 0.5  # … but no job stays hidden for longer than this
EMPTY_LEAST_SECONDS = 0.01
MOST_EMPTY = 50


@dataclass(slots=True)
class Level:
    """One (queue, priority), the last row taken there, and since when its first row had waited."""

    queue: str
    priority: int
    created_at: datetime = _EARLIEST
    job_id: UUID = _LEAST_ID
    head_at: datetime = _EARLIEST
    head_since: float = float("inf")  # by our own clock

    def rank(self, aging_seconds: float | None, now: float) -> float:
        """Return its priority, with a point more each time its oldest job has waited so long."""
        if aging_seconds is None:
            return self.priority
        taken = max(0.0, (self.created_at - self.head_at).total_seconds())
        age = max(0.0, now - self.head_since - taken)
        return self.priority + age // aging_seconds


class Found(NamedTuple):
    """A level in use, as a look found it, and how long its first job had waited then."""

    queue: str
    priority: int
    created_at: datetime = _EARLIEST
    age_seconds: float = 0.0


class Levels:
    """The levels known for one worker's claims, of suspects or of the others."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], Level] = {}
        self._queues: frozenset[str] = frozenset()
        self._head_at = float("-inf")
        self._head_cost = 0.0

    def cover(self, queues: frozenset[str]) -> bool:
        """Whether the levels of all these queues have been discovered."""
        return queues <= self._queues

    def is_head_due(self, now: float) -> bool:
        """Whether to discover levels anew and start from their heads."""
        wait = min(HEAD_MOST_SECONDS, max(HEAD_LEAST_SECONDS, HEAD_SHARE * self._head_cost))
        return now - self._head_at >= wait

    def make_head_due(self) -> None:
        self._head_at = float("-inf")

    def is_second_look_due(self, now: float) -> bool:
        """Whether to look from the head after a hinted scan found nothing."""
        return now - self._head_at >= max(EMPTY_LEAST_SECONDS, 2 * self._head_cost)

    def restart(self, found: Sequence[Found], queues: frozenset[str], now: float) -> None:
        """Take in freshly discovered levels, all from the head.

        Levels that have run empty stay known, with their hints: the next job there is then found by
        one statement, without a discovery.
        """
        fresh = {
            (seen.queue, seen.priority): Level(
                seen.queue,
                seen.priority,
                head_at=seen.created_at,
                head_since=now - seen.age_seconds,
            )
            for seen in found
        }
        kept = {key: level for key, level in self._known.items() if level.queue in queues}
        known = {**kept, **fresh} if len(kept) <= MOST_EMPTY else fresh
        for queue in queues - {level.queue for level in known.values()}:
            known[queue, 0] = Level(queue, 0)  # the usual priority, before anything was seen
        self._known = known
        self._queues = queues
        self._head_at = now

    def note_head_cost(self, seconds: float) -> None:
        self._head_cost = seconds

    def scans(self, wants: Sequence[Want], now: float = 0.0) -> list[dict[str, Any]]:
        """Describe the scans for a claim: queues in the order wanted, high priorities first."""
        asked = {want.queue: (place, want) for place, want in enumerate(wants)}
        levels = [level for level in self._known.values() if self._is_wanted(level, asked)]
        if len(levels) > 1:
            levels.sort(key=lambda level: _order(level, *asked[level.queue], now))
        return [
            {
                "queue": level.queue,
                "priority": level.priority,
                "created_at": level.created_at,
                "job_id": level.job_id,
                "most": asked[level.queue][1].limit,
            }
            for level in levels
        ]

    @staticmethod
    def _is_wanted(level: Level, asked: Mapping[str, tuple[int, Want]]) -> bool:
        if level.queue not in asked:
            return False
        least = asked[level.queue][1].least
        return least is None or level.priority >= least

    def has_split_limit(self, wants: Sequence[Want], limit: int) -> bool:
        """Whether some queue with several levels may give less than the claim as a whole."""
        narrow = [want.queue for want in wants if want.limit < limit]
        if not narrow:
            return False
        split = Counter(level.queue for level in self._known.values())
        return any(split[queue] > 1 for queue in narrow)

    def advance(self, queue: str, priority: int, created_at: datetime, job_id: UUID) -> None:
        """Remember the last row taken on a level."""
        level = self._known[queue, priority]
        level.created_at, level.job_id = created_at, job_id


def _order(level: Level, place: int, want: Want, now: float) -> tuple[int, float]:
    return place, -level.rank(want.aging_seconds, now)
