"""Enqueues of a tenant with quotas beside each other: one after the other, and for a while only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import QuotaBusy, QuotaExceeded
from leasehold.model.keys import Unique
from leasehold.model.quotas import QuotaChange
from tests.conformance.kit import new_job, new_jobs
from tests.races.kit import mutate_function

if TYPE_CHECKING:
    from leasehold.model.values import NewJob
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

ACME = "acme"
MANNERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "later": {"delay_seconds": 3600.0},
    "keyed": {"unique": Unique(key="k")},
}


def some(manner: str, count: int) -> list[NewJob]:
    options = dict(MANNERS[manner])
    if manner == "keyed":
        return [new_job(tenant=ACME, unique=Unique(key=f"k{number}")) for number in range(count)]
    return new_jobs(count, tenant=ACME, **options)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("manner", MANNERS)
def test_an_enqueue_waits_for_another_one_and_counts_what_it_wrote(
    race: PostgresRace, manner: str, count: int
) -> None:
    race.store.set_quota(ACME, QuotaChange(waiting=count))

    def second() -> bool:
        try:
            race.store.enqueue([new_job(tenant=ACME, delay_seconds=60.0)])
        except QuotaExceeded:
            return False
        return True

    assert not race.run_beside(lambda store: store.enqueue(some(manner, count)), second)
    assert race.store.quotas()[0].waiting == count


@pytest.mark.parametrize("manner", MANNERS)
def test_one_that_rolls_back_leaves_its_room(race: PostgresRace, manner: str) -> None:
    race.store.set_quota(ACME, QuotaChange(waiting=1, rate=1e-6, burst=1.0))
    race.run_beside(
        lambda store: store.enqueue(some(manner, 1)),
        lambda: race.store.enqueue([new_job(tenant=ACME)]),
        commits=False,
    )
    assert race.store.quotas()[0].waiting == 1


def test_mutant_without_the_lock_two_take_the_last_place(
    race: PostgresRace, tables: Tables
) -> None:
    race.store.set_quota(ACME, QuotaChange(waiting=1))
    with (
        mutate_function(race.url, "lock_quota", "  FOR UPDATE;", "  ;"),
        mutate_function(race.url, "admit", "IF said.tenant IS NOT NULL THEN", "IF false THEN"),
        race.uncommitted() as side,
    ):
        side.store.enqueue([new_job(tenant=ACME)])
        race.store.enqueue([new_job(tenant=ACME)])
        side.commit()
    assert len(tables.rows("ready")) == 2


@pytest.mark.parametrize("manner", MANNERS)
def test_an_open_transaction_keeps_the_others_waiting_for_a_while_only(
    race: PostgresRace, manner: str
) -> None:
    race.store.set_quota(ACME, QuotaChange(waiting=9))
    with race.uncommitted() as side, race.uncommitted() as other:
        side.store.enqueue([new_job(tenant=ACME)])
        race.store.enqueue([new_job(tenant="other"), new_job()])  # nobody else waits
        other.connection.execute("SET LOCAL lock_timeout = '50ms'")
        with pytest.raises(QuotaBusy) as told:
            other.store.enqueue(some(manner, 2))
    assert told.value.tenant == ACME


def test_a_tenant_without_quotas_waits_for_nobody(race: PostgresRace) -> None:
    race.store.set_quota(ACME, QuotaChange(running=1))  # is asked by claims only
    with race.uncommitted() as side:
        side.store.enqueue([new_job(tenant=ACME)])
        race.store.enqueue([new_job(tenant=ACME)])


def test_a_key_and_a_quota_are_locked_in_one_order(race: PostgresRace) -> None:
    race.store.set_quota(ACME, QuotaChange(waiting=9))
    keyed = Unique(key="k")
    with race.uncommitted() as side:
        side.store.enqueue([new_job(tenant=ACME)])
        running = race.start(lambda: race.store.enqueue([new_job(tenant=ACME, unique=keyed)]))
        race.wait_until_blocked(side, running)
        side.store.enqueue([new_job(tenant=ACME, unique=keyed)])  # a deadlock, were it otherwise
        side.commit()
        assert len(running.result(20)) == 1
