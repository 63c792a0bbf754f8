"""The jobs that are measured, and where their starts are written down."""

from __future__ import annotations

import mmap
import os
import struct
import time
from pathlib import Path
from typing import Any

import leasehold as lh

STARTS_VARIABLE = "LEASEHOLD_BENCH_STARTS"
_STAMP = struct.Struct("d")


class Stamps:
    """A file in memory with one time stamp per job, shared between processes."""

    def __init__(self, path: Path, count: int = 0) -> None:
        if count:
            path.write_bytes(bytes(count * _STAMP.size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)

    def note(self, number: int) -> None:
        _STAMP.pack_into(self._map, number * _STAMP.size, time.time())

    def read(self, number: int) -> float:
        (stamp,) = _STAMP.unpack_from(self._map, number * _STAMP.size)
        return float(stamp)


_starts = Stamps(Path(os.environ[STARTS_VARIABLE])) if STARTS_VARIABLE in os.environ else None


@lh.task(name="bench.noop")
async def noop(n: int, to: str, subject: str) -> None:
    if _starts is not None:
        _starts.note(n)


@lh.task(name="bench.blocking")
def blocking(n: int, to: str, subject: str) -> None:
    pass


@lh.task(name="bench.isolated", isolation="process")
def isolated(n: int, to: str, subject: str) -> None:
    pass


@lh.task(name="bench.returning")
async def returning(n: int, to: str, subject: str) -> dict[str, Any]:
    return {"n": n, "to": to, "is_sent": True}


@lh.task(name="bench.failing", retry=lh.fixed(0))
async def failing(n: int, to: str, subject: str) -> None:
    """Fails the first time, and comes back without delay."""
    if lh.current_job().failures == 0:
        raise OSError("the first try fails")


_host = lh.Throttle("host", running=2)


@lh.task(name="bench.throttled", throttle=_host.by("key"))
async def throttled(key: int) -> None:
    pass


@lh.task(name="bench.closed", throttle="closed")
async def closed() -> None:
    raise AssertionError("nobody has declared its throttle")


@lh.task(name="bench.shared", share=lh.by("who"))
async def shared(who: str) -> None:
    pass


TASKS: dict[str, lh.Task[..., Any]] = {
    task.name: task
    for task in (noop, blocking, isolated, returning, failing, throttled, closed, shared)
}
