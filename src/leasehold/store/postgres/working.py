"""What workers do with jobs: claim them, keep their leases and settle them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from leasehold.store.contract.saving import nothing_saved
from leasehold.store.postgres.claiming import ClaimRequest, Claims, claim_parked
from leasehold.store.postgres.gates import by_gates
from leasehold.store.postgres.holding import claim_held
from leasehold.store.postgres.lanes import Lanes
from leasehold.store.postgres.leases import Leases
from leasehold.store.postgres.narrow import claim_only, claim_parked_only
from leasehold.store.postgres.transaction import (
    Ending,
    async_ending_transaction,
    ending_transaction,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.lanes import Ask, LaneClaims, LaneSeen, Look, Pause
    from leasehold.model.values import Claim, Held, Only, Renewal, Settlement, Want
    from leasehold.store.base import Answer
    from leasehold.store.contract.saving import Saves
    from leasehold.store.postgres.async_pool import AsyncPool
    from leasehold.store.postgres.bounds import Bounds
    from leasehold.store.postgres.connection import AsyncConnection, Connection, Lender
    from leasehold.store.postgres.statements import Sending


class Working:
    """The part of the store that hands out jobs and takes in how they ended."""

    skew_seconds: float
    _pool: Lender
    _async_pool: AsyncPool
    _bounds: Bounds
    _claims: dict[bool, Claims]  # for suspects, and for all others
    _gated: dict[tuple[str, bool], Claims]  # of queues with a limit

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def _ask_as_sent(self, sending: Sending) -> list[Any]:
        raise NotImplementedError

    def _wake_called(self, queues: Sequence[str] | None) -> None:
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
        def take(request: ClaimRequest) -> list[Claim]:
            if only is not None:
                return claim_only(self._run, request, only, is_for_suspects=is_for_suspects)
            return by_gates(request, self._usual_claims(is_for_suspects=is_for_suspects))

        request = ClaimRequest(worker, wants, limit, leases, self._skew)
        return claim_held(self._run, request, take, only=only, is_for_suspects=is_for_suspects)

    def _usual_claims(self, *, is_for_suspects: bool) -> Callable[[ClaimRequest], list[Claim]]:
        return lambda part: self._claims_of(part.gate, is_for_suspects=is_for_suspects).claim(part)

    def _claims_of(self, gate: str | None, *, is_for_suspects: bool) -> Claims:
        """Return who knows the levels: one for each gate, since they forget other queues'."""
        if gate is None:
            return self._claims[is_for_suspects]
        fresh = Claims(self._run, self._ask_as_sent, is_for_suspects=is_for_suspects)
        return self._gated.setdefault((gate, is_for_suspects), fresh)

    def _all_claims(self) -> list[Claims]:
        return [*self._claims.values(), *self._gated.values()]

    def claim_parked(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        *,
        limit: int,
        leases: Mapping[str, float],
        only: Only | None = None,
    ) -> list[Claim]:
        def take(request: ClaimRequest) -> list[Claim]:
            if only is not None:
                return claim_parked_only(self._run, request, only)
            return claim_parked(self._run, request)

        request = ClaimRequest(worker, wants, limit, leases, self._skew)
        return claim_held(self._run, request, take, only=only, is_for_suspects=False)

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
        if batch is not None:
            return self._lanes(worker).look_for_batch(looks, batch)
        return self._lanes(worker).look(looks, parties=parties, page=page, after=after)

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
        return self._lanes(worker).claim(
            asks, limit=limit, leases=leases, only=only, limited=limited, short=short
        )

    def hold_slot(self, worker: WorkerId, lease: Held) -> bool:
        return self._lanes(worker).hold_slot(lease)

    def pause_lane(self, worker: WorkerId, lease: Held, pause: Pause) -> bool:
        return self._lanes(worker).pause(lease, pause)

    def renew(self, worker: WorkerId, leases: Sequence[Held]) -> Renewal:
        return self._leases(worker).renew(leases)

    def cancel_requests(self, leases: Sequence[Held]) -> frozenset[JobId]:
        return self._leases(None).cancel_requests(leases)

    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        return self._leases(worker).finish(settlements)

    def release_unknown(self, worker: WorkerId, known: Sequence[Held]) -> int:
        return self._leases(worker).release_unknown(known)

    def transaction(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        *,
        lease_seconds: float,
        saves: Saves = nothing_saved,
        tenant: str = "",
    ) -> AbstractContextManager[Connection]:
        ending = self._ending(worker, settle, saves, lease_seconds, tenant)
        return ending_transaction(self._pool, self._bounds, ending)

    def async_transaction(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        *,
        lease_seconds: float,
        saves: Saves = nothing_saved,
        tenant: str = "",
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        ending = self._ending(worker, settle, saves, lease_seconds, tenant)
        return async_ending_transaction(self._async_pool, self._bounds, ending)

    def _ending(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        saves: Saves,
        lease_seconds: float,
        tenant: str,
    ) -> Ending:
        skew, wake = self.skew_seconds, self._wake_called
        return Ending(worker, settle, saves, lease_seconds, skew, wake, tenant)

    def _lanes(self, worker: WorkerId) -> Lanes:
        return Lanes(self._run, worker, self._skew)

    def _leases(self, worker: WorkerId | None) -> Leases:
        return Leases(self._run, worker, self._skew, self._wake_called)
