"""What workers do with jobs: claim them, keep their leases and settle them; every write fenced."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import replace

from leasehold.model.ids import JobId, WorkerId
from leasehold.model.lanes import Ask, LaneClaims, LaneSeen, Look, Pause
from leasehold.model.values import Claim, Held, Only, Renewal, Settlement, Want
from leasehold.store.base import Answer
from leasehold.store.contract.saving import Saves, nothing_saved
from leasehold.store.sqlite import lane_looks, lanes, narrow, records, rules, settle
from leasehold.store.sqlite.claim import (
    Request,
    Taken,
    has_parked,
    has_ready,
    take_parked,
    take_ready,
)
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.saving import settling
from leasehold.store.sqlite.statements import as_json, rows
from leasehold.store.sqlite.times import Clock
from leasehold.store.sqlite.transaction import HandlerTransaction, hold_transaction
from leasehold.store.sqlite.waker import Wakers


class Working:
    """The part of the store that hands out jobs and takes in how they ended."""

    _database: Database
    _clock: Clock
    _wakers: Wakers

    def _wake_called(self, queues: Sequence[str]) -> None:
        raise NotImplementedError

    def claim(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        *,
        limit: int,
        leases: Mapping[str, float],
        is_for_suspects: bool = False,
        only: Only | None = None,
    ) -> list[Claim]:
        request = self._request(worker, wants, limit, leases, is_for_suspects=is_for_suspects)
        if only is not None:
            return self._claim_only(replace(request, only=only), narrow.take_ready)
        return self._claim_by(request, has_ready, take_ready)

    def claim_parked(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        *,
        limit: int,
        leases: Mapping[str, float],
        only: Only | None = None,
    ) -> list[Claim]:
        request = self._request(worker, wants, limit, leases, is_for_suspects=False)
        if only is not None:
            return self._claim_only(replace(request, only=only), narrow.take_parked)
        return self._claim_by(request, has_parked, take_parked)

    def look_lanes(
        self,
        worker: WorkerId,
        looks: Sequence[Look],
        *,
        parties: int,
        page: int,
        after: Mapping[str, str],
        batch: JobId | None = None,
    ) -> list[LaneSeen]:
        now = self._clock.now()
        with self._database.read() as connection:
            if batch is not None:
                return lane_looks.look_for_batch(connection, worker, looks, batch, now)
            return lane_looks.look(
                connection, worker, looks, parties=parties, page=page, after=after, now=now
            )

    def claim_lanes(
        self,
        worker: WorkerId,
        asks: Sequence[Ask],
        *,
        limit: int,
        leases: Mapping[str, float],
        only: Only | None = None,
        limited: Collection[str] = (),
        short: Collection[str] = (),
    ) -> LaneClaims:
        request = self._request(worker, (), limit, leases, is_for_suspects=False)
        if only is not None or limited or short:
            request = replace(request, only=only, limited=limited, short=short)
        while limit > 0 and asks:
            with self._database.write() as connection:
                taken = lanes.take_lanes(connection, self._timed(request), asks)
            if taken.claims:
                self._wakers.praise()
            if taken.claims or not taken.parked:
                return LaneClaims(taken.claims, [])  # one writer at a time: no key is another's
        return LaneClaims([], [])

    def hold_slot(self, worker: WorkerId, lease: Held) -> bool:
        with self._database.write() as connection:
            return rules.hold_slot(connection, worker, lease)

    def pause_lane(self, worker: WorkerId, lease: Held, pause: Pause) -> bool:
        with self._database.write() as connection:
            return rules.pause_lane(connection, worker, lease, pause, self._clock.now())

    def renew(self, worker: WorkerId, leases: Sequence[Held]) -> Renewal:
        if not leases:
            return Renewal(frozenset(), frozenset())
        with self._database.write() as connection:
            renewed = rows(
                connection, "renew", leases=_named(leases), worker=worker, now=self._clock.now()
            )
        standing = {job_id for job_id, _ in renewed}
        return Renewal(
            lost=frozenset(held.job_id for held in leases if str(held.job_id) not in standing),
            cancelled=frozenset(records.to_job_id(job_id) for job_id, asked in renewed if asked),
        )

    def cancel_requests(self, leases: Sequence[Held]) -> frozenset[JobId]:
        with self._database.read() as connection:
            asked = rows(connection, "cancel_requests", leases=_named(leases))
        return frozenset(records.to_job_id(job_id) for (job_id,) in asked)

    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        if not settlements:
            return []
        with self._database.write() as connection:
            finished = settle.finish(connection, worker, settlements, self._clock.now())
        if any(settlement.outcome == "released" for settlement in settlements):
            self._wakers.poke()
        self._wake_called(finished.called)
        return finished.answers

    def release_unknown(self, worker: WorkerId, known: Sequence[Held]) -> int:
        with self._database.write() as connection:
            released = settle.release_unknown(connection, worker, known, self._clock.now())
        if released:
            self._wakers.poke()
        return released

    def transaction(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        *,
        lease_seconds: float,
        saves: Saves = nothing_saved,
        tenant: str = "",  # noqa: ARG002 - a file has no roles
    ) -> AbstractContextManager[sqlite3.Connection]:
        held = self._handler_transaction(lease_seconds)
        return hold_transaction(held, settling(worker, settle, saves))

    def async_transaction(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        *,
        lease_seconds: float,
        saves: Saves = nothing_saved,
        tenant: str = "",  # noqa: ARG002 - a file has no roles
    ) -> AbstractAsyncContextManager[sqlite3.Connection]:
        from leasehold.store.sqlite.async_transaction import hold_transaction_async

        held = self._handler_transaction(lease_seconds)
        return hold_transaction_async(held, settling(worker, settle, saves))

    def _request(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        limit: int,
        leases: Mapping[str, float],
        *,
        is_for_suspects: bool,
    ) -> Request:
        return Request(
            worker=worker,
            wants=wants,
            limit=limit,
            leases=leases,
            is_for_suspects=is_for_suspects,
            now=self._clock.now(),
        )

    def _claim_only(
        self, request: Request, take: Callable[[sqlite3.Connection, Request], Taken]
    ) -> list[Claim]:
        return self._claim_by(request, narrow.has_any, take)

    def _claim_by(
        self,
        request: Request,
        look: Callable[[sqlite3.Connection, Request], bool],
        take: Callable[[sqlite3.Connection, Request], Taken],
    ) -> list[Claim]:
        """Look without the write lock whether there is anything, then take.

        What was set aside is no reason to come back with nothing: others stand behind it, and of
        what waits for its tenant's quota some may start.
        """
        while True:
            request = replace(request, now=self._clock.now())
            with self._database.read() as connection:
                if request.limit < 1 or not look(connection, request):
                    return []
            with self._database.write() as connection:
                timed = self._timed(request)
                taken = take(connection, timed)
                claims = taken.claims
                if taken.has_held and not request.is_for_suspects:
                    claims = claims + lanes.take_held(connection, timed, len(claims))
            if claims:
                self._wakers.praise()
            if claims or not (taken.parked or taken.has_held):
                return claims

    def _timed(self, request: Request) -> Request:
        """Count leases from now: the wait for the write lock may have used up a short one."""
        return replace(request, now=self._clock.now())

    def _handler_transaction(self, lease_seconds: float) -> HandlerTransaction:
        return HandlerTransaction(
            self._database, self._clock, lease_seconds=lease_seconds, wake=self._wake_called
        )


def _named(leases: Sequence[Held]) -> str:
    return as_json([(held.job_id, held.fence, held.lease_seconds) for held in leases])
