"""The no-op job that is measured, and where its start is written down."""

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


class Starts:
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


_starts = Starts(Path(os.environ[STARTS_VARIABLE])) if STARTS_VARIABLE in os.environ else None


@lh.task(name="bench.noop")
async def noop(n: int, to: str, subject: str) -> None:
    if _starts is not None:
        _starts.note(n)


@lh.task(name="bench.noop_blocking")
def noop_blocking(n: int, to: str, subject: str) -> None:
    if _starts is not None:
        _starts.note(n)


BY_KIND: dict[str, lh.Task[..., Any]] = {"async": noop, "blocking": noop_blocking}
