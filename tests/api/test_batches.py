"""`client.batches` and `on_end`: the verbs, what they refuse, and callers' transactions."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg
import pytest

import leasehold as lh
from leasehold.async_batches import AsyncBatch, AsyncBatches
from leasehold.batches import Batch, Batches
from leasehold.model.batches import BatchStatus
from leasehold.model.ids import derive_id
from tests.api.conftest import empty
from tests.api.connections import KINDS, PAIRS, Handle
from tests.api.tasks import greet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@lh.task(name="report", queue="reports")
def report(ended: lh.BatchEnded) -> None: ...


@lh.task(name="note")
def note(ended: lh.JobEnded, *, loud: bool = False) -> None: ...


@pytest.fixture
def aclient(store_url: str) -> Iterator[lh.AsyncClient]:
    opened = lh.AsyncClient(store_url)
    yield opened
    asyncio.run(opened.close())


# -- the verbs -------------------------------------------------------------------------------------
def test_a_batch_is_filled_sealed_and_looked_at(client: lh.Client) -> None:
    with client.batches.create(name="sync", meta={"app": "shop"}, created_by="Ada") as batch:
        job = batch.add(greet, "a")
        assert batch.add_many(greet.call(f"{number}") for number in range(3)) == 3
        client.enqueue(greet.with_options(batch=batch.id), "b")
        assert batch.info().status is BatchStatus.OPEN
    info = client.batches.get(batch.id)
    assert (info.name, info.meta, info.created_by) == ("sync", {"app": "shop"}, "Ada")
    assert (info.status, info.counts.total, info.progress) == (BatchStatus.SEALED, 5, 0.0)
    assert client.get(job.id).batch == batch.id
    assert len(client.find(batch=batch.id)) == 5
    with pytest.raises(lh.BatchSealed):
        batch.add(greet, "late")


def test_batches_are_listed_by_page(client: lh.Client) -> None:
    made = [client.batches.create(name=f"n{number}").id for number in range(3)]
    client.batches.seal(made[0])
    newest, *rest = client.batches.list()
    assert newest.id == max(made)
    assert [each.id for each in client.batches.list(before=newest.id, limit=1)] == [rest[0].id]
    assert [each.id for each in client.batches.list(status="ended")] == [made[0]]
    assert [each.id for each in client.batches.list(name="n1", tenant="")] == [made[1]]
    with pytest.raises(lh.BadOption, match="not one of open, sealed"):
        client.batches.list(status="done")
    with pytest.raises(lh.BadOption, match="limit"):
        client.batches.list(limit=0)


@pytest.mark.parametrize("verb", ["get", "seal", "cancel", "retry_failed"])
def test_an_unknown_batch_is_not_found(client: lh.Client, verb: str) -> None:
    unknown = uuid4()
    with pytest.raises(lh.BatchNotFound) as caught:
        getattr(client.batches, verb)(unknown)
    assert caught.value.batch_id == unknown
    with pytest.raises(lh.BadOption, match="not a UUID"):
        getattr(client.batches, verb)("seven")


def test_a_batch_made_elsewhere_is_added_to(client: lh.Client) -> None:
    batch = client.batches.create(tenant="acme")
    other = client.batches.batch(str(batch.id), tenant="acme")
    assert client.get(other.add(greet, "a").id).tenant == "acme"
    assert other.add_many([greet.call("b")]) == 1
    assert {job.tenant for job in client.find(batch=batch.id)} == {"acme"}


def test_a_batch_cancels_its_members_and_those_of_nested_ones(client: lh.Client) -> None:
    batch = client.batches.create()
    batch.add_many(greet.call("x") for _ in range(1_100))  # more than one step
    nested = batch.nest(name="inner")
    nested.add(greet, "y")
    info = batch.cancel(by="Ada")
    assert (info.status, info.counts.cancelled) == (BatchStatus.CANCELLED, 1_100)
    assert nested.info().status is BatchStatus.CANCELLED
    assert batch.cancel() == batch.info()
    ended = client.batches.seal(client.batches.create().id)
    assert client.batches.cancel(ended.id).status is BatchStatus.ENDED


def test_cancelled_members_are_retried(client: lh.Client) -> None:
    batch = client.batches.create()
    job = batch.add(greet, "x")
    batch.cancel()
    info = batch.retry_failed()
    assert (info.status, info.round, info.counts.queued) == (BatchStatus.SEALED, 2, 1)
    assert client.get(job.id).state is lh.State.QUEUED


def test_members_of_an_open_batch_are_retried_in_place(client: lh.Client) -> None:
    batch = client.batches.create()
    job = batch.add(greet, "x")
    client.cancel(job.id)
    info = batch.retry_failed()
    assert (info.status, info.round, info.counts.queued) == (BatchStatus.OPEN, 1, 1)


def test_cancelling_the_last_member_ends_its_batch(client: lh.Client) -> None:
    with client.batches.create(on_end=report) as batch:
        first, second = batch.add(greet, "a"), batch.add(greet, "b")
    client.cancel(first.id)
    assert batch.info().status is BatchStatus.SEALED
    client.cancel_many(batch=batch.id)
    assert batch.info().status is BatchStatus.ENDED
    assert client.get(derive_id(batch.id, "end:1")).queue == "reports"
    assert client.get(second.id).state is lh.State.CANCELLED


# -- callbacks -------------------------------------------------------------------------------------
def test_on_end_is_an_option_of_a_task_and_of_a_job(client: lh.Client) -> None:
    @lh.task(name="always", on_end=note.with_options(queue="notes", priority=5))
    def always() -> None: ...

    jobs = [
        client.enqueue(always),
        client.enqueue(greet.with_options(on_end=note, tenant="acme"), "x"),
        client.enqueue_by_name("greet", {"name": "y"}, on_end=note),
    ]
    assert client.enqueue_many([always.call()]) == 1
    for job in jobs:
        client.cancel(job.id)
    first, second, third = (client.get(derive_id(job.id, "end:1")) for job in jobs)
    assert (first.kind, first.queue, first.priority) == ("note", "notes", 5)
    assert (second.tenant, third.tenant) == ("acme", "")
    assert second.args["ended"]["state"] == "cancelled"
    client.enqueue(always.with_options(on_end=None))


@pytest.mark.parametrize(
    ("callback", "reason"),
    [
        (lambda: greet, "must take one argument, 'ended'"),
        (lambda: "report", "is not a task"),
        (lambda: report.with_options(key="k"), "can't have a key"),
        (lambda: report.with_options(batch=uuid4()), "can't have a batch"),
        (lambda: report.with_options(id=uuid4()), "can't have an id"),
        (lambda: report.with_options(after=uuid4()), "can't have jobs to wait for"),
        (lambda: report.with_options(share=lh.by("ended")), "can't have a share made of arg"),
    ],
)
def test_what_can_not_be_a_callback_is_refused_where_it_is_said(
    client: lh.Client, callback: Callable[[], Any], reason: str
) -> None:
    with pytest.raises(lh.BadOption, match=reason):
        client.batches.create(on_end=callback())
    with pytest.raises(lh.BadOption, match=reason):
        client.batches.create(on_failure=callback())
    with pytest.raises(lh.BadOption, match=reason):
        greet.with_options(on_end=callback())


@pytest.mark.parametrize("meta", [{"a": float("nan")}, {"a": "\0"}, [1], {"a": "x" * 300_000}])
def test_meta_that_can_not_be_stored_is_refused(client: lh.Client, meta: Any) -> None:
    with pytest.raises(lh.BadOption, match="meta"):
        client.batches.create(meta=meta)


# -- awaited ---------------------------------------------------------------------------------------
def test_the_async_client_has_the_same_verbs() -> None:
    def verbs(kind: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}

    assert verbs(Batches) - verbs(AsyncBatches) == {"joined_on"}
    assert verbs(Batch) - verbs(AsyncBatch) == {"on"}


def test_a_batch_is_filled_and_sealed_awaited(aclient: lh.AsyncClient) -> None:
    async def run() -> None:
        async with await aclient.batches.create(name="a", on_end=report) as batch:
            await batch.add(greet, "x")
            await batch.add_many([greet.call("y")])
            nested = await batch.nest(name="inner")
            await nested.seal()
        info = await aclient.batches.get(batch.id)
        assert (info.status, info.counts.total) == (BatchStatus.SEALED, 2)
        assert [each.name for each in await aclient.batches.list()] == ["inner", "a"]
        assert (await aclient.batches.batch(batch.id).cancel(by="Ada")).counts.cancelled == 2
        assert (await batch.retry_failed()).round == 2
        assert (await aclient.batches.seal(batch.id)).counts.queued == 2
        assert (await batch.info()).name == "a"

    asyncio.run(run())


# -- in a caller's transaction ---------------------------------------------------------------------
@pytest.fixture(params=PAIRS, ids=lambda pair: f"{pair[0]}-on-{pair[1]}")
def handle(request: pytest.FixtureRequest) -> Iterator[tuple[Handle, str]]:
    kind, backend = request.param
    url = empty(request.getfixturevalue(f"api_{backend}_url"))
    with KINDS[kind][0](url) as opened:
        yield opened, url


@pytest.mark.parametrize("error", [lh.BatchNotFound, lh.BatchSealed])
def test_a_batch_that_refuses_says_so_on_any_connection(
    handle: tuple[Handle, str], error: Any
) -> None:
    opened, url = handle
    with lh.Client(url) as other:
        sealed = other.batches.create()
        sealed.add(greet, "x")
        sealed.seal()
    batch = sealed.id if error is lh.BatchSealed else uuid4()
    caller_client = opened.client(url)
    caller = caller_client.on(opened.target)
    with pytest.raises(error) as caught:
        opened.call(caller.enqueue(greet.with_options(batch=batch), "x"))
    assert caught.value.batch_id == batch
    opened.rollback()
    opened.call(caller_client.close())


def test_what_is_added_in_a_transaction_that_is_rolled_back_was_never_there(
    client: lh.Client, store_url: str
) -> None:
    if store_url.startswith("sqlite"):
        import sqlite3

        connection: Any = sqlite3.connect(store_url.removeprefix("sqlite:///"))
    else:
        connection = psycopg.connect(store_url)
    batch = client.batches.create()
    joined = batch.on(connection)
    joined.add(greet, "a")
    connection.rollback()
    joined.add(greet, "b")
    connection.commit()
    connection.close()
    assert batch.seal().counts.total == 1
    assert client.find(batch=batch.id)[0].args == {"name": "b"}


def test_sql_makes_a_batch_and_seals_it(client: lh.Client, store_url: str) -> None:
    if store_url.startswith("sqlite"):
        return  # SQL is an API on PostgreSQL
    with psycopg.connect(store_url, autocommit=True) as connection:

        def call(statement: str, *values: object) -> Any:
            row = connection.execute(statement.encode(), values).fetchone()
            return None if row is None else row[0]

        parent = call("SELECT leasehold.create_batch('{}')")
        made = call(
            "SELECT leasehold.create_batch(%s::jsonb)",
            f'{{"name": "sync", "parent": "{parent}", "on_end": {{"kind": "report"}}}}',
        )
        assert call("SELECT leasehold.seal_batch(%s)", made) == "sealed"
        assert client.batches.get(made).parent == parent
        client.store.sweep(after=None, limit=10, is_thorough=False)
        assert call("SELECT status FROM leasehold.batches WHERE id = %s", made) == "ended"
        assert client.get(derive_id(made, "end:1")).kind == "report"
        with pytest.raises(psycopg.Error, match='with a "kind"'):
            call("SELECT leasehold.create_batch('{\"on_end\": {}}')")


def test_sql_adds_to_a_batch_and_calls_back(client: lh.Client, store_url: str) -> None:
    if store_url.startswith("sqlite"):
        return  # SQL is an API on PostgreSQL
    batch = client.batches.create()
    with psycopg.connect(store_url) as connection:
        (job_id,) = connection.execute(
            "SELECT leasehold.enqueue('greet', '{\"name\": \"x\"}', batch => %s,"
            ' on_end => \'{"kind": "note"}\')',
            (batch.id,),
        ).fetchone() or (None,)
    assert client.get(job_id).batch == batch.id
    client.cancel(job_id)
    assert client.get(derive_id(job_id, "end:1")).kind == "note"
    batch.seal()
    with (
        psycopg.connect(store_url) as connection,
        pytest.raises(psycopg.Error, match="ended") as caught,
    ):
        connection.execute("SELECT leasehold.enqueue('greet', batch => %s)", (batch.id,))
    assert caught.value.sqlstate == "LH005"
