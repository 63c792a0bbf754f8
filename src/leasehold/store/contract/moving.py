"""What a store can do so that all it holds moves into another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leasehold.model.moving import Loaded, MoveMark
from leasehold.store.moving_tables import Key, Row


class MovingStore(Protocol):
    """Each method is one atomic operation."""

    def identity(self) -> tuple[str, str]:
        """Name this database: for programs, and for people, without a password."""

    def move_mark(self) -> MoveMark | None:
        """Say whether this database has moved, or is being filled."""

    def close_for_move(self, mark: MoveMark) -> MoveMark:
        """Let nobody change anything any more but `load`, and hand back, uncharged, what runs.

        Whoever tries is told what the mark says (`StoreMoved`). Returns the mark that stands: the
        one that was there, if any.
        """

    def end_move(self) -> None:
        """Write down in a closed source that all of it has arrived."""

    def open_after_move(self) -> bool:
        """Let everybody change things again, and forget the move; False when it was not closed."""

    def count_rows(self, table: str) -> int:
        """Count all rows of a table."""

    def dump(self, table: str, after: Key | None, *, limit: int) -> list[Row]:
        """Read the next rows of a table, by its key."""

    def loaded(self, table: str) -> Loaded:
        """Say how far a table has been filled."""

    def load(self, table: str, rows: Sequence[Row], progress: Loaded) -> None:
        """Write rows as they are, and how far that is, in one transaction."""

    def fence(self) -> int:
        """Return the greatest number that a lease has had."""

    def raise_fence(self, least: int) -> None:
        """Let no lease have a number up to this one."""
