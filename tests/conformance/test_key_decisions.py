"""Every mode at every place of the holder, with every memory: the stores do as the model says."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, assert_never

import pytest

from leasehold.model.keys import (
    Holding,
    Mode,
    Push,
    Refuse,
    StandBehind,
    Standing,
    Take,
    Unique,
    Verdict,
    decide,
)
from leasehold.model.states import State
from tests.conformance.key_kit import LATEST, REPLACE, Asked, ask, error_of, key_of, keyed_job
from tests.conformance.kit import LATER_SECONDS, Place, bring, fail, look, pass_time, settle
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

TABLES = {
    Place.READY: "ready",
    Place.BLOCKED: "waiting",
    Place.SCHEDULED: "scheduled",
    Place.PARKED: "parked",
    Place.FAILED: "scheduled",
    Place.RUNNING: "lease",
    Place.CANCELLING: "lease",
    Place.SUCCEEDED: None,
    Place.DEAD: None,
    Place.CANCELLED: None,
}
# With a successor the holder must have run: it goes on from there.
FROM_RUNNING = {
    Place.READY: "released",
    Place.FAILED: "failed",
    Place.RUNNING: None,
    Place.CANCELLING: None,
    Place.SUCCEEDED: "succeeded",
    Place.DEAD: "dead",
    Place.CANCELLED: "cancelled",
}
CASES = [(place, False) for place in TABLES] + [(place, True) for place in FROM_RUNNING]
RULES: list[dict[str, Any]] = [
    {},
    {"ever": True},
    {"period_seconds": 1000.0},
    {"period_seconds": 1.0},
    {"cooldown_seconds": 1000.0},
    {"cooldown_seconds": 1.0},
    {"period_seconds": 1.0, "cooldown_seconds": 1000.0},
]
PASSED_SECONDS = 10.0


def prepare(
    store: Store, place: Place, unique: Unique | None, *, has_successor: bool, queue: str
) -> tuple[JobId, JobId | None]:
    """Bring a holder there, and somebody behind it."""
    if not has_successor:
        return bring(store, place, unique=unique, queue=queue).job_id, None
    start = Place.CANCELLING if place is Place.CANCELLING else Place.RUNNING
    standing = bring(store, start, unique=unique, queue=queue)
    assert standing.claim is not None
    assert unique is not None
    successor = ask(store, REPLACE, key=unique.key, queue=queue)
    assert successor.verdict is Verdict.BEHIND
    _move_on(store, standing.claim, FROM_RUNNING[place])
    return standing.job_id, successor.id


def _move_on(store: Store, taken: Claim, outcome: str | None) -> None:
    if outcome == "failed":
        fail(store, taken, delay_seconds=LATER_SECONDS)
    elif outcome is not None:
        settle(store, taken, outcome)


def read_holding(store: Store, key: str, place: Place, successor: JobId | None) -> Holding:
    info = key_of(store, key)
    is_untried = place is Place.SCHEDULED
    return Holding(
        holder=info.holder,
        place=TABLES[place],
        successor=successor,
        taken_at=info.taken_at,
        series_at=info.taken_at,
        run_at=look(store, info.holder).run_at if is_untried else None,
        succeeded_at=info.succeeded_at,
    )


@pytest.mark.parametrize(("place", "has_successor"), CASES)
@pytest.mark.parametrize("mode", list(Mode))
def test_the_store_does_what_the_model_says(
    store: Store, tables: Tables, mode: Mode, place: Place, *, has_successor: bool
) -> None:
    for number, rule in enumerate(RULES):
        key, queue = f"k{number}", f"q{number}"
        unique = keyed_job(key=key).unique
        _, successor = prepare(store, place, unique, has_successor=has_successor, queue=queue)
        pass_time(store, PASSED_SECONDS)
        held = read_holding(store, key, place, successor)
        now = held.taken_at + timedelta(seconds=PASSED_SECONDS)
        job = keyed_job(mode, key=key, queue=queue, delay_seconds=2 * LATER_SECONDS, **rule)
        assert job.unique is not None
        decision = decide(job.unique, held, now)
        asked = Asked(job.id, store.enqueue([job]).get(job.id))
        info = key_of(store, key)
        urgent = [row["is_urgent"] for row in tables.rows("key") if row["key"] == key]
        match decision:
            case Refuse(verdict, standing):
                assert (asked.verdict, asked.standing) == (verdict, standing)
                assert store.get(asked.id) is None
            case Push(job_id):
                assert (asked.verdict, asked.standing) == (Verdict.PUSHED, job_id)
                assert store.get(asked.id) is None
            case Take(ended):
                replaced = Standing(asked.id, Verdict.REPLACED, ended[-1]) if ended else None
                assert asked.answer == replaced
                assert (info.holder, info.next, bool(*urgent)) == (asked.id, None, False)
                assert places(tables, asked.id) == ["scheduled"]
                check_ended(store, ended, asked.id)
            case StandBehind(runs, ended):
                assert asked.answer == Standing(asked.id, Verdict.BEHIND, runs)
                assert (info.holder, info.next) == (runs, asked.id)
                assert bool(*urgent) is (mode == LATEST)
                assert look(store, asked.id).state is State.BLOCKED
                check_ended(store, ended, asked.id)
            case _:
                assert_never(decision)


def check_ended(store: Store, ended: tuple[JobId, ...], by: JobId) -> None:
    for job_id in ended:
        assert look(store, job_id).state is State.CANCELLED
        assert error_of(store, job_id) == f"replaced by job {by}"
