"""What a memory is made of: episodes that were said, and all that is derived from them."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class UnitKind(IntEnum):
    """What a unit is; the numbers stand in the file and never change."""

    EPISODE = 1
    FACT = 2
    SUMMARY = 3
    CAPSULE = 6
    LOOP = 7


class Sensitivity(IntEnum):
    """Who may learn of it: what is derived is as sensitive as its sources.

    What is SECRET never feeds a summary.
    """

    NORMAL = 0
    PRIVATE = 1
    SECRET = 2


class UnitState(StrEnum):
    """How a unit stands."""

    ACTIVE = "active"
    CLOSED = "closed"  # a fact that held once, a loop that was closed
    RETRACTED = "retracted"  # nothing speaks for it any more
