"""What a store knows of how long jobs take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leasehold.model.timing import Measured


class TimingStore(Protocol):
    """An estimate by kind, for runs with a budget: it may be late, and nothing rests on it."""

    def durations(self, kinds: Sequence[str]) -> dict[str, float]:
        """Say how many seconds an attempt of a kind typically takes; unknown ones are left out."""

    def note_durations(self, measured: Sequence[Measured]) -> None:
        """Take in what a worker has measured, by its weight, of kinds that are registered."""
