"""Throttled and shared jobs in a real worker: limits hold, slots are taken on, turns are taken."""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

import leasehold as lh
from leasehold.model.lanes import Ask, Look
from leasehold.model.values import Claim, Want
from leasehold.store import open_store
from leasehold.worker.lanes import Lanes
from leasehold.worker.pace import Pace
from leasehold.worker.taker import Taker
from tests.worker.kit import GONE, drain, new_worker, outcomes, wait_until

narrow = lh.Throttle("narrow", running=2)
slow = lh.Throttle("slow", rate=5, per="1s", burst=2)
lonely = lh.Throttle("lonely", per_worker=1)

_now: Counter[str] = Counter()
_most: Counter[str] = Counter()
_order: list[str] = []
_counting = threading.Lock()
_gate = threading.Event()


@pytest.fixture(autouse=True)
def _afresh() -> None:
    _now.clear()
    _most.clear()
    _order.clear()
    _gate.clear()


def _pass(key: str, seconds: float = 0.002) -> None:
    with _counting:
        _now[key] += 1
        _most[key] = max(_most[key], _now[key])
        _order.append(key)
    time.sleep(seconds)
    with _counting:
        _now[key] -= 1


@lh.task(name="lanes.narrow", throttle=narrow.by("key"))
def pass_narrow(key: str) -> None:
    _pass(key)


@lh.task(name="lanes.waiting", queue="full", throttle=narrow.by("key"))
def wait_in_lane(key: str) -> None:
    _now[key] += 1
    _gate.wait(30)


@lh.task(name="lanes.slow", throttle=slow.by("key"))
def pass_slow(key: str) -> None:
    _pass(key, 0)


@lh.task(name="lanes.lonely", throttle=lonely)
def pass_alone() -> None:
    _pass("lonely")


@lh.task(name="lanes.shared", share=lh.by("who"))
def pass_shared(who: str) -> None:
    _pass(who, 0.001)


@lh.task(name="lanes.plain")
def pass_plain() -> None:
    _pass("plain", 0)


@lh.task(name="lanes.held", throttle=narrow.by("key"))
def hold_narrow(key: str) -> None:
    _order.append(key)
    _gate.wait(20)


def test_a_worker_runs_no_more_of_a_key_than_its_limit(client: lh.Client) -> None:
    client.enqueue_many(pass_narrow.call(key) for key in "aaaaaaaabbbbccd")
    report = drain(client, pass_narrow, slots=16)
    assert report.succeeded == 15
    assert max(_most.values()) == 2


def test_two_workers_together_run_no_more_of_a_key_than_its_limit(client: lh.Client) -> None:
    client.enqueue_many(pass_narrow.call("a") for _ in range(40))
    with (
        new_worker(client, [pass_narrow], slots=8) as first,
        new_worker(client, [pass_narrow], slots=8) as second,
    ):
        wait_until(lambda: not client.counts(), "all have ended")
    assert first.report.succeeded + second.report.succeeded == 40
    assert _most["a"] == 2


def test_a_full_key_keeps_no_other_from_running(client: lh.Client) -> None:
    client.enqueue_many(hold_narrow.call("full") for _ in range(50))
    client.enqueue_many(pass_narrow.call("free") for _ in range(5))
    client.enqueue_many(pass_plain.call() for _ in range(5))
    with new_worker(client, [hold_narrow, pass_narrow, pass_plain], slots=8):
        wait_until(lambda: _order.count("free") + _order.count("plain") == 10, "the others ran")
        assert _order.count("full") == 2
        _gate.set()
        wait_until(lambda: not client.counts(), "all have ended")


def test_a_slot_that_is_freed_is_taken_on_without_waiting_for_the_poll(client: lh.Client) -> None:
    client.enqueue_many(pass_narrow.call("a") for _ in range(20))
    started = time.monotonic()
    with new_worker(client, [pass_narrow], slots=8, poll="30s"):
        wait_until(lambda: not client.counts(), "all have ended")
    assert time.monotonic() - started < 15


def test_a_rate_lets_its_burst_go_and_then_one_after_the_other(client: lh.Client) -> None:
    client.enqueue_many(pass_slow.call("a") for _ in range(4))
    started = time.monotonic()
    with new_worker(client, [pass_slow], slots=8, poll="30s"):
        wait_until(lambda: not client.counts(), "all have ended")
    assert time.monotonic() - started > 0.35, "two more than the burst of 2, at 5 a second"


def test_per_worker_counts_each_worker_by_itself(client: lh.Client) -> None:
    client.enqueue_many(pass_alone.call() for _ in range(10))
    assert drain(client, pass_alone, slots=8).succeeded == 10
    assert _most["lonely"] == 1


def test_shares_take_turns_however_many_jobs_one_of_them_has(client: lh.Client) -> None:
    client.enqueue_many(pass_shared.call("large") for _ in range(300))
    client.enqueue_many(pass_shared.call("small") for _ in range(10))
    drain(client, pass_shared, slots=2)
    last = max(place for place, who in enumerate(_order) if who == "small")
    assert last < 60, "half of the turns were its own"


def test_shares_start_as_often_as_they_weigh_within_a_tenth(client: lh.Client) -> None:
    weights = {"heavy": 3, "light": 1, "middle": 2}
    for who, weight in weights.items():
        client.shares.set(who, weight=weight)
        client.enqueue_many(pass_shared.call(who) for _ in range(400))
    drain(client, pass_shared, slots=4)
    started = Counter(_order[:600])
    for who, weight in weights.items():
        assert abs(started[who] - weight * 100) <= weight * 10


def test_ready_jobs_and_lanes_share_a_worker(client: lh.Client) -> None:
    client.enqueue_many(pass_shared.call("one") for _ in range(100))
    client.enqueue_many(pass_plain.call() for _ in range(100))
    drain(client, pass_shared, pass_plain, slots=1)
    assert 20 <= Counter(_order[:100])["plain"] <= 80


def test_a_higher_priority_goes_first_whether_in_a_lane_or_not(client: lh.Client) -> None:
    client.enqueue_many(pass_plain.call() for _ in range(3))
    client.enqueue_many(pass_shared.with_options(priority=5).call("lane 5") for _ in range(3))
    client.enqueue_many(pass_plain.with_options(priority=9).call() for _ in range(3))
    drain(client, pass_shared, pass_plain, slots=1)
    assert _order == ["plain"] * 3 + ["lane 5"] * 3 + ["plain"] * 3


def test_a_handler_pauses_its_key_and_no_other(client: lh.Client) -> None:
    @lh.task(name="lanes.pauses", throttle=narrow.by("key"))
    def pauses(key: str) -> None:
        _order.append(key)
        if key == "busy":
            lh.current_job().pause_throttle("1h", reason="429")

    client.enqueue_many(pauses.with_options(priority=1).call("busy") for _ in range(1))
    drain(client, pauses, slots=1)
    client.enqueue_many(pauses.call(key) for key in ("busy", "idle"))
    drain(client, pauses, slots=1)
    assert _order == ["busy", "idle"]
    (info,) = [each for each in client.throttles.list() if each.name == "narrow:busy"]
    assert info.paused_until is not None
    assert info.paused_until > datetime.now(UTC) + timedelta(minutes=50)
    assert info.pause_reason == "429"


def test_a_job_without_a_throttle_has_none_to_pause(client: lh.Client) -> None:
    @lh.task(name="lanes.none", max_attempts=1)
    def has_none() -> None:
        lh.current_job().pause_throttle("1m")

    job = client.enqueue(has_none)
    drain(client, has_none)
    assert "has no throttle" in (client.get(job.id).error or "")


def test_what_a_job_spent_counts_instead_of_its_estimate(client: lh.Client) -> None:
    tokens = lh.Throttle("tokens", rate=1, per="1h", burst=100)

    @lh.task(name="lanes.spends", throttle=tokens, cost=60)
    def spends(amount: float) -> None:
        lh.current_job().spend(amount)

    first = client.enqueue(spends, 10)
    second = client.enqueue(spends, 95)
    third = client.enqueue(spends, 1)
    drain(client, spends, slots=1)
    assert outcomes(client, first.id) == outcomes(client, second.id) == ["succeeded"]
    assert client.get(third.id).state is lh.State.BLOCKED, "10 + 95 of 100 are spent"


def test_a_run_until_empty_ends_before_a_lane_that_is_closed(client: lh.Client) -> None:
    closed = client.enqueue(pass_narrow, "a")
    client.throttles.pause("narrow", reason="maintenance")
    assert drain(client, pass_narrow).succeeded == 0
    client.throttles.resume("narrow")
    assert drain(client, pass_narrow).succeeded == 1
    assert client.get(closed.id).state is lh.State.SUCCEEDED


def test_a_paused_queue_is_left_alone_and_goes_on_by_itself(client: lh.Client) -> None:
    client.enqueue(pass_plain)
    client.queues.pause("default", until="300ms")
    with new_worker(client, [pass_plain], poll="50ms"):
        wait_until(lambda: _order == ["plain"], "its time has come")


def test_draining_a_queue_waits_for_what_runs(client: lh.Client) -> None:
    client.enqueue(hold_narrow, "a")
    with new_worker(client, [hold_narrow]):
        wait_until(lambda: _order == ["a"], "it runs")
        assert client.queues.drain("default", timeout="100ms") == 1
        _gate.set()
        assert client.queues.drain("default", timeout="20s") == 0


def test_a_limit_raised_at_run_time_lets_more_run(client: lh.Client) -> None:
    client.enqueue_many(hold_narrow.call("a") for _ in range(4))
    with new_worker(client, [hold_narrow], slots=8, poll="30s"):
        wait_until(lambda: len(_order) == 2, "two run")
        client.throttles.set("narrow:a", running=4)
        wait_until(lambda: len(_order) == 4, "four run")
        _gate.set()


def test_a_limit_raised_while_the_worker_looks_at_something_else_lets_more_run(
    client: lh.Client,
) -> None:
    """The wake-up comes while the worker is still busy with the one before."""
    client.enqueue_many(hold_narrow.call("a") for _ in range(12))
    with new_worker(client, [hold_narrow], slots=16, poll="30s"):
        for limit in range(2, 13):
            wait_until(lambda: len(_order) == limit, f"{limit} run")  # noqa: B023 - at once
            client.store.notify({"default": 1})
            time.sleep(0.001 * limit)  # no wait for anything: it comes at various moments
            client.throttles.set("narrow:a", running=limit + 1)
        _gate.set()


def test_a_worker_without_lanes_never_looks_for_them(
    client: lh.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise AssertionError("looked for lanes")

    monkeypatch.setattr(Lanes, "_look", refuse)
    monkeypatch.setattr(Lanes, "refresh", refuse)
    client.enqueue_many(pass_plain.call() for _ in range(10))
    assert drain(client, pass_plain).succeeded == 10


def test_a_laned_job_that_lapsed_runs_again(client: lh.Client) -> None:
    job = client.enqueue(pass_narrow, "a")
    client.throttles.set("narrow", running=2)
    with closing(open_store(client.store.url)) as past:
        past.skew_seconds = -3600.0
        (lane,) = past.look_lanes(GONE, [Look("default")], parties=8, page=8, after={})
        asks, leases = [Ask(lane.place, 1)], {pass_narrow.name: 60.0}
        assert past.claim_lanes(GONE, asks, limit=1, leases=leases).claims
    lapsed = client.store.lapsed(limit=10)
    assert len(client.store.reclaim([(each, 0.0) for each in lapsed])) == 1
    drain(client, pass_narrow)
    assert outcomes(client, job.id) == ["lapsed", "succeeded"]


def test_a_worker_whose_queue_is_full_waits_for_an_end_and_does_not_spin(
    client: lh.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    take_some = Taker.take_some

    def counted(taker: Taker, room: int) -> int:
        looks.append(room)
        return take_some(taker, room)

    monkeypatch.setattr(Taker, "take_some", counted)
    client.enqueue_many(wait_in_lane.call(str(number)) for number in range(20))
    slots = {"full": 2, "default": 2}
    with new_worker(client, [wait_in_lane, pass_narrow], slots=slots):
        wait_until(lambda: sum(_now.values()) == 2, "two run, as many as may")
        looks.clear()
        time.sleep(0.3)
        assert len(looks) < 30
        other = client.enqueue(pass_narrow, "other")
        client.wait(other, 20)
        _gate.set()
        wait_until(lambda: sum(_now.values()) == 20, "all have run")


@pytest.fixture
def claimed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many jobs each claim of lanes took, by a worker that is believed to be fast."""
    taken: list[int] = []
    real = Lanes.claim

    def claim(self: Lanes, wants: list[Want], limit: int) -> list[Claim]:
        claims = real(self, wants, limit)
        taken.append(len(claims))
        return claims

    monkeypatch.setattr(Lanes, "claim", claim)
    monkeypatch.setattr(Pace, "_ahead", lambda _self, share: int(1_000 * share))
    return taken


def test_of_a_share_alone_little_is_claimed_ahead_since_another_may_come(
    client: lh.Client, claimed: list[int]
) -> None:
    client.enqueue_many(pass_shared.call("a") for _ in range(400))
    with new_worker(client, [pass_shared], slots=2):
        wait_until(lambda: not client.counts(), "all have ended")
    assert max(claimed) <= 2 + 50


def test_of_throttled_jobs_that_take_a_while_little_is_claimed_ahead_since_others_have_slots(
    client: lh.Client, claimed: list[int]
) -> None:
    client.enqueue_many(pass_narrow.call(str(number)) for number in range(600))
    with new_worker(client, [pass_narrow], slots=20):
        wait_until(lambda: not client.counts(), "all have ended")
    assert 20 < max(claimed) <= 20 + 200
