"""What the measures need of a database, whichever it is."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from leasehold.model.values import DEFAULT_QUEUE

POSTGRES, SQLITE = "postgres", "sqlite"

Figures = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much to measure: so many jobs, beside so many rows, or for so many seconds."""

    jobs: int
    beside: int = 0
    seconds: float = 0.0

    def scaled(self, factor: float) -> Size:
        return Size(
            jobs=max(min(self.jobs, 4), round(self.jobs * factor)),
            beside=round(self.beside * factor),
            seconds=self.seconds * factor,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Jobs to write straight into the tables, spread over queues and, above `priority`, levels."""

    count: int
    kind: str
    queues: tuple[str, ...] = (DEFAULT_QUEUE,)
    priority: int = 0
    priorities: int = 1
    tenant: str = ""


class Database(Protocol):
    """One fresh database with the store's tables."""

    name: str
    url: str

    def write_ready(self, load: Load) -> None: ...

    def write_scheduled(self, load: Load, run_at: datetime) -> None: ...

    def write_finished(self, load: Load) -> None:
        """Write jobs that have succeeded; before all others."""

    def settle_down(self) -> None:
        """Do now what the preload would otherwise leave to be done during the measure."""

    def job_at(self, place: int) -> str:
        """Name the ready job at a place in the order of the claims."""

    def is_standing(self, *job_ids: str) -> bool:
        """Whether any of these jobs has still to be settled; cheap."""

    def is_any_due(self) -> bool:
        """Whether any job has still to be settled, but for those of a later day."""

    def count_standing(self) -> int: ...

    def count_outcomes(self) -> dict[str, int]:
        """Count ended attempts by how they ended."""

    def cpu_seconds(self) -> float | None:
        """CPU time of the database's own processes; None when it has none."""

    def wal_bytes(self) -> int | None:
        """Bytes of WAL written so far; None where it is not counted."""

    def pinned(self) -> AbstractContextManager[None]:
        """Keep a transaction open that sees the database as it is now."""

    def insert_raw(self, rows: list[dict[str, object]]) -> float:
        """Write jobs with the plain driver, a transaction each; returns the seconds it took."""

    def drop(self) -> None: ...
