"""Tasks that say which trace they are part of, in a module that a child process can import."""

from __future__ import annotations

import asyncio

from opentelemetry import trace

import leasehold as lh
from leasehold.tracing import current_trace

CANARY = "xyzzy-canary-42"


@lh.task(name="trace.blocking")
def blocking(word: str) -> str | None:
    with trace.get_tracer("handler").start_as_current_span("inside"):
        return current_trace()


@lh.task(name="trace.async", queue="mail")
async def asynchronous(word: str) -> str | None:
    await asyncio.sleep(0)
    with trace.get_tracer("handler").start_as_current_span("inside"):
        await asyncio.sleep(0)
        return current_trace()


@lh.task(name="trace.isolated", isolation="process")
def isolated(word: str) -> str | None:
    return current_trace()


@lh.task(name="trace.isolated_async", isolation="process")
async def isolated_async(word: str) -> str | None:
    await asyncio.sleep(0)
    return current_trace()


@lh.task(name="trace.fails", max_attempts=2, retry=lh.fixed("0s"))
def fails(word: str) -> None:
    raise ValueError(f"can't do {word} at https://host/?q={word}")


@lh.task(name="trace.fails_isolated", max_attempts=1, isolation="process")
def fails_isolated(word: str) -> None:
    raise ValueError(f"can't do {word}")


@lh.task(name="trace.after")
def after(ended: lh.JobEnded) -> None: ...


@lh.task(name="trace.after_batch")
def after_batch(ended: lh.BatchEnded) -> None: ...


@lh.task(name="trace.snoozes")
def snoozes(word: str) -> None:
    raise lh.Snooze("1h")


@lh.task(name="trace.enqueues")
def enqueues(url: str) -> None:
    with lh.Client(url) as client:
        client.enqueue(blocking, "inner")
