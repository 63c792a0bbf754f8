"""The nine kinds of jobs, and what follows an episode."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from sqlalchemy import update

import leasehold as lh
from leasehold import testing
from leasehold.kit.data import Database
from leasehold_memory import tasks
from leasehold_memory.data import vectors
from leasehold_memory.data.tables import unit
from leasehold_memory.opening import courtesy
from tests.memory.deriving.kit import World

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
OF_EPISODES = (
    "reflect_episode",
    "extract_entities",
    "extract_facts",
    "extract_loops",
    "upsert_embeddings",
)


def test_there_are_nine_kinds_as_the_seed_names_them() -> None:
    assert {each.name for each in tasks.KINDS} == {
        "reflect_episode",
        "extract_entities",
        "extract_facts",
        "extract_loops",
        "upsert_embeddings",
        "bond_summary",
        "person_summary_refresh",
        "topic_summary_refresh",
        "capsule_refresh",
    }


def test_seven_jobs_follow_an_episode_and_the_same_again_makes_none(
    queue: lh.Client, database: Database
) -> None:
    memory = cast("tasks.HasClient", SimpleNamespace(client=queue))
    for _ in range(2):
        with database.write() as connection:
            tasks.after_episode(memory, connection, 1, now=NOW)
    jobs = {job.kind: job.args for job in queue.find()}
    assert len(queue.find()) == 7
    assert jobs == {
        "reflect_episode": {"unit_id": 1},
        "extract_entities": {"unit_id": 1},
        "extract_facts": {"unit_id": 1},
        "extract_loops": {"unit_id": 1},
        "upsert_embeddings": {"unit_id": 1},
        "capsule_refresh": {"limit": 5},
        "bond_summary": {"scope_key": "rolling:7d"},
    }


def test_what_follows_an_episode_that_was_not_stored_never_was(
    queue: lh.Client, database: Database
) -> None:
    memory = cast("tasks.HasClient", SimpleNamespace(client=queue))
    with pytest.raises(KeyError), database.write() as connection:  # noqa: PT012
        tasks.after_episode(memory, connection, 1, now=NOW)
        raise KeyError
    assert queue.find() == []


@pytest.mark.parametrize("pause", [0.5, 2.0])
def test_jobs_of_messages_just_before_wait_for_the_last_one(world: World, pause: float) -> None:
    first = world.say("First.")
    testing.advance(world.client, "0.5s")
    second = world.say("Second.", follows=False)
    with world.memory.database.write() as connection:
        for unit_id, at in ((first, NOW - timedelta(seconds=pause)), (second, NOW)):
            connection.execute(update(unit).where(unit.c.id == unit_id).values(created_at=at))
        connection.execute(update(unit).values(occurred_at=NOW))
        tasks.after_episode(world.memory, connection, second, now=NOW)
    starts = {
        (job.kind, job.args["unit_id"]): start_of(job) for job in jobs_of(world, first, second)
    }
    assert starts.keys() == {(task, each) for task in OF_EPISODES for each in (first, second)}
    for task in OF_EPISODES:
        assert (starts[task, first] == starts[task, second]) is (pause < 1)


def test_however_quickly_messages_come_jobs_begin_after_ten_seconds(world: World) -> None:
    """The same episode again and again, each time before its jobs begin."""
    unit_id = world.say("First.")
    began = {job.id: start_of(job) for job in jobs_of(world, unit_id)}
    for _ in range(12):
        testing.advance(world.client, "0.9s")
        with world.memory.database.write() as connection:
            tasks.after_episode(world.memory, connection, unit_id, now=NOW)
    found = {job.id: start_of(job) for job in jobs_of(world, unit_id)}
    assert found.keys() == began.keys()
    assert all(found[each] <= began[each] + timedelta(seconds=9) for each in began)


def start_of(job: lh.Job) -> datetime:
    assert job.run_at is not None
    return job.run_at


def jobs_of(world: World, *unit_ids: int) -> list[lh.Job]:
    return [job for job in world.client.find() if job.args.get("unit_id") in unit_ids]


def test_a_bond_summary_follows_an_episode_only_when_it_has_rested(world: World) -> None:
    world.say("First.")
    world.work()
    world.say("Second.")
    world.work()
    kinds = Counter(job.kind for job in world.client.find(limit=500))
    assert (kinds["bond_summary"], kinds["capsule_refresh"]) == (1, 2)


def test_the_most_important_people_and_topics_are_refreshed_behind_an_episode(
    world: World,
) -> None:
    for name in ("Anna", "Bert", "Cleo", "Dora"):
        world.say(f"I met {name} at a concert.", follows=False)
    for unit_id in (1, 2, 3, 4):
        world.client.enqueue(tasks.extract_entities, unit_id)
    testing.drain(world.client, [tasks.extract_entities])
    assert Counter(job.kind for job in world.client.find()) == {
        "extract_entities": 4,
        "person_summary_refresh": 3,
        "topic_summary_refresh": 1,
    }


def test_a_job_that_writes_rests_while_somebody_waits_for_first_words(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courtesy, "MOST_SECONDS", 20.0)
    hurried: list[bool] = []
    really_put = vectors.put

    def put(*given: Any) -> None:
        hurry = world.memory.courtesy.hurry()
        threading.Timer(0.05, hurry.close).start()
        really_put(*given)
        hurried.append(world.memory.courtesy.is_hurried)

    monkeypatch.setattr(vectors, "put", put)
    world.run(tasks.upsert_embeddings, world.say("Emma lives in Kyoto.", follows=False))
    assert hurried == [False]
