"""Claims of a tenant with a running quota beside each other: lock its turnstile, then count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Ask
from leasehold.model.quotas import QuotaChange
from tests.conformance.kit import GREET, LEASE_SECONDS, claim, new_jobs, place_of
from tests.races.kit import mutate_function

if TYPE_CHECKING:
    from leasehold.model.values import Claim
    from leasehold.store.postgres.store import PostgresStore
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

ACME = "acme"
SECOND = WorkerId(2)
LIMIT = 3
LOCK = """
      FOR UPDATE SKIP LOCKED);
    EXIT WHEN mine"""


@pytest.fixture(autouse=True)
def held(race: PostgresRace) -> None:
    """More jobs that wait for their tenant than two claims lock."""
    race.store.set_quota(ACME, QuotaChange(running=0))
    race.store.enqueue(new_jobs(30, tenant=ACME))
    assert claim(race.store) == []
    race.store.set_quota(ACME, QuotaChange(running=LIMIT))


def take(store: PostgresStore) -> list[Claim]:
    asks = [Ask(place_of("", stage=f"@{ACME}"), 9)]
    return store.claim_lanes(SECOND, asks, limit=9, leases={GREET: LEASE_SECONDS}).claims


def test_two_claims_at_once_take_no_more_than_the_quota(race: PostgresRace, tables: Tables) -> None:
    with race.uncommitted() as side:
        assert len(take(side.store)) == LIMIT
        assert take(race.store) == []
        side.commit()
    assert take(race.store) == []
    assert len(tables.rows("lease")) == LIMIT


def test_mutant_without_the_lock_two_claims_take_twice_as_many(
    race: PostgresRace, tables: Tables
) -> None:
    instead = LOCK.replace("\n      FOR UPDATE SKIP LOCKED);", ");")
    with mutate_function(race.url, "tenant_room", LOCK, instead), race.uncommitted() as side:
        assert len(take(side.store)) == LIMIT
        assert len(take(race.store)) == LIMIT
        side.commit()
    assert len(tables.rows("lease")) == 2 * LIMIT


def test_a_claim_leaves_what_somebody_has_locked(race: PostgresRace) -> None:
    fresh = new_jobs(2, tenant=ACME)
    race.store.enqueue(fresh)
    with race.uncommitted() as side:
        side.connection.execute(
            "SELECT FROM leasehold.ready WHERE job_id = %s FOR UPDATE", (fresh[0].id,)
        )
        assert len(claim(race.store)) == LIMIT  # waits for nobody, and gives what may start
