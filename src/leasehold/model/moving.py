"""What is said while a queue moves from one database to another."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Side(StrEnum):
    """Which end of a move a database is."""

    SOURCE = "source"
    TARGET = "target"


class MoveMark(msgspec.Struct, frozen=True, kw_only=True):
    """Stands in a database that nobody may change: it has moved, or is being filled.

    `place` names the other database for people, `identity` for this program. `is_over` is true in a
    source once all of it has arrived.
    """

    side: Side
    place: str
    identity: str
    taken_back: int = 0  # how many running jobs had to be
    is_over: bool = False

    @property
    def message(self) -> str:
        """What whoever wants to change something is told."""
        if self.side is Side.TARGET:
            return f"a move of {self.place} into this database is not over: run it again"
        return f"this queue has moved to {self.place}: use that one"


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """How far one table has been filled: up to this key, so many rows."""

    after: tuple[str | int, ...] | None = None
    count: int = 0
    is_over: bool = False


class Sum(msgspec.Struct, frozen=True, kw_only=True):
    """What a table holds: how many rows, and the sum of their hashes, in whatever order."""

    count: int = 0
    checksum: int = 0

    def plus(self, hashes: list[int]) -> Sum:
        """Add rows."""
        return Sum(count=self.count + len(hashes), checksum=(self.checksum + sum(hashes)) % 2**64)
