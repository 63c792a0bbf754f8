"""Workers report themselves, their tasks and their heartbeat."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from leasehold.model.ids import WorkerId
from leasehold.model.values import Fleet, TaskPolicy, WorkerInfo
from tests.conformance.kit import OTHER, WORKER, look, new_job, pass_time, settle, start_one

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

ALPHA = WorkerInfo(
    id=WORKER,
    name="alpha",
    queues=("default", "mail"),
    kinds=("greet", "naïve 北京"),
    slots=16,
    version="1.2.3",
)
BETA = WorkerInfo(id=OTHER, name="beta", queues=(), kinds=(), slots=1, version="1.2.3")
NEAR = timedelta(seconds=30)


def policy(kind: str = "greet", *, max_attempts: int = 5) -> TaskPolicy:
    return TaskPolicy(
        kind=kind,
        queue="mail",
        priority=3,
        max_attempts=max_attempts,
        timeout_seconds=90.5,
        dies_on_lapse=False,
    )


def only(store: Store) -> WorkerInfo:
    (worker,) = store.workers()
    return worker


def test_nobody_is_there_at_first(store: Store) -> None:
    assert store.workers() == []


def test_a_registered_worker_is_listed_as_it_reported_itself(store: Store) -> None:
    store.register(ALPHA, [])

    worker = only(store)
    assert (worker.id, worker.name, worker.slots) == (WORKER, "alpha", 16)
    assert (worker.queues, worker.kinds) == (ALPHA.queues, ALPHA.kinds)
    assert (worker.version, worker.running) == ("1.2.3", 0)
    for instant in (worker.started_at, worker.seen_at):
        assert instant is not None
        assert abs(instant - datetime.now(UTC)) < NEAR


def test_several_workers_are_listed(store: Store) -> None:
    store.register(ALPHA, [])
    store.register(BETA, [])
    assert {worker.name for worker in store.workers()} == {"alpha", "beta"}


def test_registering_again_is_the_same_worker(store: Store) -> None:
    store.register(ALPHA, [])
    store.register(ALPHA, [])
    assert only(store).id == WORKER


def test_a_beat_shows_the_time_and_what_runs(store: Store) -> None:
    store.register(ALPHA, [])
    before = only(store)
    pass_time(store, 20)
    store.beat(WORKER, running=7)

    after = only(store)
    assert after.running == 7
    assert before.seen_at is not None
    assert after.seen_at is not None
    assert after.seen_at - before.seen_at >= timedelta(seconds=20)
    assert after.started_at == before.started_at


def test_a_beat_is_for_one_worker_only(store: Store) -> None:
    store.register(ALPHA, [])
    store.register(BETA, [])
    store.beat(WORKER, running=7)

    assert {worker.name: worker.running for worker in store.workers()} == {"alpha": 7, "beta": 0}


def test_a_beat_tells_of_the_living_workers_of_its_queues_and_of_those_with_room(
    store: Store,
) -> None:
    """By that a fleet takes turns, and shares the looks that one of it would do."""
    third = WorkerId(OTHER + 1)
    store.register(msgspec.structs.replace(BETA, id=OTHER, queues=("b", "a"), slots=2), [])
    store.register(msgspec.structs.replace(BETA, id=third, queues=("elsewhere",)), [])
    store.register(msgspec.structs.replace(BETA, id=WORKER, queues=("a",)), [])
    assert store.beat(WORKER, running=0) == Fleet(2, {"a": sorted([WORKER, OTHER])})

    store.beat(OTHER, running=2)
    assert store.beat(WORKER, running=0) == Fleet(2, {"a": [WORKER]})
    assert store.beat(third, running=0) == Fleet(1, {"elsewhere": [third]})
    store.farewell(OTHER)
    assert store.beat(WORKER, running=0) == Fleet(1, {"a": [WORKER]})
    pass_time(store, 50)
    assert store.beat(third, running=0) == Fleet(1, {"elsewhere": [third]})


def test_a_worker_that_left_is_not_listed(store: Store) -> None:
    store.register(ALPHA, [])
    store.register(BETA, [])
    store.farewell(WORKER)

    assert [worker.name for worker in store.workers()] == ["beta"]


def test_a_worker_that_left_keeps_its_name_in_the_history(store: Store) -> None:
    store.register(ALPHA, [])
    taken = start_one(store)
    settle(store, taken, "succeeded")
    store.farewell(WORKER)

    assert [end.worker_name for end in store.history(taken.job_id)] == ["alpha"]


def test_strangers_may_beat_and_leave_without_harm(store: Store) -> None:
    store.beat(WORKER, running=1)
    store.farewell(WORKER)
    assert store.workers() == []


def test_chores_leave_a_living_worker_alone(store: Store) -> None:
    store.register(ALPHA, [])
    store.tend()
    store.tend()
    assert only(store).name == "alpha"


def test_the_policies_of_tasks_are_written_down(store: Store, tables: Tables) -> None:
    store.register(ALPHA, [policy(), policy("other")])

    rows = {row["kind"]: row for row in tables.rows("task")}
    assert set(rows) == {"greet", "other"}
    assert (rows["greet"]["queue"], rows["greet"]["priority"]) == ("mail", 3)
    assert (rows["greet"]["max_attempts"], rows["greet"]["timeout_seconds"]) == (5, 90.5)
    assert not rows["greet"]["dies_on_lapse"]


def test_a_changed_policy_replaces_the_old_one(store: Store, tables: Tables) -> None:
    store.register(ALPHA, [policy(max_attempts=5)])
    store.register(BETA, [policy(max_attempts=9), policy("other")])

    rows = {row["kind"]: row["max_attempts"] for row in tables.rows("task")}
    assert rows == {"greet": 9, "other": 5}


def test_a_policy_is_kept_when_its_worker_leaves(store: Store, tables: Tables) -> None:
    store.register(ALPHA, [policy()])
    store.farewell(WORKER)
    assert [row["kind"] for row in tables.rows("task")] == ["greet"]


def test_what_a_job_does_not_say_is_as_its_task_was_registered(store: Store) -> None:
    store.register(ALPHA, [policy(max_attempts=2)])
    unsaid = {"queue": None, "priority": None, "max_attempts": None, "timeout_seconds": None}
    known, unknown = new_job(kind="greet", **unsaid), new_job(kind="other", **unsaid)
    store.enqueue([known, unknown])

    jobs = [look(store, each.id) for each in (known, unknown)]
    assert [(job.queue, job.priority, job.max_attempts, job.timeout_seconds) for job in jobs] == [
        ("mail", 3, 2, 90.5),
        ("default", 0, 5, 3600.0),
    ]
