"""Tasks of isolated children that save: they live in a module that a child can import."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import leasehold as lh


@lh.task(name="child.pages", isolation="process", max_attempts=2, retry=lh.fixed(0))
def pages(beacon: str, last: int) -> dict[str, Any]:
    """Count from where the last attempt was; the first one dies in the middle."""
    job = lh.current_job()
    start = job.cursor or 0
    for page in range(start, last):
        job.checkpoint(page + 1, done=page + 1, total=last)
        if page + 1 == last // 2 and not Path(beacon).exists():
            Path(beacon).touch()
            os._exit(9)
    return {"start": start, "cursor": job.cursor}


@lh.task(name="child.pages_async", isolation="process")
async def pages_async() -> Any:
    job = lh.current_job()
    await job.checkpoint_async({"page": 1}, note="async")
    doubled = await job.step("double", double_async, 21)
    return [await job.cursor_async(), doubled]


async def double_async(number: int) -> int:
    return number * 2


@lh.task(name="child.progress", isolation="process")
def tell(most: int) -> None:
    for number in range(most + 1):
        lh.current_job().progress(number, most, f"at {number}")


@lh.task(name="child.steps", isolation="process", max_attempts=2, retry=lh.fixed(0))
def steps(log: str) -> int:
    job = lh.current_job()
    first = job.step("first", append, log, "first")
    second = job.step("second", append, log, "second")
    if job.attempt == 1:
        raise ValueError("once more")
    return first + second


def append(log: str, word: str) -> int:
    with Path(log).open("a") as file:
        file.write(word + "\n")
    return len(word)


@lh.task(name="child.badly", isolation="process", max_attempts=1)
def save_badly(how: str) -> str:
    job = lh.current_job()
    try:
        match how:
            case "nan":
                job.checkpoint(float("nan"))
            case "large":
                job.checkpoint("x" * 300_000)
            case "on":
                job.checkpoint(1, on=object())
            case "transaction":
                with job.saving():
                    pass
    except lh.LeaseholdError as error:
        return f"{type(error).__name__}: {error}"
    return "accepted"
