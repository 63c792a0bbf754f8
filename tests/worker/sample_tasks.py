"""Tasks of each sort, in a module that a child process can import."""

# ruff: noqa: ASYNC240 - a beacon is one quick touch

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import leasehold as lh

STEP_SECONDS = 0.01


def _here(total: int) -> dict[str, int]:
    job = lh.current_job()
    return {
        "sum": total,
        "pid": os.getpid(),
        "thread": threading.get_ident(),
        "attempt": job.attempt,
    }


@lh.task(name="add.async")
async def add_async(a: int, b: int) -> dict[str, int]:
    await asyncio.sleep(0)
    return _here(a + b)


@lh.task(name="add.blocking")
def add_blocking(a: int, b: int) -> dict[str, int]:
    return _here(a + b)


@lh.task(name="add.process", isolation="process")
def add_process(a: int, b: int) -> dict[str, int]:
    return _here(a + b)


@lh.task(name="add.async_process", isolation="process")
async def add_async_process(a: int, b: int) -> dict[str, int]:
    await asyncio.sleep(0)
    return _here(a + b)


ADD: dict[str, lh.Task[..., Any]] = {
    "async": add_async,
    "blocking": add_blocking,
    "process": add_process,
    "async process": add_async_process,
}


def _linger(beacon: str) -> None:
    Path(beacon).touch()
    while True:
        time.sleep(STEP_SECONDS)


@lh.task(name="linger.async", max_attempts=2)
async def linger_async(beacon: str) -> None:
    Path(beacon).touch()
    await asyncio.sleep(3600)


@lh.task(name="linger.blocking", max_attempts=2)
def linger_blocking(beacon: str) -> None:
    _linger(beacon)


@lh.task(name="linger.process", max_attempts=2, isolation="process")
def linger_process(beacon: str) -> None:
    _linger(beacon)


LINGER: dict[str, lh.Task[..., Any]] = {
    "async": linger_async,
    "blocking": linger_blocking,
    "process": linger_process,
}


@lh.task(name="swallow.async", max_attempts=1)
async def swallow_async(beacon: str) -> str:
    """Wait to be interrupted and return as if nothing had been."""
    Path(beacon).touch()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(3600)
    return "all is well"


@lh.task(name="swallow.blocking", max_attempts=1)
def swallow_blocking(beacon: str) -> str:
    with contextlib.suppress(BaseException):
        _linger(beacon)
    return "all is well"


SWALLOW: dict[str, lh.Task[..., Any]] = {"async": swallow_async, "blocking": swallow_blocking}


@lh.task(name="stuck.async", max_attempts=1, timeout="200ms")
async def stuck_async(beacon: str, release: str) -> str:
    """Go on, whatever comes, until the release file is there."""
    Path(beacon).touch()
    while not Path(release).exists():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(STEP_SECONDS)
    return "too late"


@lh.task(name="stuck.blocking", max_attempts=1, timeout="200ms")
def stuck_blocking(beacon: str, release: str) -> str:
    while True:
        with contextlib.suppress(BaseException):  # an interruption may strike at any line
            Path(beacon).touch()
            while not Path(release).exists():
                time.sleep(STEP_SECONDS)
            return "too late"


STUCK: dict[str, lh.Task[..., Any]] = {"async": stuck_async, "blocking": stuck_blocking}


class ParseError(Exception):
    """Of a class for which the policy gives up at once."""


@lh.task(
    name="child.raise",
    isolation="process",
    retry=lh.per_exception({ParseError: None, OSError: lh.fixed("1h")}),
)
def raise_in_child(what: str) -> None:
    if what == "parse":
        raise ParseError("no such page")
    if what == "snooze":
        raise lh.Snooze("2h")
    if what == "cancel":
        raise lh.Cancel("pointless")
    raise OSError("disk on fire")


@lh.task(name="child.crash", isolation="process", max_attempts=1)
def crash(how: str) -> None:
    if how == "segfault":
        ctypes.string_at(0)
    if how == "exit":
        os._exit(3)
    if how == "sys.exit":
        sys.exit(4)


@lh.task(name="child.hoard", isolation="process", max_attempts=1, limits=lh.Limits(memory="600MiB"))
def hoard(mebibytes: int) -> int:
    return len(bytearray(mebibytes * 1_048_576))


@lh.task(name="child.spin", isolation="process", max_attempts=1, limits=lh.Limits(cpu="1s"))
def spin() -> None:
    while True:
        pass


@lh.task(name="child.chatter", isolation="process")
def chatter() -> str:
    print("x" * 100_000)  # over a pipe's buffer
    sys.stdout.flush()
    os.write(1, b"\x00\x00\x00\x05junk!")
    return "said"


@lh.task(name="child.babble", isolation="process", max_attempts=1)
def babble() -> None:
    """Write what is no frame where only the child's own answers go."""
    os.write(int(sys.argv[2]), b"\xff" * 64)


@lh.task(name="child.bad_result", isolation="process", max_attempts=1)
def return_badly() -> object:
    return float("nan")


@lh.task(name="batch_of_child", isolation="process")
def batch_of_child() -> list[str]:
    """Say which batch it is in, and what adding to it comes to."""
    job = lh.current_job()
    try:
        job.batch.add(batch_of_child)
    except lh.LeaseholdError as error:
        return [str(job.batch_id), type(error).__name__]
    return [str(job.batch_id)]
