"""Claims that are narrowed to a batch or to some kinds; the usual claim knows nothing of them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from leasehold.model.values import PRIORITY_LIMIT
from leasehold.store.postgres.claiming import PACKAGE, claim_parked, claims_of
from leasehold.store.postgres.gates import by_gates
from leasehold.store.postgres.levels import Found, Levels
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from leasehold.model.values import Claim, Only, Want
    from leasehold.store.postgres.claiming import ClaimRequest

LOOK_AHEAD = 2_000


def claim_only(
    run: Callable[..., list[Any]], request: ClaimRequest, only: Only, *, is_for_suspects: bool
) -> list[Claim]:
    """Take what is ready and wanted, and nothing else."""
    return by_gates(
        request, lambda part: _claim_part(run, part, only, is_for_suspects=is_for_suspects)
    )


def _claim_part(
    run: Callable[..., list[Any]], request: ClaimRequest, only: Only, *, is_for_suspects: bool
) -> list[Claim]:
    kinds = only.of(request.leases)
    if not kinds or not request.wants:
        return []
    if only.batch is None:
        return _claim_kinds(run, request, kinds, is_suspect=is_for_suspects)
    taken = run(
        load(PACKAGE, "claim_batch"),
        batch=only.batch,
        kinds=kinds,
        mosts=[want.limit for want in request.wants],
        leasts=[-PRIORITY_LIMIT if want.least is None else want.least for want in request.wants],
        is_suspect=is_for_suspects,
        **request.parameters(),
    )
    return claims_of(taken, request)


def _claim_kinds(
    run: Callable[..., list[Any]], request: ClaimRequest, kinds: list[str], *, is_suspect: bool
) -> list[Claim]:
    """Take from each level in turn, always from its head: no hint says what was passed over."""
    found = run(
        load(PACKAGE, "levels"),
        queues=sorted(request.queues),
        is_suspect=is_suspect,
        skew=request.skew,
    )
    now = time.monotonic()
    levels = Levels()
    levels.restart([Found(*row) for row in found], request.queues, now)
    claims: list[Claim] = []
    left = {want.queue: want.limit for want in request.wants}
    for level in levels.scans(request.wants, now):
        queue = level["queue"]
        most = min(left[queue], request.limit - len(claims))
        if most > 0:
            taken = run(
                load(PACKAGE, "claim_kinds"),
                queue=queue,
                priority=level["priority"],
                kinds=kinds,
                look_ahead=LOOK_AHEAD,
                is_suspect=is_suspect,
                **replace(request, limit=most).parameters(),
            )
            left[queue] -= len(taken)
            claims += claims_of(taken, request)
    return claims


def claim_parked_only(
    run: Callable[..., list[Any]], request: ClaimRequest, only: Only
) -> list[Claim]:
    """Take what is no suspect; if there is nothing else, one suspect alone."""
    kinds = only.of(request.leases)
    if not kinds or not request.wants:
        return []
    if only.batch is None:  # parked jobs are found by their kind: to know fewer is enough
        leases = {kind: request.leases[kind] for kind in kinds}
        return claim_parked(run, replace(request, leases=leases))
    given = {"batch": only.batch, "kinds": kinds}
    alone = replace(request, limit=1)
    return by_gates(
        request, lambda part: _take_parked(run, part, given, is_suspect=False)
    ) or by_gates(alone, lambda part: _take_parked(run, part, given, is_suspect=True))


def _take_parked(
    run: Callable[..., list[Any]],
    request: ClaimRequest,
    given: dict[str, Any],
    *,
    is_suspect: bool,
) -> list[Claim]:
    claims: list[Claim] = []
    for wants, most in _parts(request.wants, request.limit):
        left = min(most, request.limit - len(claims))
        if left > 0:
            part = replace(request, wants=wants, limit=left)
            sql = load(PACKAGE, "claim_parked_batch")
            taken = run(sql, is_suspect=is_suspect, **given, **part.parameters())
            claims += claims_of(taken, request)
    return claims


def _parts(wants: Sequence[Want], limit: int) -> Iterator[tuple[Sequence[Want], int]]:
    """Split the wants where one statement for all could take too many of a queue."""
    if all(want.limit >= limit for want in wants):
        yield wants, limit
        return
    for want in wants:
        yield [want], want.limit
