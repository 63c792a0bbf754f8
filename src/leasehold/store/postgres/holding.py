"""Claims that meet jobs of tenants with a running quota: set aside, then claimed as that allows."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from leasehold.model.lanes import HELD, Ask, Look
from leasehold.store.postgres.lanes import Lanes
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.values import Claim, Only
    from leasehold.store.postgres.claiming import ClaimRequest

PACKAGE = "leasehold.store.postgres"
MOST_ROUNDS = 20
MOST_AT_ONCE = 5_000
_PARTIES, _PAGE = 64, 8


def claim_held(
    run: Callable[..., list[Any]],
    request: ClaimRequest,
    take: Callable[[ClaimRequest], list[Claim]],
    *,
    only: Only | None,
    is_for_suspects: bool,
) -> list[Claim]:
    """Claim. If it met jobs whose tenant has a quota, let them all wait where that is counted.

    Then take what the quotas leave, and come again for what stood behind. Mostly there are none.
    """
    for _ in range(MOST_ROUNDS):
        claims = take(request)
        if not request.aside:
            return claims
        request.aside.clear()
        run(load(PACKAGE, "hold_tenants"), most=MOST_AT_ONCE)
        if not is_for_suspects and len(claims) < request.limit:
            claims += _claim(run, replace(request, limit=request.limit - len(claims)), only)
        if claims:
            return claims
    return []


def _claim(run: Callable[..., list[Any]], request: ClaimRequest, only: Only | None) -> list[Claim]:
    lanes = Lanes(run, request.worker, request.skew)
    looks = [Look(want.queue, HELD) for want in request.wants]
    if only is not None and only.batch is not None:
        seen = lanes.look_for_batch(looks, only.batch)
    else:
        seen = lanes.look(looks, parties=_PARTIES, page=_PAGE, after={})
    asks = [Ask(lane.place, min(lane.room, request.limit)) for lane in seen if lane.room > 0]
    random.shuffle(asks)  # no tenant is always the first
    limited = [want.queue for want in request.wants if want.is_limited]
    leases = request.leases
    return lanes.claim(asks, limit=request.limit, leases=leases, only=only, limited=limited).claims
