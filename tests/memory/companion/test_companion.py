"""What a companion does besides: it rests when told so, checks what is due, says how it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import leasehold as lh
from leasehold_memory.companion import Companion
from leasehold_memory.opening import Memory
from leasehold_memory.settings import memory_file
from leasehold_memory.settings.home import url_of
from tests.faults.waiting import wait_for
from tests.memory.companion.conftest import Start, tell


def test_with_memory_disabled_nobody_works_until_it_is_enabled_again(companion: Companion) -> None:
    wait_for("worker", lambda: companion.health().is_working, 30)
    companion.change({"memory_enabled": False})
    wait_for("rest", lambda: not companion.health().is_working, 30)
    with companion.current() as memory:
        job = memory.client.enqueue(tell)
        assert memory.client.get(job.id).state is lh.State.QUEUED
        companion.change({"memory_enabled": True})
        assert memory.client.wait(job, timeout=30) == "local"


def test_what_is_due_is_looked_for_at_the_start_and_then_again(start: Start) -> None:
    seen: list[tuple[str, datetime]] = []

    def check(memory: Memory, now: datetime) -> None:
        seen.append((memory.preset.id, now))

    start(check=check, check_seconds=0.05)
    wait_for("checks", lambda: len(seen) >= 3, 30)
    assert {preset_id for preset_id, _ in seen} == {"local"}
    assert abs(seen[0][1] - datetime.now(UTC)) < timedelta(minutes=1)


def test_a_check_that_fails_is_a_reason_and_stops_nothing(start: Start) -> None:
    trouble = [ValueError("no")]

    def check(_memory: Memory, _now: datetime) -> None:
        if trouble:
            raise trouble[0]

    companion = start(check=check, check_seconds=0.0)
    wait_for("reason", lambda: "check_failed" in companion.health().reasons, 30)
    with companion.current() as memory:
        assert memory.client.wait(memory.client.enqueue(tell), timeout=30) == "local"
    trouble.clear()
    wait_for("recovery", lambda: companion.health().status == "ok", 30)


def test_health_tells_what_waits_in_each_memory(companion: Companion, home: Path) -> None:
    with lh.Client(url_of(memory_file(home, "second"))) as other:
        other.enqueue_many([tell.call(), tell.call()])
    wait_for("worker", lambda: companion.health().is_working, 30)
    health = companion.health()
    assert health.status == "ok"
    waiting = {backlog.preset_id: backlog.waiting for backlog in health.backlogs}
    assert waiting == {"local": 0, "second": 2, "third": 0}
    (second,) = [each for each in health.backlogs if each.preset_id == "second"]
    assert second.oldest_seconds is not None
    assert not second.is_active


def test_a_refused_key_is_told_and_another_model_lets_jobs_begin_again(
    companion: Companion,
) -> None:
    with companion.current() as memory:
        memory.client.throttles.set("memory-model", running=1)
        memory.client.throttles.set("other", running=1)
        memory.client.throttles.pause("memory-model", reason="llm_auth")
        memory.client.throttles.pause("other", reason="by hand")
    assert companion.health().reasons == ["by hand", "llm_auth"]
    (model,) = companion.settings.current().shown()["model_presets"]
    companion.change({"model_presets": [{**model, "name": "Renamed"}]})
    wait_for("resumption", lambda: companion.health().reasons == ["by hand"], 30)


def test_two_companions_of_one_home_do_each_job_once(start: Start) -> None:
    first, second = start(), start()
    with first.current() as memory:
        jobs = memory.client.enqueue_all([tell.call() for _ in range(100)])
        for job in jobs:
            assert memory.client.wait(job, timeout=30) == "local"
            assert len(memory.client.history(job.id)) == 1
    assert second.health().status == "ok"
