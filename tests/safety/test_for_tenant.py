"""`client.for_tenant(t)`: a client that is one tenant's, and does for it what a client does."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import leasehold as lh
from leasehold.model.states import State
from tests.conformance.kit import WORKER, claim, settle, take_lanes
from tests.safety.scene import ACME, GLOBEX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store

KIND = "tenants.greet"


@lh.task(name=KIND)
def greet(name: str = "Ada") -> str:
    return f"Hello {name}"


@lh.task(name="tenants.shared", share=lh.TENANT)
def shared() -> None: ...


@lh.task(name="tenants.after")
def after(ended: lh.JobEnded) -> None: ...


@lh.task(name="tenants.batch_done")
def batch_done(ended: lh.BatchEnded) -> None: ...


@pytest.fixture
def client(store: Store) -> Iterator[lh.Client]:
    with lh.Client(store=store) as client:
        yield client


@pytest.fixture
def door(tenants_store: Store) -> Iterator[lh.Client]:
    """The client that tenants' clients are made of."""
    with lh.Client(store=tenants_store) as client:
        yield client


@pytest.fixture
def acme(door: lh.Client) -> lh.Client:  # a client here, not a store
    return door.for_tenant(ACME)


@pytest.fixture
def globex(door: lh.Client) -> lh.Client:
    return door.for_tenant(GLOBEX)


def run(client: lh.Client, kind: str = KIND, **ending: Any) -> None:
    """Run all jobs of a kind, as a worker would."""
    store = client.store
    for taken in [*claim(store, kinds=[kind]), *take_lanes(store, kinds=[kind])]:
        settle(store, taken, **({"outcome": "succeeded"} | ending))
        store.follow_up([taken.job_id])


def test_each_tenant_has_what_it_enqueued(
    client: lh.Client, acme: lh.Client, globex: lh.Client
) -> None:
    mine, other = acme.enqueue(greet, "Ada"), globex.enqueue(greet, "Bob")
    assert [job.id for job in acme.find()] == [mine.id]
    assert [job.id for job in globex.each()] == [other.id]
    assert acme.get(mine.id).tenant == ACME
    assert len(client.find()) == 2
    assert [each.ready for each in acme.counts()] == [1]
    assert (client.tenant, acme.tenant) == (None, ACME)


def test_a_job_of_another_tenant_is_not_there(acme: lh.Client, globex: lh.Client) -> None:
    other = globex.enqueue(greet).id
    for verb in (acme.get, acme.history, acme.why, acme.cancel, acme.retry, acme.steps, acme.wait):
        with pytest.raises(lh.JobNotFound):
            verb(other)
    acme.delete(other)  # as if it were gone already
    assert globex.get(other).state is State.QUEUED


def test_the_same_key_is_another_key_for_each_tenant(acme: lh.Client, globex: lh.Client) -> None:
    keyed = greet.with_options(key="order-1")
    mine, other = acme.enqueue(keyed), globex.enqueue(keyed)
    assert mine.is_new
    assert other.is_new
    assert not acme.enqueue(keyed).is_new
    assert [job.id for job in acme.find(key="order-1")] == [mine.id]
    held = acme.key("order-1")
    assert held is not None
    assert held.holder == mine.id


def test_a_share_by_tenant_is_that_of_the_clients_tenant(
    acme: lh.Client, globex: lh.Client
) -> None:
    assert acme.get(acme.enqueue(shared).id).share == ACME
    assert globex.get(globex.enqueue(shared).id).share == GLOBEX


def test_callbacks_are_the_tenants_own(client: lh.Client, acme: lh.Client) -> None:
    acme.enqueue(greet.with_options(on_end=after))
    with acme.batches.create(on_end=batch_done) as batch:
        batch.add(greet)
    run(client)
    made = {job.kind: job.tenant for job in client.find()}
    assert made == {KIND: ACME, "tenants.after": ACME, "tenants.batch_done": ACME}
    assert acme.batches.get(batch.id).status is lh.BatchStatus.ENDED


def test_a_callback_for_another_tenant_is_refused(acme: lh.Client) -> None:
    foreign = after.with_options(tenant=GLOBEX)
    with pytest.raises(lh.ForeignTenant):
        acme.enqueue(greet.with_options(on_end=foreign))
    with pytest.raises(lh.ForeignTenant):
        acme.batches.create(on_end=batch_done.with_options(tenant=GLOBEX))


def test_a_batch_of_another_tenant_can_be_neither_seen_nor_joined(
    acme: lh.Client, globex: lh.Client
) -> None:
    other = globex.batches.create()
    other.add(greet)
    with pytest.raises(lh.BatchNotFound):
        acme.batches.get(other.id)
    for verb in (acme.batches.seal, acme.batches.cancel, acme.batches.retry_failed):
        with pytest.raises(lh.BatchNotFound):
            verb(other.id)
    with pytest.raises(lh.BatchNotFound):
        acme.batches.batch(other.id).add(greet)
    with pytest.raises(lh.IdConflict):
        acme.batches.create(id=other.id)
    assert acme.batches.list() == []
    assert other.info().status is lh.BatchStatus.OPEN


def test_a_workflow_is_the_tenants(acme: lh.Client, globex: lh.Client) -> None:
    flow = lh.Workflow("letters")
    first = flow.add(greet.call("Ada"), name="first")
    flow.add(greet.call("Bob"), after=first, name="second")
    started = acme.start(flow)
    assert {job.tenant for job in acme.find()} == {ACME}
    assert started.batch is not None
    assert "first" in acme.draw(started)
    with pytest.raises(lh.BatchNotFound):
        globex.draw(started.batch)


def test_a_job_can_wait_for_its_tenants_jobs_only(acme: lh.Client, globex: lh.Client) -> None:
    mine, other = acme.enqueue(greet), globex.enqueue(greet)
    waiting = acme.enqueue(greet.with_options(after=mine))
    assert acme.get(waiting.id).state is State.BLOCKED
    with pytest.raises(lh.JobNotFound):
        acme.enqueue(greet.with_options(after=other))


def test_an_id_of_another_tenant_is_a_conflict_that_reveals_nothing(
    acme: lh.Client, globex: lh.Client
) -> None:
    other = globex.enqueue(greet)
    with pytest.raises(lh.IdConflict) as foreign:
        acme.enqueue(greet.with_options(id=other.id))
    own = acme.enqueue(greet, "Bob")
    with pytest.raises(lh.IdConflict) as mine:
        acme.enqueue(greet.with_options(id=own.id))
    words = {str(error.value).rpartition(":")[0] for error in (foreign, mine)}
    assert len(words) == 1
    assert not acme.enqueue(greet.with_options(id=own.id), "Bob").is_new


def test_schedules_of_the_same_name_are_each_tenants_own(
    client: lh.Client, acme: lh.Client, globex: lh.Client
) -> None:
    acme.schedules.set("nightly", "@daily", greet.call("Ada"))
    globex.schedules.set("nightly", "@hourly", greet.call("Bob"))
    assert [each.rule for each in acme.schedules.list()] == ["@daily"]
    assert acme.schedules.pause("nightly")
    assert acme.schedules.resume("nightly")
    acme.schedules.change("nightly", rule="@weekly")
    made = acme.schedules.run_now("nightly")
    assert client.get(made).tenant == ACME
    assert acme.schedules.delete("nightly")
    assert [each.tenant for each in client.schedules.list()] == [GLOBEX]


def test_bulk_verbs_meet_only_the_tenants_jobs(acme: lh.Client, globex: lh.Client) -> None:
    acme.enqueue_many(greet.call() for _ in range(3))
    globex.enqueue_many(greet.call() for _ in range(4))
    assert acme.cancel_many().changed == 3
    assert acme.retry_many().changed == 3
    assert acme.delete_many(kind=KIND).changed == 3
    assert [job.state for job in globex.find()] == [State.QUEUED] * 4


def test_a_page_does_not_name_jobs_of_others(acme: lh.Client, globex: lh.Client) -> None:
    globex.enqueue_many(greet.call() for _ in range(10))
    floor = acme.store.floor(lh_filter(), before=None, count=2)
    assert floor not in {job.id for job in globex.find()}
    assert acme.page(kind=KIND).jobs == []


def lh_filter() -> Any:
    from leasehold.model.values import Filter

    return Filter(state=State.QUEUED)


def test_results_are_waited_for_by_their_tenant(
    client: lh.Client, acme: lh.Client, globex: lh.Client
) -> None:
    mine = acme.enqueue(greet)
    run(client, result=_raw('"Hello Ada"'))
    assert acme.wait(mine, "10s") == "Hello Ada"
    with pytest.raises(lh.JobNotFound):
        globex.wait(mine, "10s")


def _raw(text: str) -> Any:
    import msgspec

    return msgspec.Raw(text.encode())


def test_why_says_nothing_of_other_tenants(
    way: str, client: lh.Client, acme: lh.Client, globex: lh.Client
) -> None:
    client.throttles.set("domain", running=1, by="root")
    throttled = greet.with_options(throttle=lh.Throttle("domain", running=1).key("a.com"))
    other = globex.enqueue(throttled)
    take_lanes(client.store, kinds=[KIND])
    waiting = acme.enqueue(throttled).id
    if way == "app":  # who logs in as tenants do may not read about the fleet and the throttles
        with pytest.raises(lh.NotForTenants):
            acme.why(waiting)
        return
    said = acme.why(waiting)
    assert lh.Reason.THROTTLED in {cause.reason for cause in said.also}
    assert str(other.id) not in repr(said)
    client.queues.pause("default", by="root", reason="moving house")
    assert "root" not in repr(acme.why(acme.enqueue(greet).id))


@pytest.mark.parametrize(
    "verb",
    [
        lambda client: client.workers(),
        lambda client: client.queues.pause("default"),
        lambda client: client.queues.list(),
        lambda client: client.throttles.set("domain", running=2),
        lambda client: client.throttles.pause("domain:a.com"),
        lambda client: client.throttles.resume("domain"),
        lambda client: client.throttles.reset("domain"),
        lambda client: client.throttles.refill("@site"),
        lambda client: client.throttles.set("@site", rate=9),
        lambda client: client.throttles.set("@site:a.com", per_worker=None),
        lambda client: client.shares.set("a", weight=2),
        lambda client: client.retention.list(),
        lambda client: client.prune(),
        lambda client: client.stats.overview(),
        lambda client: client.stats.failures(),
        lambda client: client.alerts.list(),
        lambda client: client.store.migrate(),
        lambda client: client.enqueue_by_name(KIND, {}, throttle="domain:a.com"),
        lambda client: client.enqueue_by_name(KIND, {}, share="b"),
        lambda client: client.enqueue_by_name(KIND, {}, timeout=5),
        lambda client: client.schedules.set("s", "@daily", KIND, options={"cost": 9}),
    ],
)
def test_what_concerns_all_is_not_for_tenants(acme: lh.Client, verb: Any) -> None:
    with pytest.raises(lh.NotForTenants):
        verb(acme)


def test_a_tenants_client_can_not_become_another_ones(acme: lh.Client) -> None:
    assert acme.for_tenant(ACME) is acme
    with pytest.raises(lh.ForeignTenant):
        acme.for_tenant(GLOBEX)
    with pytest.raises(lh.ForeignTenant):
        acme.enqueue(greet.with_options(tenant=GLOBEX))
    with pytest.raises(lh.BadOption):
        lh.Client("sqlite:///unused.db").for_tenant("")


def test_closing_a_tenants_client_leaves_the_store_open(acme: lh.Client, globex: lh.Client) -> None:
    acme.close()
    globex.enqueue(greet)
    assert len(globex.find()) == 1


def test_a_caller_enqueues_for_its_tenant_in_its_own_transaction(
    door: lh.Client, acme: lh.Client, globex: lh.Client
) -> None:
    other, store_url = globex.enqueue(greet), door.store.url
    if store_url.startswith("sqlite"):
        connection: Any = sqlite3.connect(store_url.removeprefix("sqlite:///"))
    else:
        connection = psycopg.connect(store_url)
    try:
        bound = acme.on(connection)
        first = bound.enqueue(greet)
        second = bound.enqueue(greet.with_options(after=first))  # which nobody else sees yet
        with pytest.raises(lh.JobNotFound):
            bound.enqueue(greet.with_options(after=other))
        with pytest.raises(lh.NotForTenants):
            bound.enqueue_by_name(KIND, {}, share="b")
        connection.commit()
    finally:
        connection.close()
    assert {job.id for job in acme.find()} == {first.id, second.id}


def test_the_async_client_is_the_same(tenants_store: Store) -> None:
    async def main() -> None:
        async with lh.AsyncClient(store=tenants_store) as client:
            acme = client.for_tenant(ACME)
            assert acme.tenant == ACME
            mine = await acme.enqueue(greet)
            assert [job.id for job in await acme.find()] == [mine.id]
            assert await client.for_tenant(GLOBEX).find() == []
            with pytest.raises(lh.NotForTenants):
                await acme.workers()
            with pytest.raises(lh.NotForTenants):
                await acme.enqueue_by_name(KIND, {}, cost=3)

    asyncio.run(main())


def test_a_worker_can_not_be_one_tenants(acme: lh.Client) -> None:
    with pytest.raises(lh.NotForTenants):
        acme.store.claim(WORKER, [], limit=1, leases={})
