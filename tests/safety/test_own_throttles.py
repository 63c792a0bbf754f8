"""A tenant and the throttles that it has for itself: what it sees, what it may say, what counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.model.values import TaskPolicy, WorkerInfo
from tests.conformance.kit import WORKER, take_lanes
from tests.safety.scene import ACME, GLOBEX

if TYPE_CHECKING:
    from leasehold.store.base import Store

KIND = "own.visit"
SITE = lh.Throttle("site", running=2, per_tenant=True)


@lh.task(name=KIND, throttle=SITE.by("host"))
def visit(host: str) -> None: ...


@pytest.fixture
def client(store: Store) -> lh.Client:
    """A client of all tenants; a worker has declared the throttle and the task."""
    info = WorkerInfo(id=WORKER, name="w", queues=(), kinds=(KIND,), slots=9, version="1")
    store.register(info, [visit.policy()], [SITE.rule])
    return lh.Client(store=store)


@pytest.fixture
def acme(client: lh.Client, tenants_store: Store) -> lh.Client:
    return lh.Client(store=tenants_store).for_tenant(ACME)


@pytest.fixture
def globex(client: lh.Client, tenants_store: Store) -> lh.Client:
    return lh.Client(store=tenants_store).for_tenant(GLOBEX)


def take(client: lh.Client) -> dict[str, int]:
    """Claim all that may start; says how many of whom."""
    return dict(Counter(each.tenant for each in take_lanes(client.store, kinds=[KIND])))


def test_two_tenants_with_one_key_run_side_by_side(
    client: lh.Client, acme: lh.Client, globex: lh.Client
) -> None:
    acme.enqueue_many(visit.call("a.com") for _ in range(3))
    globex.enqueue(visit, "a.com")
    globex.enqueue_by_name(KIND, {"host": "a.com"})  # as its task has it
    globex.schedules.set("s", "@daily", visit.call("a.com"))
    globex.schedules.run_now("s")
    assert {job.lane for job in client.find()} == {"@site:a.com"}
    assert take(client) == {ACME: 2, GLOBEX: 2}


@pytest.mark.parametrize(
    "host", [f"{GLOBEX}\x1ea.com", "\x1ea.com", f":{GLOBEX}\x1ea.com", f"x\x1f{GLOBEX}"]
)
def test_no_argument_makes_anothers_key(
    client: lh.Client, acme: lh.Client, globex: lh.Client, host: str
) -> None:
    globex.enqueue_many(visit.call("a.com") for _ in range(2))
    for ask in (lambda: acme.enqueue(visit, host), lambda: by_name(acme, host)):
        with pytest.raises(lh.LeaseholdError):
            ask()
    assert take(client) == {GLOBEX: 2}


def by_name(client: lh.Client, host: str) -> Any:
    return client.enqueue_by_name(KIND, {"host": host})


def test_a_tenant_makes_its_own_stricter_and_no_others(
    way: str, client: lh.Client, acme: lh.Client, globex: lh.Client
) -> None:
    acme.throttles.set("@site", running=1, by="ada")
    acme.throttles.pause("@site:b.com", reason="they asked us to", by="ada")
    for each in (acme, globex):
        each.enqueue_many(visit.call(host) for host in ("a.com", "b.com") for _ in range(3))
    assert take(client) == {ACME: 1, GLOBEX: 4}
    acme.throttles.set("@site", running=50)
    assert take(client) == {ACME: 1}
    assert acme.throttles.resume("@site:b.com")
    assert acme.throttles.reset("@site")
    assert not globex.throttles.reset("@site")
    assert take(client) == {ACME: 2}
    if way != "app":
        (row, *_) = acme.audit.list(action="throttle.pause")
        assert (row.subject, row.tenant, row.actor) == ("@site:b.com", ACME, "ada")
        assert globex.audit.list(action="throttle.pause") == []


def test_a_tenant_sees_its_own(
    way: str, client: lh.Client, acme: lh.Client, globex: lh.Client
) -> None:
    if way == "app":  # operators' limits are no rows of tenants', and this login reads no others
        with pytest.raises(lh.NotForTenants):
            acme.throttles.list()
        return
    client.throttles.set("@site", tenant=ACME, running=5, by="secret-operator")
    client.throttles.set("@site:a.com", tenant=GLOBEX, running=9)
    globex.throttles.pause("@site", reason="secret")
    globex.enqueue_many(visit.call("a.com") for _ in range(4))
    acme.throttles.set("@site", running=4)
    acme.enqueue(visit, "a.com")
    (seen,) = acme.throttles.list()
    assert (seen.name, seen.tenant, seen.waiting, seen.running) == ("@site", ACME, 1, 0)
    assert (seen.running_limit, seen.tenant_limit) == (5, 4)
    assert "secret" not in repr(acme.throttles.list())
    assert [each.tenant for each in client.throttles.list()] == [None, ACME, GLOBEX, GLOBEX]
    assert client.throttles.list(tenant=ACME) != globex.throttles.list()


def test_a_tenant_says_nothing_for_another(acme: lh.Client) -> None:
    for verb in (acme.throttles.pause, acme.throttles.resume, acme.throttles.reset):
        with pytest.raises(lh.ForeignTenant):
            verb("@site", tenant=GLOBEX)
    with pytest.raises(lh.ForeignTenant):
        acme.throttles.set("@site:a.com", tenant=GLOBEX, running=0)
    with pytest.raises(lh.ForeignTenant):
        acme.throttles.list(tenant=GLOBEX)


def test_operators_say_whose_they_mean(client: lh.Client) -> None:
    with pytest.raises(lh.BadOption, match="say whose"):
        client.throttles.set("@site:a.com", running=1)
    with pytest.raises(lh.BadOption, match="one for all tenants"):
        client.throttles.pause("domain:a.com", tenant=ACME)
    client.throttles.set("@site:a.com", tenant="", running=1)
    client.enqueue_many(visit.call("a.com") for _ in range(3))
    assert take(client) == {"": 1}
    (row, *_) = client.audit.list(action="throttle.set")
    assert (row.subject, row.tenant) == ("@site:a.com", "")


def test_in_a_shared_lane_a_tenant_does_not_learn_how_many_others_wait(
    way: str, client: lh.Client, acme: lh.Client, globex: lh.Client
) -> None:
    if way == "app":
        return
    shared = lh.task(name=KIND, throttle=lh.Throttle("all", running=1))(visit_shared)
    client.throttles.set("all", running=1)
    globex.enqueue_many(shared.call() for _ in range(37))
    waiting = acme.enqueue(shared)
    take(client)
    said = acme.why(waiting.id)
    told = " ".join([said.text, *(each.text for each in said.also)])
    assert "jobs of its lane stand before it" in told
    assert not any(number in told for number in ("1 job", "35", "36", "37"))
    facts = acme.store.facts(waiting.id)
    assert facts is not None
    assert facts.before == 1


def visit_shared() -> None: ...


def test_the_async_client_has_them_too(tenants_store: Store, way: str, client: lh.Client) -> None:
    async def main() -> None:
        async with lh.AsyncClient(store=tenants_store) as opened:
            acme = opened.for_tenant(ACME)
            await acme.throttles.pause("@site", by="ada")
            assert await acme.throttles.resume("@site")
            await acme.throttles.set("@site", running=1)
            assert await acme.throttles.reset("@site")
            if way != "app":
                assert [each.tenant for each in await acme.throttles.list()] == [ACME]

    asyncio.run(main())
    assert isinstance(visit.policy(), TaskPolicy)
