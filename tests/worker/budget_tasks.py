"""Handlers of every manner, for runs with a budget: some hand back when asked, some never do."""

# ruff: noqa: ASYNC251 - blocking the loop is what one of them is for

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any

import leasehold as lh

STEP_SECONDS = 0.01


def _until(ends_at: float, step_seconds: float) -> float:
    return max(0.0, min(step_seconds, ends_at - time.monotonic()))


@lh.task(name="polite")
def polite(seconds: float, _step: float = 0.0) -> None:
    """Looks often whether it should end."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        lh.current_job().check()
        time.sleep(_until(ends_at, STEP_SECONDS))


@lh.task(name="deaf")
def deaf(seconds: float, step: float) -> None:
    """Never looks, but can be interrupted after each step."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        time.sleep(_until(ends_at, step))


@lh.task(name="stubborn")
def stubborn(seconds: float, step: float) -> None:
    """Swallows every interruption: only its end ends it."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        with contextlib.suppress(lh.Interrupted):
            time.sleep(_until(ends_at, step))


@lh.task(name="greedy")
def greedy(seconds: float, _step: float) -> None:
    """Holds the interpreter's lock, some hundredths of a second at a time."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        sum(range(500_000))


@lh.task(name="awaiting")
async def awaiting(seconds: float, _step: float) -> None:
    await asyncio.sleep(seconds)


@lh.task(name="awaiting.stubborn")
async def awaiting_stubborn(seconds: float, step: float) -> None:
    """Swallows being cancelled."""
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(_until(ends_at, step))


@lh.task(name="awaiting.blocking")
async def awaiting_blocking(_seconds: float, step: float) -> None:
    """Blocks the loop once."""
    time.sleep(step)
    await asyncio.sleep(0)


@lh.task(name="failing", max_attempts=3, retry=lh.fixed("1h"))
def failing(seconds: float, _step: float) -> None:
    polite(seconds, 0.0)
    raise ValueError("no")


@lh.task(name="apart", isolation="process")
def apart(seconds: float, _step: float) -> None:
    """In a child: it is killed."""
    time.sleep(seconds)


ALL: list[lh.Task[..., Any]] = [
    polite,
    deaf,
    stubborn,
    greedy,
    awaiting,
    awaiting_stubborn,
    awaiting_blocking,
    failing,
    apart,
]
