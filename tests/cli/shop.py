"""Tasks as a user's module has them; tests copy this file to where the program runs."""

from __future__ import annotations

import time
from pathlib import Path

import leasehold as lh
import leasehold.worker.watch

if __name__ == "shop":  # in a process of its own, where giving up on a handler may be quick
    leasehold.worker.watch.ABANDON_SECONDS = 0.2


@lh.task(name="greet", queue="mail", max_attempts=2)
def greet(name: str) -> str:
    return f"Hello, {name}!"


@lh.task(name="broken", max_attempts=2, retry=lh.fixed("1h"))
def broken() -> None:
    raise RuntimeError("no luck")


@lh.task(name="stuck", timeout=0.1, max_attempts=1)
def stuck() -> None:
    """Can't be stopped: a sleep hears of nothing."""
    time.sleep(30)


@lh.task(name="wait")
def wait(started: str) -> None:
    """Tells that it runs, then waits until it is interrupted."""
    Path(started).touch()
    while True:
        lh.current_job().check()
        time.sleep(0.01)


several = [greet, broken]
registry = lh.Registry([greet])
number = 7
