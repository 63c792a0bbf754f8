"""The client's verbs, on both stores."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

import pytest

import leasehold as lh
from leasehold.model.batches import NewBatch
from leasehold.model.ids import JobId, WorkerId
from leasehold.model.saving import Save
from leasehold.model.states import State
from leasehold.model.values import Settlement, Want, WorkerInfo
from tests.api.tasks import greet, mail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from leasehold.model.values import Claim, NewJob
    from leasehold.store.base import Answers

WORKER = WorkerId(7)
NOBODY = uuid4()


@pytest.fixture
def aclient(store_url: str) -> Iterator[lh.AsyncClient]:
    opened = lh.AsyncClient(store_url)
    yield opened
    asyncio.run(opened.close())


def claim(client: lh.Client) -> Claim:
    (taken,) = client.store.claim(WORKER, [Want("default", 1)], limit=1, leases={"greet": 60.0})
    return taken


def finish(client: lh.Client, outcome: str, **fields: object) -> None:
    taken = claim(client)
    settlement = Settlement(job_id=taken.job_id, fence=taken.fence, outcome=outcome, **fields)  # type: ignore[arg-type]
    client.store.finish(WORKER, [settlement])


# -- enqueue -------------------------------------------------------------------------------------
def test_an_enqueued_job_is_there_with_its_arguments_and_options(client: lh.Client) -> None:
    enqueued = client.enqueue(mail.with_options(tenant="acme", created_by="ada"), "x@y")
    job = client.get(enqueued.id)
    assert enqueued.is_new
    assert (job.kind, job.args, job.state) == ("mail", {"to": "x@y"}, State.QUEUED)
    assert (job.queue, job.priority, job.max_attempts) == ("mail", 5, 2)
    assert (job.timeout_seconds, job.tenant, job.created_by) == (600, "acme", "ada")


def test_jobs_are_claimed_in_the_order_they_were_enqueued(client: lh.Client) -> None:
    client.enqueue_many(greet.call(f"{number}") for number in range(300))
    taken = client.store.claim(WORKER, [Want("default", 500)], limit=500, leases={"greet": 60.0})
    assert [each.args for each in taken] == [
        each.args for each in sorted(taken, key=lambda each: each.job_id)
    ]
    assert len(taken) == 300
    assert greet.decode(taken[0].args) == {"name": "0"}
    assert greet.decode(taken[-1].args) == {"name": "299"}


def test_a_delayed_job_waits(client: lh.Client) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    by_delay = client.get(client.enqueue(greet.with_options(delay="1h"), "a").id)
    by_moment = client.get(client.enqueue(greet.with_options(run_at=later), "a").id)
    assert by_delay.run_at is not None
    assert abs(by_delay.run_at - later) < timedelta(minutes=1)
    assert by_moment.run_at == later
    assert (by_delay.state, by_moment.state) == (State.QUEUED, State.QUEUED)
    assert not client.store.claim(WORKER, [Want("default", 9)], limit=9, leases={"greet": 60.0})


def test_the_same_id_kind_and_arguments_are_one_job(client: lh.Client) -> None:
    given = greet.with_options(id=uuid4())
    first, second = client.enqueue(given, "a", times=2), client.enqueue(given, times=2, name="a")
    assert (first.is_new, second.is_new) == (True, False)
    assert first.id == second.id
    assert len(client.find()) == 1


def test_the_same_id_for_something_else_is_a_conflict_that_writes_nothing(
    client: lh.Client,
) -> None:
    taken = client.enqueue(greet, "a").id
    calls = [greet.call("b"), greet.with_options(id=taken).call("c")]
    with pytest.raises(lh.IdConflict, match=str(taken)) as caught:
        client.enqueue_many(calls)
    assert caught.value.job_ids == (taken,)
    assert [job.id for job in client.find()] == [taken]


def test_many_jobs_are_written_in_chunks_and_counted(client: lh.Client) -> None:
    again = greet.with_options(id=uuid4())
    assert client.enqueue_many([greet.call("a"), again.call("b"), mail.call("c")]) == 3
    assert client.enqueue_many([again.call("b"), greet.call("d"), again.call("b")], chunk=2) == 1
    assert client.enqueue_many(iter([])) == 0
    assert len(client.find()) == 4


def test_ids_that_were_made_before_are_the_jobs(client: lh.Client, aclient: lh.AsyncClient) -> None:
    ids = client.ids.take(5)
    calls = [greet.call(f"{number}") for number in range(5)]
    assert client.enqueue_many(calls[:3], chunk=2, ids=ids) == 3
    assert asyncio.run(aclient.enqueue_many(calls[3:], ids=ids[3:])) == 2
    assert [client.get(each).args for each in ids] == [{"name": f"{n}"} for n in range(5)]
    with pytest.raises(lh.BadOption, match="more calls than ids"):
        client.enqueue_many(calls, ids=client.ids.take(4))


def test_a_bad_call_in_the_middle_leaves_the_chunks_before_it(client: lh.Client) -> None:
    def calls() -> Iterator[lh.Call]:
        yield greet.call("a")
        yield greet.call("b")
        yield greet.call("c")
        yield greet.call(5)  # type: ignore[arg-type] # wrong on purpose

    with pytest.raises(lh.BadArguments):
        client.enqueue_many(calls(), chunk=2)
    assert sorted(job.args["name"] for job in client.find()) == ["a", "b"]


def test_a_chunk_that_fails_leaves_those_before_it_and_ends_the_rest(client: lh.Client) -> None:
    used = greet.with_options(id=client.enqueue(greet, "used").id)
    calls = [greet.call("a"), used.call("other"), greet.call("b"), greet.call("c")]
    with pytest.raises(lh.IdConflict):
        client.enqueue_many(calls, chunk=1)
    assert sorted(job.args["name"] for job in client.find()) == ["a", "used"]


def test_of_a_failing_chunk_and_a_bad_call_after_it_the_chunk_is_told(client: lh.Client) -> None:
    used = greet.with_options(id=client.enqueue(greet, "used").id)

    def calls() -> Iterator[lh.Call]:
        yield used.call("other")
        yield greet.call(5)  # type: ignore[arg-type] # wrong on purpose

    with pytest.raises(lh.IdConflict):
        client.enqueue_many(calls(), chunk=1)


def test_calls_may_use_the_client_while_a_chunk_is_written(client: lh.Client) -> None:
    def calls() -> Iterator[lh.Call]:
        for number in range(5):
            client.enqueue(greet, f"beside {number}")
            yield greet.call(f"{number}")

    assert client.enqueue_many(calls(), chunk=1) == 5
    assert len(client.find()) == 10


def test_large_jobs_are_split_by_size_too(
    client: lh.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    begin = client.store.begin_enqueue

    def note_size(jobs: Sequence[NewJob]) -> Callable[[], Answers]:
        sizes.append(len(jobs))
        return begin(jobs)

    monkeypatch.setattr(client.store, "begin_enqueue", note_size)
    client.enqueue_many(greet.call("x" * 200_000) for _ in range(60))
    assert sum(sizes) == 60
    assert max(sizes) * 200_000 < 10 * 2**20


def test_a_job_can_be_enqueued_by_name_without_its_code(client: lh.Client) -> None:
    enqueued = client.enqueue_by_name("else.where", {"a": [1, None]}, queue="mail", delay="1m")
    job = client.get(enqueued.id)
    assert (job.kind, job.args, job.queue) == ("else.where", {"a": [1, None]}, "mail")
    assert job.run_at is not None
    assert client.get(client.enqueue_by_name("else.where").id).args == {}
    given = uuid4()
    assert client.enqueue_by_name("x", id=given).is_new
    assert not client.enqueue_by_name("x", id=given).is_new


@pytest.mark.parametrize(
    ("kind", "args", "options", "error"),
    [
        ("", {}, {}, lh.BadOption),
        ("x", {}, {"colour": "red"}, lh.BadOption),
        ("x", {}, {"retry": lh.never()}, lh.BadOption),
        ("x", {"a": float("nan")}, {}, lh.BadArguments),
        ("x", {1: 2}, {}, lh.BadArguments),
    ],
)
def test_what_is_enqueued_by_name_is_checked(
    client: lh.Client,
    kind: str,
    args: dict[str, object],
    options: dict[str, object],
    error: type[Exception],
) -> None:
    with pytest.raises(error):
        client.enqueue_by_name(kind, args, **options)  # type: ignore[arg-type] # wrong on purpose


def test_an_option_given_at_the_call_goes_before_what_workers_registered(client: lh.Client) -> None:
    # Also where it happens to be the library's default.
    policy = greet.with_options(queue="slow", max_attempts=9, priority=4, timeout="2h").policy()
    worker = WorkerInfo(id=WORKER, name="w", queues=(), kinds=(), slots=1, version="0")
    client.store.register(worker, [policy])
    job = client.get(client.enqueue(greet, "a").id)
    assert (job.queue, job.max_attempts, job.priority) == ("default", 5, 0)
    assert job.timeout_seconds == 3600


# -- look ----------------------------------------------------------------------------------------
def test_ids_are_accepted_as_text_too(client: lh.Client) -> None:
    job_id = client.enqueue(greet, "a").id
    assert client.get(str(job_id)) == client.get(job_id)
    with pytest.raises(lh.BadOption, match="is not a UUID"):
        client.get("seven")


def test_find_filters_and_pages_newest_first(client: lh.Client) -> None:
    batch = uuid4()
    client.store.create_batch(NewBatch(id=JobId(batch)))
    ids = [client.enqueue(greet.with_options(batch=batch), f"{n}").id for n in range(5)]
    other = client.enqueue(mail.with_options(tenant="acme"), "x").id
    assert [job.id for job in client.find()] == [other, *reversed(ids)]
    assert [job.id for job in client.find(limit=2, before=ids[3])] == [ids[2], ids[1]]
    assert [job.id for job in client.find(limit=1, before=str(ids[1]))] == [ids[0]]
    for filters in ({"kind": mail}, {"kind": "mail"}, {"queue": "mail"}, {"tenant": "acme"}):
        assert [job.id for job in client.find(**filters)] == [other]
    assert len(client.find(batch=batch)) == len(client.find(batch=str(batch))) == 5
    assert len(client.find(state="queued")) == len(client.find(state=State.QUEUED)) == 6
    assert client.find(state=State.RUNNING) == []


def test_each_goes_through_all_pages(client: lh.Client) -> None:
    client.enqueue_many(greet.call(f"{number}") for number in range(25))
    found = [job.id for job in client.each(page=10, kind="greet")]
    assert found == sorted(set(found), reverse=True)
    assert len(found) == 25
    assert list(client.each(kind="nothing")) == []


@pytest.mark.parametrize("filters", [{"state": "sleepy"}, {"colour": "red"}, {"limit": 0}])
def test_a_filter_that_can_not_be_used_is_refused(
    client: lh.Client, filters: dict[str, object]
) -> None:
    with pytest.raises(lh.BadOption):
        client.find(**filters)  # type: ignore[arg-type] # wrong on purpose


def test_history_lists_attempts_and_knows_a_new_job_from_none(client: lh.Client) -> None:
    job_id = client.enqueue(greet, "a").id
    assert client.history(job_id) == []
    finish(client, "succeeded", elapsed_seconds=0.5)
    assert [attempt.outcome for attempt in client.history(job_id)] == ["succeeded"]


def test_counts_and_workers_are_told(client: lh.Client) -> None:
    client.enqueue(greet, "a")
    assert [(each.queue, each.ready) for each in client.counts()] == [("default", 1)]
    assert client.workers() == []


def test_what_a_job_has_saved_is_told(client: lh.Client) -> None:
    job_id = client.enqueue(greet, "a").id
    assert client.checkpoint(job_id) is None
    assert client.steps(str(job_id)) == []
    taken = claim(client)
    save = Save(job_id=job_id, fence=taken.fence, cursor="[1]", done=2, step="a", result="3")
    assert client.store.save(WORKER, [save]) == [True]
    found = client.checkpoint(str(job_id))
    assert found is not None
    assert (found.cursor, found.done, found.total) == ([1], 2, None)
    assert [(step.name, step.result) for step in client.steps(job_id)] == [("a", 3)]


@pytest.mark.parametrize("verb", ["get", "history", "checkpoint", "steps", "cancel", "retry"])
def test_a_job_that_is_not_there_is_job_not_found(client: lh.Client, verb: str) -> None:
    with pytest.raises(lh.JobNotFound, match=str(NOBODY)):
        getattr(client, verb)(NOBODY)
    with pytest.raises(lh.JobNotFound):
        client.reprioritise(NOBODY, 1)


# -- change --------------------------------------------------------------------------------------
def test_a_waiting_job_is_cancelled_retried_and_deleted(client: lh.Client) -> None:
    job_id = client.enqueue(greet, "a").id
    assert client.cancel(job_id, by="ada") is State.CANCELLED
    assert client.get(job_id).error == "cancelled by ada"
    assert client.cancel(job_id) is State.CANCELLED
    assert client.retry(job_id) is State.QUEUED
    assert client.reprioritise(job_id, 9) is State.QUEUED
    assert client.get(job_id).priority == 9
    client.delete(job_id)
    client.delete(job_id)
    with pytest.raises(lh.JobNotFound):
        client.get(job_id)


def test_a_running_job_can_not_be_retried_deleted_or_reprioritised(client: lh.Client) -> None:
    job_id = client.enqueue(greet, "a").id
    claim(client)
    for change in (client.retry, client.delete, lambda each: client.reprioritise(each, 1)):
        with pytest.raises(lh.WrongState, match="is running: can't") as caught:
            change(job_id)
        assert caught.value.state == "running"
    assert client.cancel(job_id) is State.RUNNING
    assert client.get(job_id).cancel_requested


def test_a_job_that_succeeded_is_not_retried(client: lh.Client) -> None:
    job_id = client.enqueue(greet, "a").id
    finish(client, "succeeded")
    with pytest.raises(lh.WrongState, match="is succeeded: can't retry it"):
        client.retry(job_id)
    with pytest.raises(lh.WrongState, match="is succeeded: can't reprioritise it"):
        client.reprioritise(job_id, 3)


def test_a_priority_out_of_range_is_refused_before_the_store_is_asked(client: lh.Client) -> None:
    with pytest.raises(lh.BadOption, match="whole number"):
        client.reprioritise(NOBODY, 40_000)


# -- async ---------------------------------------------------------------------------------------
def test_the_async_client_has_the_same_verbs(aclient: lh.AsyncClient) -> None:
    async def scenario() -> None:
        first = await aclient.enqueue(greet, "a", times=2)
        assert await aclient.enqueue_many(greet.call(f"{n}") for n in range(5)) == 5
        named = await aclient.enqueue_by_name("else.where", {"a": 1})
        assert (await aclient.get(first.id)).args == {"name": "a", "times": 2}
        assert [job.id for job in await aclient.find(kind="else.where")] == [named.id]
        assert len([job async for job in aclient.each(page=2, kind=greet)]) == 6
        assert await aclient.history(first.id) == []
        assert await aclient.checkpoint(first.id) is None
        assert await aclient.steps(first.id) == []
        assert await aclient.reprioritise(first.id, 3) is State.QUEUED
        assert await aclient.cancel(first.id, by="ada") is State.CANCELLED
        assert await aclient.retry(first.id) is State.QUEUED
        await aclient.delete(first.id)
        with pytest.raises(lh.JobNotFound):
            await aclient.get(first.id)
        with pytest.raises(lh.BadArguments):
            await aclient.enqueue(greet, 5)  # type: ignore[arg-type] # wrong on purpose
        assert [each.ready for each in await aclient.counts()] == [6]
        assert await aclient.workers() == []

    asyncio.run(scenario())


def test_every_public_verb_of_the_client_is_on_the_async_one() -> None:
    def verbs(kind: type) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")}

    assert verbs(lh.Client) - {"write", "ids"} == verbs(lh.AsyncClient) - {"sync"}


def test_an_async_client_closes_itself(store_url: str) -> None:
    async def scenario() -> UUID:
        async with lh.AsyncClient(store_url) as client:
            return (await client.enqueue(greet, "a")).id

    job_id = asyncio.run(scenario())
    with lh.Client(store_url) as client:
        assert client.get(job_id).id == job_id
