"""Reads what happened out of the database, alike for both stores."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tests.conformance.tables import LIVE, open_tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.conformance.tables import Row, Tables

FINAL = frozenset({"succeeded", "dead", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What was asked for, as its client remembers it."""

    kind: str
    has_effect: bool  # its handler writes an effect in its transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job; times are microseconds since the epoch, here and below."""

    id: str
    kind: str
    max_attempts: int
    run_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRow:
    """How one attempt ended."""

    job_id: str
    attempt: int
    state: str
    failures: int
    lapses: int
    fence: int | None
    started_at: int | None
    finished_at: int
    error: str | None = None
    result: int | None = None  # the attempt that its handler says it was


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectRow:
    """What one attempt's transaction wrote."""

    job_id: str
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that is known: what was asked for, and what the tables say. `live` is (table, job id)."""

    expected: Mapping[str, Expected]
    jobs: Sequence[JobRow]
    outcomes: Sequence[OutcomeRow]
    effects: Sequence[EffectRow]
    live: Sequence[tuple[str, str]]


def read_history(url: str, expected: Mapping[str, Expected]) -> History:
    with open_tables(url) as tables:
        return History(
            expected=expected,
            jobs=[_job(row) for row in tables.rows("job")],
            outcomes=[_outcome(row) for row in tables.rows("outcome")],
            effects=_effects(tables),
            live=[(name, str(row["job_id"])) for name in LIVE for row in tables.rows(name)],
        )


def _job(row: Row) -> JobRow:
    return JobRow(
        id=str(row["id"]),
        kind=row["kind"],
        max_attempts=row["max_attempts"],
        run_at=_microseconds(row["run_at"]),
    )


def _outcome(row: Row) -> OutcomeRow:
    finished_at = _microseconds(row["finished_at"])
    assert finished_at is not None
    return OutcomeRow(
        job_id=str(row["job_id"]),
        attempt=row["attempt"],
        state=row["state"],
        failures=row["failures"],
        lapses=row["lapses"],
        fence=row["fence"],
        started_at=_microseconds(row["started_at"]),
        finished_at=finished_at,
        error=row["error"],
        result=_whole_number(row["result"]),
    )


def _whole_number(value: Any) -> int | None:
    """SQLite gives a result as JSON text; one that is no number was no campaign's."""
    text = str(value)
    return int(text) if text.isdigit() else None


def _effects(tables: Tables) -> list[EffectRow]:
    found = tables.execute("SELECT job_id, attempt FROM effect")
    return [EffectRow(job_id=row["job_id"], attempt=row["attempt"]) for row in found]


def _microseconds(value: Any) -> int | None:
    return round(value.timestamp() * 1_000_000) if isinstance(value, datetime) else value
