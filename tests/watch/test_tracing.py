"""Traces from enqueue to run, on both stores, read from OpenTelemetry's in-memory exporter."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

import leasehold as lh
from leasehold.otel import Tracing
from leasehold.tracing import current_trace, read_trace, write_trace
from tests.watch import traced_tasks as tasks
from tests.watch.providers import forget_provider
from tests.worker.kit import drain, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opentelemetry.sdk.trace import ReadableSpan

    from leasehold.client import Client


@pytest.fixture
def exported() -> Iterator[InMemorySpanExporter]:
    """Set a tracer provider for this test only: the API itself would keep the first for ever."""
    forget_provider()
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    yield exporter
    provider.shutdown()
    forget_provider()


@pytest.fixture
def tracer(exported: InMemorySpanExporter) -> trace.Tracer:
    return trace.get_tracer("test")


def spans(exported: InMemorySpanExporter, kind: SpanKind) -> list[ReadableSpan]:
    return [span for span in exported.get_finished_spans() if span.kind is kind]


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def linked(span: ReadableSpan) -> list[int]:
    return [link.context.span_id for link in span.links]


@pytest.mark.parametrize("name", ["blocking", "asynchronous", "isolated", "isolated_async"])
def test_an_attempt_links_to_its_enqueue_and_the_handler_is_inside_it(
    client: Client, exported: InMemorySpanExporter, tracer: trace.Tracer, name: str
) -> None:
    task: lh.Task[[str], str | None] = getattr(tasks, name)
    with tracer.start_as_current_span("request") as request:
        job = client.enqueue(task, "word")
    drain(client, task, observers=[Tracing()])
    (producer,) = spans(exported, SpanKind.PRODUCER)
    (consumer,) = spans(exported, SpanKind.CONSUMER)
    assert producer.parent is not None
    assert producer.parent.span_id == request.get_span_context().span_id
    assert producer.name == f"send {task.options.queue}"
    assert attributes(producer)["messaging.message.id"] == str(job.id)
    assert linked(consumer) == [producer.context.span_id]
    assert consumer.parent is None
    assert consumer.context.trace_id != producer.context.trace_id
    assert consumer.name == f"process {task.name}"
    found = attributes(consumer)
    assert found["messaging.destination.name"] == task.options.queue
    assert (found["leasehold.attempt"], found["leasehold.outcome"]) == (1, "succeeded")
    inside = read_trace(client.get(job.id).result)
    assert inside is not None
    assert inside.trace_id == consumer.context.trace_id
    assert consumer.status.status_code is StatusCode.UNSET


@pytest.mark.parametrize("continues", [True, ["trace.blocking"]])
def test_an_attempt_can_be_a_child_of_its_enqueue_in_one_trace(
    client: Client, exported: InMemorySpanExporter, continues: Any
) -> None:
    client.enqueue(tasks.blocking, "word")
    client.enqueue(tasks.asynchronous, "word")
    drain(client, tasks.blocking, tasks.asynchronous, observers=[Tracing(continues=continues)])
    producers = {span.context.span_id: span for span in spans(exported, SpanKind.PRODUCER)}
    consumers = {span.name: span for span in spans(exported, SpanKind.CONSUMER)}
    child = consumers["process trace.blocking"]
    assert child.parent is not None
    assert child.context.trace_id == producers[child.parent.span_id].context.trace_id
    assert list(child.links) == []
    other = consumers["process trace.async"]
    assert (other.parent is None) == (continues is not True)


def test_a_retry_links_to_the_same_enqueue(client: Client, exported: InMemorySpanExporter) -> None:
    client.enqueue(tasks.fails, "some word")
    drain(client, tasks.fails, observers=[Tracing()])
    (producer,) = spans(exported, SpanKind.PRODUCER)
    first, second = spans(exported, SpanKind.CONSUMER)
    assert linked(first) == linked(second) == [producer.context.span_id]
    assert [attributes(each)["leasehold.attempt"] for each in (first, second)] == [1, 2]
    outcomes = [attributes(each)["leasehold.outcome"] for each in (first, second)]
    assert outcomes == ["failed", "dead"]


@pytest.mark.parametrize("name", ["fails", "fails_isolated"])
def test_a_failure_is_an_error_without_arguments(
    client: Client, exported: InMemorySpanExporter, name: str
) -> None:
    task: lh.Task[[str], None] = getattr(tasks, name)
    client.enqueue(task, tasks.CANARY)
    drain(client, task, observers=[Tracing()])
    failed = spans(exported, SpanKind.CONSUMER)[-1]
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.status.description == "ValueError"
    (event,) = failed.events
    said = dict(event.attributes or {})
    assert said["exception.type"] == "ValueError"
    assert str(said["exception.message"]).startswith("can't do ***")
    if name == "fails":
        assert "traced_tasks.py" in str(said["exception.stacktrace"])
    assert tasks.CANARY not in "".join(span.to_json() for span in exported.get_finished_spans())


def test_what_is_no_failure_is_no_error(client: Client, exported: InMemorySpanExporter) -> None:
    client.enqueue(tasks.snoozes, "word")
    drain(client, tasks.snoozes, observers=[Tracing()])
    (span,) = spans(exported, SpanKind.CONSUMER)
    assert span.status.status_code is StatusCode.UNSET
    assert attributes(span)["leasehold.outcome"] == "snoozed"


def test_many_jobs_of_one_enqueue_share_its_span(
    client: Client, exported: InMemorySpanExporter
) -> None:
    client.enqueue_many(tasks.asynchronous.call(str(n)) for n in range(100))
    drain(client, tasks.asynchronous, observers=[Tracing()])
    (producer,) = spans(exported, SpanKind.PRODUCER)
    assert attributes(producer)["messaging.batch.message_count"] == 100
    consumers = spans(exported, SpanKind.CONSUMER)
    assert len(consumers) == 100
    assert {tuple(linked(each)) for each in consumers} == {(producer.context.span_id,)}


def test_callbacks_batches_and_workflows_are_part_of_it(
    client: Client, exported: InMemorySpanExporter, tracer: trace.Tracer
) -> None:
    client.enqueue(tasks.blocking.with_options(on_end=tasks.after), "word")
    with (
        tracer.start_as_current_span("request") as request,
        client.batches.create(on_end=tasks.after_batch) as batch,
    ):
        batch.add(tasks.blocking, "member")
    flow = lh.Workflow("flow")
    flow.add(tasks.blocking.call("step"))
    client.start(flow)
    drain(client, tasks.blocking, tasks.after, tasks.after_batch, observers=[Tracing()])
    producers = {span.context.span_id for span in spans(exported, SpanKind.PRODUCER)}
    consumers = spans(exported, SpanKind.CONSUMER)
    by_kind = {
        name: [linked(each) for each in consumers if each.name == f"process trace.{name}"]
        for name in ("blocking", "after", "after_batch")
    }
    assert len(by_kind["blocking"]) == 3
    assert all(set(each) <= producers and each for each in by_kind["blocking"])
    assert by_kind["after"][0][0] in producers
    assert by_kind["after_batch"] == [[request.get_span_context().span_id]]


def test_a_job_that_enqueues_hands_its_own_span_on(
    client: Client, store_url: str, exported: InMemorySpanExporter
) -> None:
    client.enqueue(tasks.enqueues, store_url)
    drain(client, tasks.enqueues, tasks.blocking, observers=[Tracing()])
    consumers = {span.name: span for span in spans(exported, SpanKind.CONSUMER)}
    inner = next(
        span
        for span in spans(exported, SpanKind.PRODUCER)
        if attributes(span)["leasehold.kind"] == "trace.blocking"
    )
    assert inner.parent is not None
    assert inner.parent.span_id == consumers["process trace.enqueues"].context.span_id


def test_an_async_client_and_a_callers_transaction_carry_it_too(
    client: Client, store_url: str, exported: InMemorySpanExporter, tracer: trace.Tracer
) -> None:
    async def enqueue() -> None:
        async with lh.AsyncClient(store_url) as own:
            with tracer.start_as_current_span("request"):
                await own.enqueue(tasks.blocking, "word")

    asyncio.run(enqueue())
    if store_url.startswith("sqlite"):
        path = store_url.removeprefix("sqlite:///")
        connection = sqlite3.connect(path)
    else:
        import psycopg

        connection = psycopg.connect(store_url)  # type: ignore[assignment]
    try:
        client.on(connection).enqueue(tasks.blocking, "word")
        connection.commit()
    finally:
        connection.close()
    drain(client, tasks.blocking, observers=[Tracing()])
    producers = {span.context.span_id for span in spans(exported, SpanKind.PRODUCER)}
    assert len(producers) == 2
    assert {linked(each)[0] for each in spans(exported, SpanKind.CONSUMER)} == producers


def test_an_enqueue_that_fails_ends_its_span_as_an_error(
    client: Client, exported: InMemorySpanExporter
) -> None:
    job = client.enqueue(tasks.blocking, "one")
    with pytest.raises(lh.IdConflict):
        client.enqueue(tasks.blocking.with_options(id=job.id), tasks.CANARY)
    failed = spans(exported, SpanKind.PRODUCER)[-1]
    assert failed.status.status_code is StatusCode.ERROR
    assert failed.status.description == "IdConflict"
    assert tasks.CANARY not in failed.to_json()


def test_a_scheduled_or_foreign_job_begins_a_trace_of_its_own(
    client: Client, exported: InMemorySpanExporter
) -> None:
    for text in (None, "nonsense", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "x" * 900):
        job = tasks.blocking.new_job(client.ids.next(), "word")
        client.store.enqueue([structs.replace(job, trace=text)])
    assert drain(client, tasks.blocking, observers=[Tracing()]).succeeded == 4
    assert [linked(each) for each in spans(exported, SpanKind.CONSUMER)] == [[]] * 4


def test_async_handlers_do_not_see_each_others_spans(
    client: Client, exported: InMemorySpanExporter
) -> None:
    client.enqueue_many(tasks.asynchronous.call(str(n)) for n in range(50))
    drain(client, tasks.asynchronous, observers=[Tracing()], slots=4)
    consumers = {span.context.span_id: span for span in spans(exported, SpanKind.CONSUMER)}
    inner = [span for span in spans(exported, SpanKind.INTERNAL) if span.name == "inside"]
    parents = [span.parent.span_id for span in inner if span.parent is not None]
    assert sorted(parents) == sorted(consumers)
    assert current_trace() is None


def test_a_context_is_written_as_the_standard_says_and_read_back() -> None:
    text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=a,other=b"
    context = read_trace(text)
    assert context is not None
    assert context.is_remote
    assert write_trace(context) == text
    assert read_trace("01-" + text[3:]) is None


def test_without_a_provider_nothing_is_carried(client: Client) -> None:
    client.enqueue(tasks.blocking, "word")
    watcher = Tracing()
    assert drain(client, tasks.blocking, observers=[watcher]).succeeded == 1


def test_a_program_without_opentelemetry_imports_none_of_it(store_url: str) -> None:
    code = f"""
import json, sys
import leasehold as lh
@lh.task(name="noop")
def noop() -> None: ...
with lh.Client({store_url!r}) as client:
    client.enqueue(noop)
    lh.Worker(client, [noop]).run(until_empty=True)
print(json.dumps([name for name in sys.modules if name.startswith("opentelemetry")]))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == []


def test_spans_are_there_when_the_worker_has_ended(
    client: Client, exported: InMemorySpanExporter
) -> None:
    with lh.Worker(client, [tasks.blocking], observers=[Tracing()], poll="50ms"):
        job = client.enqueue(tasks.blocking, "word")
        wait_until(lambda: client.get(job.id).state == "succeeded", "it has run")
        # Its span ends before its end is written down.
        assert len(spans(exported, SpanKind.CONSUMER)) == 1
