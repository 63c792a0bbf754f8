"""The tasks that the services here know."""

from __future__ import annotations

import threading

import leasehold as lh
from leasehold.registry import Registry


@lh.task(name="web.add", queue="sums")
def add(left: int, right: int = 1) -> int:
    return left + right


@lh.task(name="web.fail", queue="sums", max_attempts=1)
def fail(reason: str) -> None:
    raise ValueError(reason)


@lh.task(name="web.wait", queue="sums")
def wait(seconds: float = 60.0) -> None:
    """Wait until it is interrupted."""
    ended = threading.Event()
    for _ in range(int(seconds * 20)):
        lh.current_job().check()
        ended.wait(0.05)


REGISTRY = Registry([add, fail, wait])
