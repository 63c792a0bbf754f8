"""Handlers that misbehave, or that take a time a test can count on."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import os
import signal
import threading
import time

import leasehold as lh

LONG_SECONDS = 120.0
UNDER_WAY = "under way"  # what a long one logs when it has begun
_logger = logging.getLogger("faults")


@lh.task(name="poison", max_attempts=2)
async def poison(how: str) -> None:
    """Kills the process it runs in."""
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), signal.SIGKILL)


@lh.task(name="innocent", max_attempts=1)
async def innocent() -> None:
    """Is still running when the poison beside it strikes; has no attempt to spare."""
    is_first = lh.current_job().attempt == 1
    await asyncio.sleep(LONG_SECONDS if is_first else 0.01)


@lh.task(name="short")
def short() -> None:
    time.sleep(0.05)


@lh.task(name="short_async")
async def short_async() -> None:
    await asyncio.sleep(0.05)


@lh.task(name="long")
def long() -> None:
    """Ends when it is interrupted, and not before."""
    _logger.info(UNDER_WAY)
    give_up = time.monotonic() + LONG_SECONDS
    while time.monotonic() < give_up:
        time.sleep(0.01)


@lh.task(name="long_async")
async def long_async() -> None:
    _logger.info(UNDER_WAY)
    await asyncio.sleep(LONG_SECONDS)


@lh.task(name="deaf")
def deaf() -> None:
    """Sleeps in C, where no interruption reaches it."""
    _logger.info(UNDER_WAY)
    ctypes.CDLL(None).sleep(int(LONG_SECONDS))


@lh.task(name="stop_worker")
def stop_worker() -> None:
    """Sends SIGTERM to its own thread: the main thread sleeps on."""
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)


@lh.task(name="block_loop")
async def block_loop(seconds: float) -> None:
    time.sleep(seconds)  # noqa: ASYNC251 - on purpose: it stops the whole loop


@lh.task(name="compute")
def compute(seconds: float) -> int:
    """Pure Python: takes the interpreter's lock whenever it can get it."""
    give_up = time.monotonic() + seconds
    rounds = 0
    while time.monotonic() < give_up:
        rounds += sum(range(1_000))
    return rounds


@lh.task(name="hang", timeout="1s", max_attempts=2, retry=lh.fixed("0.1s"))
def hang() -> None:
    while True:
        time.sleep(0.01)


@lh.task(name="hang_async", timeout="1s", max_attempts=2, retry=lh.fixed("0.1s"))
async def hang_async() -> None:
    await asyncio.sleep(LONG_SECONDS)
