"""Jobs that wait for others as callers use them: options, results, SQL, their connections."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec
import psycopg
import pytest

import leasehold as lh
from leasehold import testing
from leasehold.errors import BadOption, BadResult, BadWorkflow, BatchNotFound, NoResult
from leasehold.model.needs import Needs
from leasehold.model.states import State
from tests.api.conftest import empty
from tests.api.connections import KINDS, PAIRS, Handle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.client import Client


class Page(msgspec.Struct):
    url: str
    words: int


seen: list[Any] = []


@lh.task(name="needs.fetch")
def fetch(url: str, words: int = 3) -> Page:
    if not words:
        raise lh.Dead("nothing there")
    return Page(url, words)


@lh.task(name="needs.count")
async def count(number: int) -> int:
    await asyncio.sleep(0)
    return number


@lh.task(name="needs.add_up")
def add_up() -> int:
    job = lh.current_job()
    return sum(page.words for page in job.results_of(fetch)) + sum(job.results_of(count))


@lh.task(name="needs.look")
def look() -> None:
    seen.append(lh.current_job())
    seen.append(lh.current_job().predecessors)


@lh.task(name="needs.read_one")
def read_one() -> int:
    return lh.current_job().result_of(fetch).words


TASKS: list[lh.Task[..., Any]] = [fetch, count, add_up, look, read_one]


def run(client: Client) -> None:
    testing.drain(client, TASKS)


def test_a_job_waits_for_ids_texts_and_answers(client: Client) -> None:
    first, second, third = (client.enqueue(count, number) for number in range(3))
    job = client.enqueue(add_up.with_options(after=[first, second.id, str(third.id)]))
    assert client.get(job.id).needs == Needs(jobs=(first.id, second.id, third.id))
    assert client.get(job.id).state is State.BLOCKED
    run(client)
    assert client.get(job.id).result == 3


def test_one_job_needs_no_list(client: Client) -> None:
    first = client.enqueue(count, 1)
    job = client.enqueue(add_up.with_options(after=first))
    assert client.get(job.id).needs == Needs(jobs=(first.id,))


def test_no_job_is_no_wait(client: Client) -> None:
    for task in (count.with_options(after=[]), count.with_options(after=None)):
        assert client.get(client.enqueue(task, 1).id).state is State.QUEUED


def test_words_travel_with_the_job(client: Client) -> None:
    first = client.enqueue(count, 1)
    options = {"after": first, "after_any": True, "even_if_failed": True}
    job = client.enqueue(count.with_options(**options), 2)  # type: ignore[arg-type] # mixed values
    by_name = client.enqueue_by_name("needs.count", {"number": 1}, after=first.id)
    assert client.get(job.id).needs == Needs(jobs=(first.id,), any=True, even_if_failed=True)
    assert client.get(by_name.id).needs == Needs(jobs=(first.id,))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"after": 7}, "is no job"),
        ({"after": ["x"]}, "is not a UUID"),
        ({"after_any": True}, "say for whom"),
        ({"even_if_failed": True}, "say for whom"),
        ({"after": uuid4(), "after_any": "yes"}, "True or False"),
        ({"after": uuid4(), "key": "a", "on_duplicate": "replace"}, "can't replace"),
        ({"after": uuid4(), "key": "a", "on_duplicate": "latest"}, "can't replace"),
    ],
)
def test_what_can_not_be_waited_for_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadOption, match=words):
        count.with_options(**options)


def test_nobody_waits_for_himself() -> None:
    own = uuid4()
    with pytest.raises(BadOption, match="itself"):
        count.with_options(id=own, after=own)


# -- what those before have left -------------------------------------------------------------------
def test_results_are_read_as_their_tasks_say(client: Client) -> None:
    pages = [client.enqueue(fetch, "a", 3), client.enqueue(fetch, "b", 4)]
    job = client.enqueue(add_up.with_options(after=[*pages, client.enqueue(count, 10)]))
    run(client)
    assert client.get(job.id).result == 17


def test_one_result_is_read_by_its_task(client: Client) -> None:
    job = client.enqueue(read_one.with_options(after=client.enqueue(fetch, "a", 5)))
    run(client)
    assert client.get(job.id).result == 5


def test_those_before_are_listed_with_their_ends(client: Client) -> None:
    seen.clear()
    good, bad = client.enqueue(fetch, "a"), client.enqueue(fetch, "b", 0)
    client.enqueue(look.with_options(after=[bad, good], even_if_failed=True))
    run(client)
    job, before = seen
    assert [(each.id, each.state) for each in before] == [
        (bad.id, State.DEAD),
        (good.id, State.SUCCEEDED),
    ]
    assert before[0].error == "Dead: nothing there"
    assert before[1].result == {"url": "a", "words": 3}
    assert job.results_of(fetch) == [Page("a", 3)]
    with pytest.raises(NoResult, match=r"2 jobs of 'needs\.fetch' came before it"):
        job.result_of(fetch)
    with pytest.raises(NoResult, match=r"no job of 'needs\.count' came before it"):
        job.result_of(count)


def test_a_job_that_did_not_succeed_has_no_result(client: Client) -> None:
    bad = client.enqueue(fetch, "b", 0)
    job = client.enqueue(read_one.with_options(after=bad, even_if_failed=True, max_attempts=1))
    run(client)
    assert f"job {bad.id} of 'needs.fetch' is dead" in (client.get(job.id).error or "")


def test_a_result_that_does_not_fit_its_annotation_is_told(client: Client) -> None:
    @lh.task(name="needs.fetch")
    def other(url: str) -> str:
        return url

    first = client.enqueue(other, "a")
    testing.drain(client, [other])
    seen.clear()
    client.enqueue(look.with_options(after=first))
    run(client)
    with pytest.raises(BadResult, match=r"needs\.fetch"):
        seen[0].result_of(fetch)


def test_a_job_without_others_has_none_before_it(client: Client) -> None:
    seen.clear()
    client.enqueue(look)
    run(client)
    assert seen[1] == ()


# -- workflows -------------------------------------------------------------------------------------
def sums() -> lh.Workflow:
    flow = lh.Workflow("sums")
    fan = flow.fan_out([count.call(number) for number in range(3)])
    flow.add(add_up.call(), after=fan)
    flow.add(fetch.call("b", 0), name="bad")
    flow.add(look.call(), after="bad")
    return flow


def test_a_workflow_is_a_batch_of_its_name(client: Client) -> None:
    started = client.start(sums(), meta={"of": "today"}, created_by="Ada")
    assert started.batch is not None
    info = client.batches.get(started.batch)
    assert (info.name, info.status, info.meta) == ("sums", "sealed", {"of": "today"})
    assert (info.counts.total, info.counts.blocked) == (6, 2)
    run(client)
    assert client.get(started["add_up"]).result == 3
    info = client.batches.get(started.batch)
    assert (info.status, info.counts.succeeded) == ("ended", 4)
    assert (info.counts.dead, info.counts.cancelled) == (1, 1)


def test_a_workflow_that_can_not_work_writes_nothing(client: Client) -> None:
    flow = lh.Workflow("broken")
    flow.add(count.call(1), after="nobody")
    with pytest.raises(BadWorkflow):
        client.start(flow)
    assert (client.find(), client.batches.list()) == ([], [])


def test_steps_of_several_tenants_are_no_workflow(client: Client) -> None:
    flow = lh.Workflow("tenants")
    flow.chain(count.with_options(tenant="a").call(1), count.call(1))
    with pytest.raises(BadWorkflow, match="several tenants"):
        client.start(flow)


def test_a_workflow_is_drawn_as_it_stands(client: Client) -> None:
    started = client.start(sums())
    assert "class s" in client.draw(started)
    run(client)
    drawn = client.draw(started)
    assert 's4["bad"]' in drawn
    assert "    class s4 dead\n" in drawn
    assert started.batch is not None
    by_id = client.draw(started.batch, fold_above=2)
    assert '["count × 3<br/>3 succeeded"]' in by_id  # noqa: RUF001
    assert '["fetch"]' in by_id
    with pytest.raises(BatchNotFound):
        client.draw(uuid4())


def test_an_async_client_starts_and_draws_alike(store_url: str) -> None:
    async def use() -> str:
        async with lh.AsyncClient(store_url) as client:
            started = await client.start(sums())
            return await client.draw(started)

    assert '["add_up"]' in asyncio.run(use())


# -- a caller's own connection, and SQL ------------------------------------------------------------
@pytest.fixture(params=PAIRS, ids=lambda pair: f"{pair[0]}-on-{pair[1]}")
def handle(request: pytest.FixtureRequest) -> Iterator[tuple[Handle, str]]:
    kind, backend = request.param
    url = empty(request.getfixturevalue(f"api_{backend}_url"))
    with KINDS[kind][0](url) as opened:
        yield opened, url


def test_what_a_caller_enqueues_waits_too(handle: tuple[Handle, str]) -> None:
    opened, url = handle
    client = opened.client(url)
    with lh.Client(url) as own:
        first = own.enqueue(count, 1)
        flow = lh.Workflow("two")
        flow.chain(count.call(1), add_up.call())
        try:
            caller = client.on(opened.target)
            job = opened.call(caller.enqueue(add_up.with_options(after=first)))
            started = opened.call(caller.start(flow))
            opened.commit()
        finally:
            opened.call(client.close())
        assert own.get(job.id).state is State.BLOCKED
        run(own)
        assert own.get(job.id).result == 1
        assert own.get(started["add_up"]).result == 1


def test_sql_can_wait_for_others(api_postgres_url: str) -> None:
    client = lh.Client(empty(api_postgres_url))
    first = client.enqueue(count, 5)
    with psycopg.connect(client.store.url, autocommit=True) as connection:
        row = connection.execute(
            "SELECT leasehold.enqueue('needs.add_up', after => ARRAY[%s::uuid])", [first.id]
        ).fetchone()
        assert row is not None
        any_row = connection.execute(
            "SELECT leasehold.enqueue('needs.add_up', after => ARRAY[%s::uuid], "
            "after_any => true, even_if_failed => true, delay => '1 hour')",
            [first.id],
        ).fetchone()
        assert any_row is not None
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="itself"):
            connection.execute(
                "SELECT leasehold.enqueue('needs.count', id => %(id)s, "
                "after => ARRAY[%(id)s::uuid])",
                {"id": uuid4()},
            )
        with pytest.raises(psycopg.errors.InvalidParameterValue, match="mode skip"):
            connection.execute(
                "SELECT leasehold.enqueue('needs.count', key => 'a', on_duplicate => 'replace', "
                "after => ARRAY[%s::uuid])",
                [first.id],
            )
    run(client)
    assert client.get(row[0]).result == 5
    assert client.get(any_row[0]).state is State.QUEUED
    assert client.get(any_row[0]).needs == Needs(jobs=(first.id,), any=True, even_if_failed=True)
    client.close()
