"""Identifiers: job ids are UUIDv7, so that a newer job has a greater id."""

from __future__ import annotations

import hashlib
from typing import NewType
from uuid import UUID, SafeUUID

JobId = NewType("JobId", UUID)
Fence = NewType("Fence", int)
WorkerId = NewType("WorkerId", int)

UUID7_RANDOM_BYTES = 10
_new, _set, _UNKNOWN = object.__new__, object.__setattr__, SafeUUID.unknown
_VERSION_7, _VARIANT, _RANDOM = 0x7 << 76, 0b10 << 62, (1 << 62) - 1


def uuid7(unix_milliseconds: int, random: bytes) -> JobId:
    """Build a UUIDv7 from a time and ten fresh random bytes."""
    if len(random) != UUID7_RANDOM_BYTES:
        msg = f"uuid7 needs {UUID7_RANDOM_BYTES} random bytes, got {len(random)}"
        raise ValueError(msg)
    chance = int.from_bytes(random, "big")
    return uuid7_at((unix_milliseconds << 12) | (chance >> 68), chance)


def uuid7_at(ticks: int, chance: int) -> JobId:
    """Build a UUIDv7 from a time in 1/4096 of a millisecond and, at its lower end, 62 random bits.

    The twelve bits below the millisecond are its fraction (RFC 9562, method 3).
    """
    fraction, time = ticks & 0xFFF, ticks >> 12
    return _uuid((time << 80) | _VERSION_7 | (fraction << 64) | _VARIANT | (chance & _RANDOM))


def _uuid(number: int) -> JobId:
    """Make `UUID(int=number)` in a third of its time: it would look at what it is given first.

    One is made for each job, and this was a fifth of what building a job takes.
    """
    made = _new(UUID)
    _set(made, "int", number)
    _set(made, "is_safe", _UNKNOWN)
    return JobId(made)


def derive_id(base: UUID, purpose: str) -> JobId:
    """Build the id that anybody would make of this one for this purpose.

    Its time is the base's, so that it sorts beside it. PostgreSQL has the same function.
    """
    digest = hashlib.md5(f"{base}:{purpose}".encode(), usedforsecurity=False).digest()
    bits = int.from_bytes(digest, "big")
    time, fraction = base.int >> 80, bits >> 64 & 0xFFF
    return uuid7_at(time << 12 | fraction, bits)
