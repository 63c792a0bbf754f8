"""Writes down each claim as the store makes it, by a trigger, in the transaction of the claim.

A handler's own stamp is later than its claim by as long as its process was busy, and a history has
no claim's time but that of a lapsed one: only this is exact, for what is admitted is claims.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.faults.target import Target

SECOND = 1_000_000

_INSTALL = {
    "sqlite": (
        "CREATE TABLE claimed (job_id TEXT, fence INTEGER, lane TEXT, at INTEGER, cost REAL)",
        """
        CREATE TRIGGER note_claim AFTER INSERT ON leasehold_lease
        BEGIN
          INSERT INTO claimed VALUES (NEW.job_id, NEW.fence, NEW.lane, NEW.claimed_at, NEW.cost);
        END
        """,
    ),
    "postgres": (
        "CREATE TABLE claimed (job_id uuid, fence bigint, lane text, at bigint, cost real)",
        """
        CREATE FUNCTION note_claim() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          INSERT INTO public.claimed VALUES (NEW.job_id, NEW.fence, NEW.lane,
            (extract(epoch FROM NEW.claimed_at) * 1000000)::bigint, NEW.cost);
          RETURN NULL;
        END
        $$
        """,
        """
        CREATE TRIGGER note_claim AFTER INSERT ON leasehold.lease
        FOR EACH ROW EXECUTE FUNCTION note_claim()
        """,
    ),
}


class Claimed(NamedTuple):
    """One claim of a rated job: when, in microseconds, and what it reserved."""

    at: int
    cost: float


def install(target: Target) -> None:
    """Begin to write claims down."""
    for statement in _INSTALL[target.store]:
        target.query(statement)


def read(target: Target, lane: str) -> list[Claimed]:
    """Return what was admitted of a key, in the order of time.

    Not what was handed back before it started: that gave back what it had reserved.
    """
    rows = target.query(
        f"SELECT at, cost FROM claimed WHERE lane = '{lane}' AND NOT EXISTS ("  # noqa: S608 - ours
        f" SELECT 1 FROM {target.name('outcome')} AS ended WHERE ended.job_id = claimed.job_id"
        " AND ended.fence = claimed.fence AND ended.state = 'released' AND started_at IS NULL)"
        " ORDER BY at"
    )
    return [Claimed(row["at"], row["cost"]) for row in rows]


def most_at_once(claims: Iterable[Claimed], rate: float) -> float:
    """Return the most that any window holds beyond rate x its length: never more than the burst.

    Over all windows: one that ends with a claim is fullest when it starts just before another.
    """
    most = level = 0.0
    last = 0
    for at, cost in claims:
        level = max(0.0, level - rate * (at - last) / SECOND) + cost
        most = max(most, level)
        last = at
    return most
