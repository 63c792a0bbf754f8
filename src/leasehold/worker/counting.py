"""What this worker's attempts came to: counted in memory, written down about once a second.

No statement is made for a job. A worker that is killed loses what it has not written down yet; what
became of the jobs themselves stands elsewhere.
"""

from __future__ import annotations

import threading
from collections import Counter
from math import frexp
from operator import attrgetter
from typing import TYPE_CHECKING

from leasehold.errors import StoreError
from leasehold.model.states import State
from leasehold.model.statistics import (
    GREATEST_BUCKET,
    LEAST_BUCKET,
    OTHER,
    WHOLE,
    Counted,
    Fact,
)
from leasehold.store.base import Answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim, Settlement
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt

    # The queue, the kind, what it came to, and its run time's exponent: of attempts that ran.
    Cell: TypeAlias = tuple[str, str, str, int | None]

FLUSH_SECONDS = 1.0
FLEET_FLUSH_SECONDS = 0.01  # between those of all workers
MOST_CELLS = 2_000  # kinds are code, and few; should they not be, the rest is counted as one
SAMPLE = 32  # so many run times of a batch stand for all of it
_LABELS = attrgetter("queue", "kind")
_TINY = 1e-9  # seconds: 0 has no exponent
_LAPSED = Fact.LAPSED.value
_LOST = Fact.LOST.value
_RAN = Fact.RAN.value
_SUCCEEDED = Fact.SUCCEEDED.value
_STATES = {State.DEAD: Fact.DEAD.value, State.CANCELLED: Fact.CANCELLED.value}


class Counts:
    """Added to by the finisher and by reclaim, taken away by who writes it down."""

    def __init__(self) -> None:
        self._cells: dict[Cell, list[float]] = {}
        self._lock = threading.Lock()

    def note_successes(self, asked: Sequence[tuple[Attempt, Settlement]]) -> None:
        """Take in a batch that all went well. Under load that is nearly every one: it is cheap."""
        labels = _count_labels([attempt.claim for attempt, _ in asked])
        stride = -(-len(asked) // SAMPLE)
        with self._lock:
            for (queue, kind), count in labels.items():
                self._add((queue, kind, _SUCCEEDED, None), count)
            for first in range(0, len(asked), stride):
                attempt, each = asked[first]
                if (seconds := each.elapsed_seconds) is not None:
                    claim, weight = attempt.claim, min(stride, len(asked) - first)
                    key = (claim.queue, claim.kind, _RAN, frexp(seconds + _TINY)[1])
                    self._add(key, weight, seconds * weight)

    def note(self, asked: Sequence[tuple[Attempt, Settlement]], answers: Sequence[Answer]) -> None:
        """Take in a batch of settlements. This is done for each job: so it is one plain loop."""
        if Answer.LOST in answers:
            asked = self._note_lost(asked, answers)
        with self._lock:
            cells = self._cells
            for attempt, each in asked:
                claim, seconds = attempt.claim, each.elapsed_seconds
                if seconds is None:
                    self._add((claim.queue, claim.kind, each.outcome, None))
                    continue
                key = (claim.queue, claim.kind, each.outcome, frexp(seconds + _TINY)[1])
                try:
                    cell = cells[key]
                except KeyError:
                    self._add(key, 1, seconds)
                else:
                    cell[0] += 1
                    cell[1] += seconds

    def _note_lost(
        self, asked: Sequence[tuple[Attempt, Settlement]], answers: Sequence[Answer]
    ) -> list[tuple[Attempt, Settlement]]:
        """Take in those whose lease was lost; returns the others."""
        kept = []
        with self._lock:
            for (attempt, each), answer in zip(asked, answers, strict=True):
                if answer is Answer.LOST:
                    self._add((attempt.claim.queue, attempt.claim.kind, _LOST, None))
                else:
                    kept.append((attempt, each))
        return kept

    def note_settled(self, settled: Iterable[tuple[Attempt, float]]) -> None:
        """Take in attempts that their handlers' transactions settled, and when they ended."""
        with self._lock:
            for attempt, ended_at in settled:
                claim, seconds = attempt.claim, max(0.0, ended_at - attempt.started_at)
                self._add(
                    (claim.queue, claim.kind, _SUCCEEDED, frexp(seconds + _TINY)[1]), 1, seconds
                )

    def note_lapses(
        self, taken: Mapping[JobId, State], labels: Mapping[JobId, tuple[str, str]]
    ) -> None:
        """Take in leases that were taken back, and the states in which their jobs are now."""
        with self._lock:
            for job_id, state in taken.items():
                if job_id in labels:  # else it was deleted since
                    self._add((*labels[job_id], _STATES.get(state, _LAPSED), None))

    def flush(self, store: Store) -> None:
        """Write down what is new; an idle worker writes nothing.

        When that fails it is kept. What was written, and only the answer lost, is counted twice.
        """
        with self._lock:
            cells, self._cells = self._cells, {}
        if not cells:
            return
        try:
            store.add_statistics(counted_of(cells))
        except StoreError:
            with self._lock:
                for key, (count, seconds) in cells.items():
                    self._add(key, count, seconds)
            raise

    def _add(self, key: Cell, count: float = 1, seconds: float = 0.0) -> None:
        if key not in self._cells and len(self._cells) >= MOST_CELLS:
            key = (key[0], OTHER, *key[2:])
        cell = self._cells.setdefault(key, [0, 0.0])
        cell[0] += count
        cell[1] += seconds


def _count_labels(claims: Sequence[Claim]) -> Mapping[tuple[str, str], int]:
    """Count by queue and kind; often they are all alike, which is seen sooner than counted."""
    queues = {claim.queue for claim in claims}
    kinds = {claim.kind for claim in claims}
    if len(queues) == len(kinds) == 1:
        return {(queues.pop(), kinds.pop()): len(claims)}
    return Counter(map(_LABELS, claims))


def counted_of(cells: Mapping[Cell, Iterable[float]]) -> list[Counted]:
    """Turn cells into facts: each outcome, and how long those ran that ran to their end."""
    facts: dict[tuple[str, str, str], int] = {}
    ran: dict[tuple[str, str, int], list[float]] = {}
    for (queue, kind, fact, exponent), (count, seconds) in cells.items():
        if fact != _RAN:
            facts[queue, kind, fact] = facts.get((queue, kind, fact), 0) + int(count)
        if exponent is not None and (fact in WHOLE or fact == _RAN):
            bucket = max(LEAST_BUCKET, min(GREATEST_BUCKET, exponent))
            times = ran.setdefault((queue, kind, bucket), [0, 0.0])
            times[0] += count
            times[1] += seconds
    return [
        *(
            Counted(queue=queue, kind=kind, fact=fact, count=count)
            for (queue, kind, fact), count in facts.items()
        ),
        *(
            Counted(
                queue=queue,
                kind=kind,
                fact=Fact.RAN.value,
                bucket=bucket,
                count=int(count),
                seconds=seconds,
            )
            for (queue, kind, bucket), (count, seconds) in ran.items()
        ),
    ]
