"""Runs single attempts in the caller's thread, with the worker's own rules, for `testing`."""

from __future__ import annotations

import asyncio
import contextvars
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import HELD, SUSPECTS, USUAL, Ask, Look, parked
from leasehold.model.values import DEFAULT_LEASE_SECONDS, Want
from leasehold.store.base import Answer
from leasehold.upkeep.following import follow_up, sweep_dependents
from leasehold.worker.attempt import Attempt, attempt_of
from leasehold.worker.conclusion import outcome_of_error, outcome_of_return
from leasehold.worker.current import CurrentJob
from leasehold.worker.running_job import set_current_job
from leasehold.worker.saver import Saver
from leasehold.worker.sealing import Opener
from leasehold.worker.settling import settlement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leasehold.client import Client
    from leasehold.model.outcomes import Outcome
    from leasehold.model.values import Claim
    from leasehold.registry import Registry
    from leasehold.store.base import Store
    from leasehold.task import Task

_WORKER = WorkerId(1)
_PROMOTE_LIMIT = 10_000
_MOST_LANES = 1_000
_STOP_SECONDS = 5.0


class Ran(NamedTuple):
    """What an attempt came to, what its handler returned, and what it raised."""

    outcome: str
    value: Any
    error: Exception | None


def claim_next(client: Client, registry: Registry) -> Claim | None:
    """Take the next job that is due: of the first queue by name, in that queue's own order."""
    client.store.promote(limit=_PROMOTE_LIMIT)
    client.store.hand_over(limit=_PROMOTE_LIMIT)
    sweep_dependents(client.store)
    wants = [Want(each.queue, 1) for each in client.counts()]
    if not wants:
        return None
    leases = {task.name: task.options.lease_seconds or DEFAULT_LEASE_SECONDS for task in registry}
    # A store of its own for each claim remembers no place to start from, so it misses nothing.
    with closing(client.store.dedicated()) as store:
        claims = (
            store.claim(_WORKER, wants, limit=1, leases=leases)
            or store.claim(_WORKER, wants, limit=1, leases=leases, is_for_suspects=True)
            or store.claim_parked(_WORKER, wants, limit=1, leases=leases)
            or _claim_of_lanes(store, wants, leases)
        )
    return claims[0] if claims else None


def _claim_of_lanes(
    store: Store, wants: Sequence[Want], leases: Mapping[str, float]
) -> list[Claim]:
    """Take a job that has a share or a throttle: of the lane whose first one has waited longest."""
    stages = [USUAL, HELD, SUSPECTS, *(parked(kind) for kind in leases)]
    looks = [Look(want.queue, stage) for want in wants for stage in stages]
    lanes = store.look_lanes(_WORKER, looks, parties=_MOST_LANES, page=_MOST_LANES, after={})
    has_room = sorted((lane for lane in lanes if lane.room > 0), key=lambda lane: -lane.age_seconds)
    asks = [Ask(lane.place, 1) for lane in has_room]
    return store.claim_lanes(_WORKER, asks, limit=1, leases=leases).claims if asks else []


def run_attempt(client: Client, task: Task[..., Any], claim: Claim) -> Ran:
    """Run the handler here and settle its job; nothing interrupts it."""
    attempt = attempt_of(claim, task, time.monotonic())
    opener = Opener(lambda: client.store.keyring, {task.name: task})
    refused = opener.open(attempt) if opener.wanted([attempt]) else None
    attempt.begin(time.monotonic())
    if refused is not None:
        return _settle(client, attempt, refused, Ran("", None, None))
    value, caught = None, None
    saver = Saver(client.store, _WORKER)
    try:
        value = _call(client, attempt, saver)
        outcome = outcome_of_return(attempt, value)
    except Exception as error:  # noqa: BLE001 - the runner: it is the job's
        caught, outcome = error, outcome_of_error(attempt, error)
    saver.flush([attempt])
    saver.stop(_STOP_SECONDS)
    if attempt.is_settled:  # by the handler's own transaction
        _follow(client, claim)
        return Ran("succeeded", value, caught)
    return _settle(client, attempt, outcome, Ran("", value, caught))


def _settle(client: Client, attempt: Attempt, outcome: Outcome, ran: Ran) -> Ran:
    settled = settlement(attempt, outcome, time.monotonic())
    (answer,) = client.store.finish(_WORKER, [settled])
    _follow(client, attempt.claim)
    return ran._replace(outcome="lost" if answer is Answer.LOST else settled.outcome)


def _follow(client: Client, claim: Claim) -> None:
    if claim.batch is not None:
        follow_up(client.store, [claim.job_id])


def _call(client: Client, attempt: Attempt, saver: Saver) -> Any:
    def run() -> Any:
        set_current_job(CurrentJob(attempt, client.store, _WORKER, saver))
        task = attempt.task
        value = task.handler(**task.decode(attempt.claim.args))
        return asyncio.run(value) if task.is_async else value

    context = contextvars.Context()
    if not attempt.task.is_async:
        return context.run(run)
    with ThreadPoolExecutor(1) as own_thread:  # the caller may have a loop running in this one
        return own_thread.submit(context.run, run).result()
