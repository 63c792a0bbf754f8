"""What a worker has done, counted."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

EXIT_ABANDONED = 70


class Reason(StrEnum):
    """Why a run ended."""

    STOPPED = "stopped"
    EMPTY = "empty"
    BUDGET = "budget"  # its time was over, or too short for anything that is left
    MAX_JOBS = "max_jobs"
    ABANDONED = "abandoned"  # a handler could not be stopped; the process should end


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The end of a run: why, and how many attempts came to what."""

    reason: Reason
    succeeded: int
    failed: int
    dead: int
    cancelled: int
    snoozed: int
    released: int
    lost: int
    abandoned: int = 0  # of these so many handlers did not end when they were told to
    unfit: tuple[str, ...] = ()  # kinds that were left out because they would not end in time

    @property
    def exit_code(self) -> int:
        """What a process should exit with."""
        return EXIT_ABANDONED if self.reason is Reason.ABANDONED else 0


class Tally:
    """Counts settled attempts by outcome; written by the finisher, read by anybody."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def add(self, outcome: str, count: int = 1) -> None:
        with self._lock:
            self._counts[outcome] = self._counts.get(outcome, 0) + count

    def __getitem__(self, outcome: str) -> int:
        return self._counts.get(outcome, 0)

    def report(self, reason: Reason, unfit: Iterable[str] = ()) -> Report:
        return Report(
            reason=reason,
            succeeded=self["succeeded"],
            failed=self["failed"],
            dead=self["dead"],
            cancelled=self["cancelled"],
            snoozed=self["snoozed"],
            released=self["released"],
            lost=self["lost"],
            abandoned=self["abandoned"],
            unfit=tuple(sorted(unfit)),
        )
