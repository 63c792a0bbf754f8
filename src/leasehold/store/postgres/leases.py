"""What is done to leases: renewed, settled, handed back, taken back. Every write is fenced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.states import State
from leasehold.model.values import Lapsed, Renewal
from leasehold.store.base import Answer
from leasehold.store.postgres import rows
from leasehold.store.postgres.settling import are_plain, columns, plain_columns
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import timedelta

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.values import Held, Settlement

PACKAGE = "leasehold.store.postgres"

_encode = msgspec.json.Encoder().encode


class Leases:
    """Those of one worker, or of all for upkeep, at one moment of the store's clock.

    `wake` is told of the queues that callbacks came to, after the commit.
    """

    def __init__(
        self,
        run: Callable[..., list[Any]],
        worker: WorkerId | None,
        skew: timedelta,
        wake: Callable[[Sequence[str] | None], None],
    ) -> None:
        self._run = run
        self._worker = worker
        self._skew = skew
        self._wake = wake

    def renew(self, leases: Sequence[Held]) -> Renewal:
        asked = {held.job_id for held in leases}
        given = {"leases": _encode(leases).decode(), "worker": self._worker}
        seen = dict(self._run(load(PACKAGE, "renew"), skew=self._skew, **given))
        if len(seen) < len(asked):
            # A later statement: a lease that was skipped because it is locked still stands.
            seen.update(self._run(load(PACKAGE, "standing"), **given))
        return Renewal(
            lost=frozenset(asked - seen.keys()),
            cancelled=frozenset(job_id for job_id, cancelled in seen.items() if cancelled),
        )

    def cancel_requests(self, leases: Sequence[Held]) -> frozenset[JobId]:
        parameter = _encode(leases).decode()
        found = self._run(load(PACKAGE, "standing"), leases=parameter, worker=None)
        return frozenset(job_id for job_id, cancelled in found if cancelled)

    def finish(self, settlements: Sequence[Settlement]) -> list[Answer]:
        if _is_one_twice(settlements):
            middle = len(settlements) // 2  # one job twice: one after the other
            return self.finish(settlements[:middle]) + self.finish(settlements[middle:])
        name, spread = ("succeed", plain_columns) if are_plain(settlements) else ("finish", columns)
        ((ended, called),) = self._run(
            load(PACKAGE, name), worker=self._worker, skew=self._skew, **spread(settlements)
        )
        self._wake(called)
        return self._answers(settlements, ended or b"")

    def _answers(self, settlements: Sequence[Settlement], ended: bytes) -> list[Answer]:
        """Tell for those that were not settled now whether they had been before."""
        if len(ended) == len(settlements) * rows.ID_BYTES:
            return [Answer.SETTLED] * len(settlements)
        settled = rows.job_ids(ended)
        missing = [each for each in settlements if each.job_id not in settled]
        found = self._run(
            load(PACKAGE, "settled_before"),
            settlements=_encode(missing).decode(),
            worker=self._worker,
        )
        before = {row[0] for row in found}
        return [
            Answer.SETTLED
            if each.job_id in settled
            else Answer.ALREADY
            if each.job_id in before
            else Answer.LOST
            for each in settlements
        ]

    def release_unknown(self, known: Sequence[Held]) -> int:
        found = self._run(
            load(PACKAGE, "release_unknown"),
            worker=self._worker,
            known=_encode(known).decode(),
            skew=self._skew,
        )
        count, called = found[0]
        self._wake(called)
        return int(count)

    def lapsed(self, limit: int) -> list[Lapsed]:
        found = self._run(load(PACKAGE, "lapsed"), limit=limit, skew=self._skew)
        return [Lapsed(*row) for row in found]

    def reclaim(self, leases: Sequence[tuple[Lapsed, float]]) -> dict[JobId, State]:
        asked = [
            {
                "job_id": lapsed.job_id,
                "fence": lapsed.fence,
                "until": lapsed.until,
                "delay_seconds": delay_seconds,
            }
            for lapsed, delay_seconds in leases
        ]
        found = self._run(load(PACKAGE, "reclaim"), leases=_encode(asked).decode(), skew=self._skew)
        for _, _, called in found[:1]:
            self._wake(called)
        return {row[0]: State(row[1]) for row in found}


def _is_one_twice(settlements: Sequence[Settlement]) -> bool:
    return len({each.job_id.int for each in settlements}) < len(settlements)
