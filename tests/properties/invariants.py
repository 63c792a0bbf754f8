"""What must hold of the raw tables at every moment (FAULTS.md), recomputed from the history."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from leasehold.model.lanes import BEHIND
from tests.conformance.tables import LIVE
from tests.properties.choices import MOST_OF_A_KEY

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from leasehold.model.values import Claim
    from tests.conformance.tables import Row, Tables

FINAL = {"succeeded", "dead", "cancelled"}


class Broken(AssertionError):
    """An invariant does not hold; the message names it and the job."""


def check(
    tables: Tables,
    *,
    claims: Collection[tuple[str, int]],
    retries: Mapping[str, Collection[int]],
) -> None:
    """Check all of it. `claims` are (job, fence); `retries` the attempts after which one came."""
    outcomes: dict[str, list[Row]] = {}
    for row in tables.rows("outcome"):
        outcomes.setdefault(str(row["job_id"]), []).append(row)
    live = [(name, row) for name in LIVE for row in tables.rows(name)]
    jobs = {str(row["id"]) for row in tables.rows("job")}
    _check_places(jobs, live, outcomes)
    _check_throttles(live)
    _check_keys(tables, live)
    _check_needs(tables, live)
    _check_leases(jobs, live, outcomes, claims)
    for job_id, ends in outcomes.items():
        ends.sort(key=lambda row: int(row["attempt"]))
        _check_numbers(job_id, ends, [row for _, row in live if str(row["job_id"]) == job_id])
        _check_counting(job_id, ends, live, retries.get(job_id, ()))


def _demand(holds: bool, invariant: str, subject: Any) -> None:  # noqa: FBT001 - it is the demand
    if not holds:
        raise Broken(f"{invariant}: {subject}")


def _check_places(
    jobs: set[str], live: list[tuple[str, Row]], outcomes: Mapping[str, list[Row]]
) -> None:
    places = Counter(str(row["job_id"]) for _, row in live)
    for job_id, count in places.items():
        _demand(count == 1, "a job stands in one table", job_id)
        _demand(job_id in jobs, "no job is invented", job_id)
    _demand(outcomes.keys() <= jobs, "no history without its job", outcomes.keys() - jobs)
    for job_id in jobs - places.keys():
        last = max(outcomes.get(job_id, ()), key=lambda row: int(row["attempt"]), default=None)
        _demand(last is not None and last["state"] in FINAL, "no job is lost", job_id)


def _check_throttles(live: list[tuple[str, Row]]) -> None:
    running = Counter(row["lane"] for name, row in live if name == "lease" and row["lane"])
    for key, count in running.items():
        _demand(count <= MOST_OF_A_KEY, "live per key <= its limit", (key, count))


def _check_keys(tables: Tables, live: list[tuple[str, Row]]) -> None:
    keys = {str(row["id"]): (row["tenant"], row["key"]) for row in tables.rows("job") if row["key"]}
    standing = Counter(
        (keys[str(row["job_id"])], name == "waiting" and row["stage"] == BEHIND)
        for name, row in live
        if str(row["job_id"]) in keys
    )
    for (key, is_behind), count in standing.items():
        _demand(count == 1, "one live job per key besides one behind it", (key, is_behind, count))


def _check_needs(tables: Tables, live: list[tuple[str, Row]]) -> None:
    needing = {str(row["id"]) for row in tables.rows("job") if row["needs"] is not None}
    marked = {str(row["job_id"]) for row in tables.rows("dependent")}
    waiting = {str(row["job_id"]) for _, row in live if row.get("stage") == BEHIND}
    _demand(waiting & needing <= marked, "who waits for others is swept", waiting - marked)
    edges = {str(row["job_id"]) for row in tables.rows("dependency")}
    _demand(edges == needing, "what a job needs is kept as long as the job", edges ^ needing)


def check_key_rows(
    tables: Tables, wanted: Mapping[tuple[str, str], tuple[str, str | None]]
) -> None:
    """Check who has which key; one that stood behind and has ended may be named still."""
    behind = {str(row["job_id"]) for row in tables.rows("waiting") if row["stage"] == BEHIND}
    found = {
        (row["tenant"], row["key"]): (
            str(row["job_id"]),
            str(row["next"]) if str(row["next"]) in behind else None,
        )
        for row in tables.rows("key")
    }
    _demand(found == dict(wanted), "a key is with who took it last", (found, wanted))


def check_first_come(tables: Tables, taken: Collection[Claim]) -> None:
    """Check that nobody of a lane was left behind by a newer one that was just taken from it.

    Suspects among what was set aside are a line of their own.
    """
    created = {str(row["id"]): (row["created_at"], str(row["id"])) for row in tables.rows("job")}
    last = {(claim.place, claim.lapses > 0): created[str(claim.job_id)] for claim in taken}
    for row in tables.rows("waiting"):
        before = last.get((row["place"], row["lapses"] > 0))
        is_in_order = before is None or before < created[str(row["job_id"])]
        _demand(is_in_order, "first come, first served in a lane", row)


def _check_leases(
    jobs: set[str],
    live: list[tuple[str, Row]],
    outcomes: Mapping[str, list[Row]],
    claims: Collection[tuple[str, int]],
) -> None:
    held = Counter((str(row["job_id"]), row["fence"]) for name, row in live if name == "lease")
    ended = Counter(
        (job_id, row["fence"])
        for job_id, ends in outcomes.items()
        for row in ends
        if row["fence"] is not None
    )
    for claim in claims:
        if claim[0] in jobs:
            total = held[claim] + ended[claim]
            _demand(total == 1, "a lease stands or has exactly one outcome", (claim, total))
    _demand(set(held) | set(ended) <= set(claims), "every lease was claimed", held)


def _check_numbers(job_id: str, ends: list[Row], live: list[Row]) -> None:
    numbers = [row["attempt"] for row in ends]
    _demand(numbers == list(range(1, len(ends) + 1)), "attempts are 1, 2, 3 …", (job_id, numbers))
    for row in live:
        is_running = "fence" in row
        _demand(row["attempt"] == len(ends) + is_running, "attempt = claims + endings", job_id)


def _check_counting(
    job_id: str, ends: list[Row], live: list[tuple[str, Row]], retries: Collection[int]
) -> None:
    failures = lapses = 0
    for row in ends:
        before, outcome = failures, row["state"]
        failures += outcome == "failed" or (outcome == "lapsed" and lapses > 0)
        if outcome == "dead":  # counted or not, as its worker said
            failures = row["failures"]
            _demand(failures in {before, before + 1}, "a death counts at most once", job_id)
        lapses = lapses + 1 if outcome == "lapsed" else lapses
        lapses = 0 if outcome in {"failed", "snoozed"} else lapses
        _demand(row["failures"] == failures, "failures = failed + charged lapses", (job_id, row))
        if row["attempt"] in retries:
            failures = lapses = 0
    for name, row in live:
        if str(row["job_id"]) == job_id:
            counted = (row["failures"], row["lapses"])
            _demand(counted == (failures, lapses), f"{name} carries its counts", (job_id, counted))
