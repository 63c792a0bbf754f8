"""Identifiers: job ids are UUIDv7, so that a newer job has a greater id."""

from __future__ import annotations

from typing import NewType
from uuid import UUID

JobId = NewType("JobId", UUID)
Fence = NewType("Fence", int)
WorkerId = NewType("WorkerId", int)

UUID7_RANDOM_BYTES = 10


def uuid7(unix_milliseconds: int, random: bytes) -> JobId:
    """Build a UUIDv7 from a time and ten fresh random bytes."""
    if len(random) != UUID7_RANDOM_BYTES:
        msg = f"uuid7 needs {UUID7_RANDOM_BYTES} random bytes, got {len(random)}"
        raise ValueError(msg)
    chance = int.from_bytes(random, "big")
    high = (unix_milliseconds << 16) | (0x7 << 12) | (chance >> 68)
    low = (0b10 << 62) | (chance & ((1 << 62) - 1))
    return JobId(UUID(int=(high << 64) | low))
