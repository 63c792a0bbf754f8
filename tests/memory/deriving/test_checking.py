"""What is due, looked at every so often: once, and only when there is something new."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

import leasehold as lh
from leasehold import testing
from leasehold_memory import tasks
from leasehold_memory.checking import MOST_OF_A_KIND, enqueue_due
from leasehold_memory.data import entities, units
from tests.memory.deriving.kit import BEGAN, World

BOND, CAPSULE, PERSON, TOPIC = "rolling:7d", "recent:5", "person:1", "topic:2"
ALL = [BOND, CAPSULE, PERSON, TOPIC]


@pytest.fixture
def spoken(world: World) -> World:
    """One episode, of which who and what it speaks of is known, and nothing else."""
    speak(world)
    return world


def speak(world: World, *names: str) -> int:
    """Store an episode that speaks of Emma, of jazz and of others."""
    with world.memory.database.write() as connection:
        unit_id = units.save_episode(
            connection, user_text="My sister Emma likes jazz.", reply_text="", occurred_at=BEGAN
        )
        about = [
            entities.resolve(connection, "person", "Emma"),
            entities.resolve(connection, "topic", "jazz"),
            *(entities.resolve(connection, "person", name) for name in names),
        ]
        entities.mention(connection, unit_id, dict.fromkeys(about, 0.5))
    return unit_id


def at(**later: float) -> datetime:
    """Say when: by the real clock, which jobs write down, too."""
    return datetime.now(UTC) + timedelta(**later)


def test_everything_is_due_that_was_never_written(spoken: World) -> None:
    assert enqueue_due(spoken.memory, at()) == ALL
    assert {job.kind: job.args for job in spoken.client.find()} == {
        "bond_summary": {"scope_key": BOND},
        "capsule_refresh": {"limit": 5},
        "person_summary_refresh": {"entity_id": 1},
        "topic_summary_refresh": {"entity_id": 2},
    }


def test_nothing_is_due_while_the_same_is_queued(spoken: World) -> None:
    enqueue_due(spoken.memory, at())
    speak(spoken)
    assert enqueue_due(spoken.memory, at(days=2)) == []
    assert len(spoken.client.find()) == 4


def test_nothing_is_due_without_a_new_episode(spoken: World) -> None:
    enqueue_due(spoken.memory, at())
    testing.drain(spoken.client, tasks)
    assert enqueue_due(spoken.memory, at(days=2)) == []


def test_nothing_is_due_within_its_cooldown(spoken: World) -> None:
    enqueue_due(spoken.memory, at())
    testing.drain(spoken.client, tasks)
    speak(spoken)
    assert enqueue_due(spoken.memory, at(minutes=29)) == []
    assert enqueue_due(spoken.memory, at(minutes=31)) == [CAPSULE]
    assert enqueue_due(spoken.memory, at(hours=5.9)) == []
    assert enqueue_due(spoken.memory, at(hours=6.1)) == [BOND]
    assert enqueue_due(spoken.memory, at(hours=11.9)) == []
    assert enqueue_due(spoken.memory, at(hours=12.1)) == [PERSON, TOPIC]


def test_what_has_failed_for_good_is_not_asked_for_every_30_seconds(spoken: World) -> None:
    spoken.server.fail("sorry", what="capsule", times=10)
    enqueue_due(spoken.memory, at())
    for _ in range(5):
        testing.drain(spoken.client, tasks)
        testing.advance(spoken.client, "1h")
    counted = Counter(job.kind for job in spoken.client.find(state="dead"))
    assert counted == {"capsule_refresh": 1}
    assert enqueue_due(spoken.memory, at(seconds=30)) == []
    assert enqueue_due(spoken.memory, at(minutes=31)) == [CAPSULE]


def test_a_clock_that_is_set_back_starves_nobody_and_makes_nothing_twice(spoken: World) -> None:
    enqueue_due(spoken.memory, at(days=400))
    testing.drain(spoken.client, tasks)
    speak(spoken)
    assert enqueue_due(spoken.memory, at(days=-1)) == ALL
    assert enqueue_due(spoken.memory, at(days=-1, hours=-1)) == []


def test_all_get_their_turn_the_most_important_first(world: World) -> None:
    names = [f"Person {number}" for number in range(2 * MOST_OF_A_KIND)]
    for count in range(len(names)):
        speak(world, *names[: count + 1])
    asked = []
    while due := enqueue_due(world.memory, at()):
        assert sum(key.startswith("person") for key in due) <= MOST_OF_A_KIND
        asked += due
        testing.drain(world.client, tasks)
    assert len(asked) == len(set(asked)) == 3 + len(names) + 1
    assert asked[2] == PERSON  # of whom all have spoken


def test_two_processes_that_look_at_once_ask_once(spoken: World) -> None:
    found: list[str] = []
    looks = [
        threading.Thread(target=lambda: found.extend(enqueue_due(spoken.memory, at())))
        for _ in range(8)
    ]
    for look in looks:
        look.start()
    for look in looks:
        look.join()
    assert sorted(found) == sorted(ALL)
    assert len(spoken.client.find()) == 4


def test_a_job_of_an_unknown_kind_stays_queued_and_is_warned_of(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    made = world.client.enqueue_by_name("dream_of_sheep", {"unit_id": 1}, queue="memory")
    lh.Worker(world.client, tasks).run(until_empty=True)
    assert enqueue_due(world.memory, at()) == []
    assert world.client.get(made.id).state == "queued"
    assert [vars(each)["kind"] for each in caplog.records if "unknown" in each.message] == [
        "dream_of_sheep"
    ]
