"""What people say at run time about throttles, shares and queues, blocking and awaited."""

from __future__ import annotations

import asyncio
import inspect
import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.async_control import AsyncQueues, AsyncShares, AsyncThrottles
from leasehold.control import DRAIN_LOOK_SECONDS, Queues, Shares, Throttles
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Ask, Rule
from leasehold.model.states import State
from leasehold.model.values import Settlement, Want, WorkerInfo
from tests.conformance.kit import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.model.lanes import QueueInfo, ThrottleInfo
    from leasehold.model.values import Claim

WORKER = WorkerId(7)
DOMAIN = lh.Throttle("domain", running=2)
OPENAI = lh.Throttle("openai", rate=60, per="1m", burst=10)
LEASES = {"visit": 60.0}


@lh.task(name="visit", throttle=DOMAIN.by("host"), share=lh.by("user"))
def visit(host: str, user: str = "ada") -> None: ...


@pytest.fixture(autouse=True)
def declared(client: lh.Client) -> None:
    worker = WorkerInfo(id=WORKER, name="w", queues=(), kinds=("visit",), slots=1, version="1")
    client.store.register(worker, [visit.policy()], [DOMAIN.rule, OPENAI.rule])


@pytest.fixture
def aclient(store_url: str) -> Iterator[lh.AsyncClient]:
    opened = lh.AsyncClient(store_url)
    yield opened
    asyncio.run(opened.close())


def take(client: lh.Client, host: str = "a.com", *, share: str = "ada") -> list[Claim]:
    place = place_of(f"domain:{host}", share=share)
    return client.store.claim_lanes(WORKER, [Ask(place, 99)], limit=99, leases=LEASES).claims


def throttle(client: lh.Client, name: str) -> ThrottleInfo:
    (found,) = [each for each in client.throttles.list() if each.name == name]
    return found


def queue(client: lh.Client, name: str) -> QueueInfo:
    (found,) = [each for each in client.queues.list() if each.name == name]
    return found


# -- throttles -----------------------------------------------------------------------------------
def test_what_code_declared_is_listed(client: lh.Client) -> None:
    client.enqueue(visit, "a.com")
    domain, openai = throttle(client, "domain"), throttle(client, "openai")
    assert (domain.running_limit, domain.rate, domain.set_by) == (2, None, None)
    assert (openai.running_limit, openai.rate, openai.burst) == (None, 1.0, 10.0)


def test_a_limit_counts_from_the_next_claim_on(client: lh.Client) -> None:
    client.enqueue_many(visit.call("a.com") for _ in range(5))
    assert len(take(client)) == 2
    client.throttles.set("domain", running=4, by="ops")
    assert len(take(client)) == 2
    assert throttle(client, "domain").set_by == "ops"


def test_a_key_may_have_limits_of_its_own_until_it_is_reset(client: lh.Client) -> None:
    client.enqueue_many(visit.call(host) for host in ("a.com", "b.com") for _ in range(5))
    client.throttles.set("domain:a.com", running=1)
    assert (len(take(client)), len(take(client, "b.com"))) == (1, 2)
    assert client.throttles.reset("domain:a.com")
    assert not client.throttles.reset("domain:a.com")
    assert len(take(client)) == 1


def test_what_is_not_named_stays_and_none_takes_away(client: lh.Client) -> None:
    client.throttles.set("domain", per_worker=1, rate=30, per="1m")
    info = throttle(client, "domain")
    assert (info.running_limit, info.per_worker, info.rate, info.burst) == (2, 1, 0.5, 30.0)
    client.throttles.set("domain", running=None, rate=None)
    info = throttle(client, "domain")
    assert (info.running_limit, info.per_worker, info.rate, info.burst) == (None, 1, None, None)


def test_a_rule_keeps_one_limit_at_least(client: lh.Client) -> None:
    for name in ("domain", "nobody"):
        with pytest.raises(lh.BadOption, match=f"throttle '{name}' would have no limit left"):
            client.throttles.set(name, running=None)
    client.throttles.set("domain", running=None, per_worker=1)
    client.throttles.set("domain:a.com", running=None)
    with pytest.raises(lh.BadOption, match="would have no limit left"):
        client.throttles.set("domain", per_worker=None)


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({}, "throttle 'domain': say which limit is to change"),
        ({"burst": 5}, "burst needs a rate"),
        ({"running": 2, "burst": 5}, "burst needs a rate"),
        ({"running": -1}, "running: -1 is not a whole number from 0 on"),
        ({"rate": 0}, "rate: 0 is not a number over 0"),
        ({"rate": 5, "per": 0}, "per: must be longer than 0"),
    ],
)
def test_limits_that_can_not_be_meant_change_nothing(
    client: lh.Client, limits: dict[str, Any], reason: str
) -> None:
    before = client.throttles.list()
    with pytest.raises(lh.BadOption) as caught:
        client.throttles.set("domain", **limits)
    assert reason in str(caught.value)
    assert client.throttles.list() == before


def test_a_paused_key_starts_nothing_until_it_is_resumed(client: lh.Client) -> None:
    client.enqueue(visit, "a.com")
    client.throttles.pause("domain:a.com", reason="429", by="ops")
    assert take(client) == []
    info = throttle(client, "domain:a.com")
    assert (info.pause_reason, info.paused_by) == ("429", "ops")
    assert client.throttles.resume("domain:a.com")
    assert not client.throttles.resume("domain:a.com")
    assert len(take(client)) == 1


@pytest.mark.parametrize("until", ["1h", timedelta(hours=1), datetime.now(UTC) + timedelta(days=1)])
def test_a_pause_ends_by_itself(client: lh.Client, until: Any) -> None:
    client.enqueue(visit, "a.com")
    client.throttles.pause("domain", until=until)
    assert take(client) == []
    client.store.skew_seconds += 2 * 86_400
    assert len(take(client)) == 1


def test_a_refill_forgets_what_was_spent(client: lh.Client) -> None:
    assert not client.throttles.refill("openai")
    client.enqueue_many(visit.with_options(throttle=OPENAI).call("a.com") for _ in range(30))
    ask = Ask(place_of("openai", share="ada"), 99)
    for _ in range(2):
        taken = client.store.claim_lanes(WORKER, [ask], limit=99, leases=LEASES).claims
        assert len(taken) == 10
        assert client.throttles.refill("openai")


@pytest.mark.parametrize("verb", ["reset", "pause", "resume", "refill"])
@pytest.mark.parametrize("name", ["", "a\x1fb", "x" * 201, 7])
def test_a_throttles_name_is_checked(client: lh.Client, verb: str, name: Any) -> None:
    with pytest.raises(lh.BadOption, match="throttle: "):
        getattr(client.throttles, verb)(name)
    with pytest.raises(lh.BadOption, match="throttle: "):
        client.throttles.set(name, running=1)


# -- shares --------------------------------------------------------------------------------------
def test_a_share_is_listed_with_its_weight_and_what_waits(client: lh.Client) -> None:
    client.enqueue_many([visit.call("a.com", "ada"), visit.call("b.com", "ada")])
    client.shares.set("bob", weight=3, by="ops")
    found = {each.name: each for each in client.shares.list()}
    assert (found["ada"].weight, found["ada"].waiting) == (1, 2)
    assert (found["bob"].weight, found["bob"].waiting, found["bob"].set_by) == (3, 0, "ops")


@pytest.mark.parametrize("weight", [0, -1, 1_001, 1.5, True, "3", None])
def test_a_weight_is_a_whole_number_from_1_to_1000(client: lh.Client, weight: Any) -> None:
    with pytest.raises(lh.BadOption, match="is not a whole number from 1 to 1000"):
        client.shares.set("ada", weight=weight)
    with pytest.raises(lh.BadOption, match="share: '' is not a name"):
        client.shares.set("", weight=1)


# -- queues --------------------------------------------------------------------------------------
def test_a_paused_queue_gives_nothing_and_takes_enqueues(client: lh.Client) -> None:
    plain = visit.with_options(throttle=None, share=None)
    client.queues.pause("default", until="1h", reason="down", by="ops")
    client.enqueue(plain, "a.com")
    client.enqueue(visit, "a.com")

    def claim() -> list[Claim]:
        return client.store.claim(WORKER, [Want("default", 9)], limit=9, leases=LEASES)

    assert (claim(), take(client)) == ([], [])
    info = queue(client, "default")
    assert (info.pause_reason, info.paused_by) == ("down", "ops")
    assert client.queues.resume("default")
    assert not client.queues.resume("default")
    assert (len(claim()), len(take(client))) == (1, 1)


def test_aging_is_set_and_taken_away(client: lh.Client) -> None:
    client.queues.set("mail", aging="10m")
    assert queue(client, "mail").aging_seconds == 600
    client.queues.set("mail", aging=None)
    assert all(each.aging_seconds is None for each in client.queues.list())
    with pytest.raises(lh.BadOption, match="aging: must be longer than 0"):
        client.queues.set("mail", aging=0)


def test_drain_pauses_and_says_how_many_still_run(client: lh.Client) -> None:
    client.enqueue(visit, "a.com")
    (taken,) = take(client)
    assert client.queues.drain("default", timeout=0, by="ops") == 1
    assert queue(client, "default").paused_by == "ops"
    finish(client, taken)
    assert client.queues.drain("default", timeout="1m") == 0


def test_drain_returns_when_the_last_job_has_ended(
    client: lh.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.enqueue(visit, "a.com")
    (taken,) = take(client)
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        finish(client, taken)

    clock = SimpleNamespace(monotonic=time.monotonic, sleep=wait)
    monkeypatch.setattr("leasehold.control.time", clock)
    assert client.queues.drain("default", timeout="1m") == 0
    assert waits == [DRAIN_LOOK_SECONDS]


def test_a_limit_is_set_shown_and_taken_away(client: lh.Client) -> None:
    client.queues.limit("mail", running=3, by="ada")
    (shown,) = client.queues.list()
    assert (shown.name, shown.running_limit, shown.limited_by) == ("mail", 3, "ada")
    assert client.queues.unlimit("mail")
    assert not client.queues.unlimit("mail")
    for running in (-1, True, 1.5, None, 10**9):
        with pytest.raises(lh.BadOption, match="running"):
            client.queues.limit("mail", running=running)  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", ["pause", "resume", "drain"])
def test_a_queues_name_is_checked(client: lh.Client, verb: str) -> None:
    with pytest.raises(lh.BadOption, match="queue: '' is not a name"):
        getattr(client.queues, verb)("")


def finish(client: lh.Client, taken: Claim) -> None:
    settlement = Settlement(job_id=taken.job_id, fence=taken.fence, outcome="succeeded")
    client.store.finish(WORKER, [settlement])


# -- jobs that are blocked -----------------------------------------------------------------------
def test_a_blocked_job_shows_as_such_and_obeys_every_verb(client: lh.Client) -> None:
    job_id = client.enqueue(visit.with_options(cost=2), "a.com").id
    job = client.get(job_id)
    assert (job.state, job.lane, job.share, job.cost) == (
        State.BLOCKED,
        "domain:a.com",
        "ada",
        2.0,
    )
    assert [each.id for each in client.find(state="blocked")] == [job_id]
    assert client.reprioritise(job_id, 5) is State.BLOCKED
    assert client.cancel(job_id) is State.CANCELLED
    assert client.retry(job_id) is State.BLOCKED
    client.delete(job_id)
    assert client.find() == []


def test_a_job_with_a_share_only_shows_as_queued(client: lh.Client) -> None:
    job_id = client.enqueue(visit.with_options(throttle=None), "a.com").id
    assert client.get(job_id).state is State.QUEUED
    assert client.find(state="blocked") == []
    assert [job.id for job in client.find(state="queued")] == [job_id]


# -- async ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("blocking", "awaited"),
    [(Throttles, AsyncThrottles), (Shares, AsyncShares), (Queues, AsyncQueues)],
)
def test_every_verb_is_there_awaited_with_the_same_arguments(blocking: type, awaited: type) -> None:
    def verbs(kind: type) -> dict[str, inspect.Signature]:
        found = vars(kind).items()
        return {name: inspect.signature(verb) for name, verb in found if not name.startswith("_")}

    assert verbs(blocking) == verbs(awaited)
    assert all(inspect.iscoroutinefunction(getattr(awaited, name)) for name in verbs(awaited))


def test_the_async_client_has_the_same_verbs(client: lh.Client, aclient: lh.AsyncClient) -> None:
    async def scenario() -> None:
        await aclient.enqueue(visit, "a.com")
        await aclient.throttles.set("domain", running=4, by="ops")
        await aclient.throttles.pause("domain:a.com", until="1h", reason="429")
        assert {each.name for each in await aclient.throttles.list()} == {
            "domain",
            "domain:a.com",
            "openai",
        }
        assert await aclient.throttles.resume("domain:a.com")
        assert await aclient.throttles.reset("domain")
        assert not await aclient.throttles.refill("domain:a.com")
        await aclient.shares.set("ada", weight=2)
        assert [(each.name, each.weight) for each in await aclient.shares.list()] == [("ada", 2)]
        await aclient.queues.set("default", aging="10m")
        await aclient.queues.limit("default", running=3)
        assert await aclient.queues.unlimit("default")
        await aclient.queues.pause("default", until="1h")
        assert await aclient.queues.resume("default")
        assert await aclient.queues.drain("default", by="ops") == 0
        (info,) = await aclient.queues.list()
        assert (info.aging_seconds, info.paused_by) == (600, "ops")
        with pytest.raises(lh.BadOption):
            await aclient.throttles.set("domain")

    asyncio.run(scenario())


def test_an_awaited_drain_waits_and_can_be_cancelled(
    client: lh.Client, aclient: lh.AsyncClient
) -> None:
    client.enqueue(visit, "a.com")
    (taken,) = take(client)

    async def scenario() -> None:
        assert await aclient.queues.drain("default", timeout=0) == 1
        waiting = asyncio.create_task(aclient.queues.drain("default", timeout="1h"))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        running, _ = await asyncio.gather(
            aclient.queues.drain("default", timeout="1m"),
            asyncio.to_thread(finish, client, taken),
        )
        assert running == 0

    asyncio.run(scenario())


def test_a_rule_given_by_code_is_not_undone_by_another_start(client: lh.Client) -> None:
    client.throttles.set("domain", running=9, by="ops")
    worker = WorkerInfo(id=WorkerId(8), name="w", queues=(), kinds=(), slots=1, version="1")
    client.store.register(worker, [], [Rule(name="domain", running=2)])
    assert throttle(client, "domain").running_limit == 9
    client.throttles.reset("domain")
    client.store.register(worker, [], [Rule(name="domain", running=2)])
    assert throttle(client, "domain").running_limit == 2
