"""Calls that a type checker must refuse, each with the error it must give.

The comments silence the errors in an ordinary run; where one is not needed, strict mode complains.
"""

from __future__ import annotations

import leasehold as lh


@lh.task
def plain(a: int, b: str = "x") -> float:
    return a + len(b)


@lh.task(queue="mail")
async def send(to: str, *, copies: int = 1) -> None: ...


def enqueue(client: lh.Client) -> None:
    client.enqueue(plain)  # type: ignore[call-arg]
    client.enqueue(plain, "1")  # type: ignore[arg-type]
    client.enqueue(plain, 1, c=2)  # type: ignore[call-arg]
    client.enqueue(plain, 1, b=2)  # type: ignore[arg-type]
    client.enqueue(plain, 1, "x", 3)  # type: ignore[call-arg]
    client.enqueue(send, "x", 2)  # type: ignore[call-arg]
    client.enqueue(send, "x", queue="q")  # type: ignore[call-arg]
    client.enqueue(len, "x")  # type: ignore[arg-type]
    client.enqueue("plain", 1)  # type: ignore[arg-type]
    client.enqueue_many([plain(1)])  # type: ignore[list-item]
    client.enqueue_by_name("x", {"a": 1}, colour="red")  # type: ignore[call-arg]
    client.on(object()).enqueue(plain, "1")  # type: ignore[arg-type]


def options() -> None:
    plain.call("1")  # type: ignore[arg-type]
    plain("1")  # type: ignore[arg-type]
    plain.with_options(priority="high")  # type: ignore[arg-type]
    plain.with_options(colour="red")  # type: ignore[call-arg]
    plain.with_options(retry=lh.never())  # type: ignore[call-arg]
    plain.with_options(delay=1).call("1")  # type: ignore[arg-type]
    lh.task(queue=5)  # type: ignore[call-overload]
    lh.task(isolation="rocket")  # type: ignore[call-overload]
    lh.task(delay=5)  # type: ignore[call-overload]
    lh.task(retry=lh.never)  # type: ignore[arg-type]


def look(client: lh.Client) -> None:
    client.find(colour="red")  # type: ignore[call-arg]
    client.get(5)  # type: ignore[arg-type]
    lh.Klient()  # type: ignore[attr-defined]


def wait(client: lh.Client) -> None:
    client.wait(client.enqueue(plain, 1)).upper()  # type: ignore[attr-defined]
    client.wait(5)  # type: ignore[call-overload]
    client.wait(client.enqueue(plain, 1), timeout=object())  # type: ignore[call-overload]


def write(connection: object, amount: int) -> None: ...


def save() -> None:
    job = lh.current_job()
    job.checkpoint(1, 2)  # type: ignore[call-arg]
    job.checkpoint(1, done="x")  # type: ignore[arg-type]
    job.progress("1")  # type: ignore[arg-type]
    job.step("a", plain, "1")  # type: ignore[call-overload]
    job.step(plain, 1)  # type: ignore[call-overload]
    job.step_in_transaction("a", write, "1")  # type: ignore[call-overload]
    job.step_in_transaction("a", write)  # type: ignore[call-overload]


def fill_batch(client: lh.Client, batch: lh.Batch) -> None:
    batch.add(plain, "1")  # type: ignore[arg-type]
    batch.add(plain, 1, c=2)  # type: ignore[call-arg]
    batch.nest(colour="red")  # type: ignore[call-arg]
    client.batches.create(on_end=5)  # type: ignore[arg-type]
    plain.with_options(on_end="report")  # type: ignore[arg-type]


async def fill_batch_async(client: lh.AsyncClient) -> None:
    batch = await client.batches.create(colour="red")  # type: ignore[call-arg]
    await batch.add(plain, "1")  # type: ignore[arg-type]


def workflow(client: lh.Client) -> None:
    lh.current_job().result_of(plain).upper()  # type: ignore[attr-defined]
    flow = lh.Workflow("x")
    flow.add(plain)  # type: ignore[arg-type]
    flow.add(plain.call("1"))  # type: ignore[arg-type]
    flow.add(plain.call(1), after=7)  # type: ignore[arg-type]
    client.start("x")  # type: ignore[arg-type]


async def enqueue_async(client: lh.AsyncClient) -> None:
    await client.enqueue(plain, "1")  # type: ignore[arg-type]
    await client.enqueue(plain, 1, c=2)  # type: ignore[call-arg]
    await client.on(object()).enqueue(plain)  # type: ignore[call-arg]
