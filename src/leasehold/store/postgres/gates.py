"""Queues with a limit are claimed one at a time, each through its gate; the others together."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from leasehold.model.values import Claim
    from leasehold.store.postgres.claiming import ClaimRequest


def gate_of(queue: str, limited: Collection[str]) -> str | None:
    """Name the gate that a claim of this queue goes through, if it has a limit."""
    return queue if queue in limited else None


def by_gates(request: ClaimRequest, take: Callable[[ClaimRequest], list[Claim]]) -> list[Claim]:
    """Claim part by part, in the order of the wants; mostly no queue has a limit.

    Who does not know of a limit gets nothing of that queue; who takes one for limited that is not
    any more loses nothing but a call.
    """
    limited = [want.queue for want in request.wants if want.is_limited]
    if not limited:
        return take(request)
    claims: list[Claim] = []
    for gate, alike in groupby(request.wants, lambda want: gate_of(want.queue, limited)):
        wants = list(alike)
        left = request.limit - len(claims)
        most = left if gate is None else min(left, wants[0].limit)
        if most > 0:
            claims += take(replace(request, wants=wants, limit=most, gate=gate))
    return claims
