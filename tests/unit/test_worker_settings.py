"""What a worker is asked to do is checked at once, with messages that say what to write."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

import leasehold as lh
from leasehold.errors import BadOption
from leasehold.registry import Registry
from leasehold.worker.settings import Settings, read_settings


@lh.task(name="mail", queue="mail", lease="5m")
def send_mail() -> None: ...


@lh.task(name="count", queue="numbers")
def count() -> None: ...


@lh.task(name="add", queue="numbers")
def add() -> None: ...


def read(*tasks: lh.Task[..., Any], **options: Any) -> Settings:
    given: dict[str, Any] = {
        "queues": None,
        "slots": 16,
        "lease": "60s",
        "poll": "1s",
        "grace": "25s",
    }
    return read_settings(Registry(tasks or (send_mail, count, add)), **(given | options))


def test_without_queues_the_tasks_own_are_served_each_once() -> None:
    assert read().queues == ("mail", "numbers")


def test_a_list_of_queues_is_a_strict_order() -> None:
    settings = read(queues=["b", "a", "b"])
    assert settings.queues == ("b", "a")
    assert list(settings.queue_order(random.Random(1))) == ["b", "a"]


def test_weights_draw_the_first_queue_in_proportion() -> None:
    settings = read(queues={"a": 6, "b": 3, "c": 1})
    chance = random.Random(7)
    drawn = Counter(settings.queue_order(chance)[0] for _ in range(10_000))
    assert drawn["a"] == pytest.approx(6_000, rel=0.1)
    assert drawn["b"] == pytest.approx(3_000, rel=0.1)
    assert drawn["c"] == pytest.approx(1_000, rel=0.2)


def test_weights_name_every_queue_in_each_draw() -> None:
    settings = read(queues={"a": 1000, "b": 0.001})
    chance = random.Random(7)
    assert all(sorted(settings.queue_order(chance)) == ["a", "b"] for _ in range(100))


def test_a_tasks_own_lease_goes_before_the_workers() -> None:
    settings = read(lease="30s")
    assert settings.leases == {"mail": 300.0, "count": 30.0, "add": 30.0}
    assert settings.shortest_lease_seconds == 30.0


def test_slots_by_queue_add_up() -> None:
    settings = read(slots={"mail": 2, "numbers": 3})
    assert (settings.slots, dict(settings.queue_slots)) == (5, {"mail": 2, "numbers": 3})


def test_a_poll_of_nothing_does_not_spin() -> None:
    assert read(poll=0).poll_seconds == 0.01


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"queues": "mail"}, r"give a list, \['mail'\]"),
        ({"queues": []}, "name at least one"),
        ({"queues": {"a": 0}}, "weight 0"),
        ({"queues": {"a": -1}}, "must be over 0"),
        ({"queues": {"a": float("nan")}}, "must be over 0"),
        ({"slots": 0}, "at least 1"),
        ({"slots": {"mail": 1}}, "says nothing about queue 'numbers'"),
        ({"slots": {"mail": 1, "numbers": 1, "other": 1}}, "does not serve"),
        ({"slots": {"mail": 0, "numbers": 1}}, "at least 1"),
        ({"lease": "100ms"}, "too short"),
        ({"lease": "soon"}, "lease"),
        ({"poll": -1}, "poll"),
        ({"grace": "never"}, "grace"),
    ],
)
def test_what_can_not_be_meant_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadOption, match=said):
        read(**options)


def test_a_worker_without_tasks_is_refused() -> None:
    with pytest.raises(BadOption, match="at least one task"):
        read_settings(Registry(()), queues=None, slots=1, lease=60, poll=1, grace=1)
