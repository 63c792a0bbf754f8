"""Batches beside open transactions: no member is missed by a seal or an end."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from leasehold.errors import BatchBusy, BatchSealed, StoreBusy
from leasehold.model.batches import Adder, BatchStatus
from tests.conformance.batch_kit import ON_FAILURE, batch_of, callback_of, counts, end, info
from tests.conformance.kit import claim, claim_one, enqueue_one, new_job, settle
from tests.races.kit import PATIENCE_SECONDS, mutate_function

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from tests.races.kit import OpenSide, PostgresRace

KEY_SHARE = "FOR KEY SHARE"
LOCK = "FOR UPDATE SKIP LOCKED"
SECOND_LOOK = """IF leasehold.is_batch_live(asked) THEN
    RETURN;
  END IF;"""
PAUSE = "PERFORM pg_advisory_xact_lock(4711);"


def add(store: Store, batch: JobId) -> JobId:
    return enqueue_one(store, batch=batch)


# -- adding and sealing ----------------------------------------------------------------------------
def test_many_add_at_once_and_nobody_waits(race: PostgresRace) -> None:
    batch, _ = batch_of(race.store)
    with race.uncommitted() as side, race.uncommitted() as other:
        add(side.store, batch)
        add(other.store, batch)
        race.start(lambda: add(race.store, batch)).result(5)
        assert counts(race.store, batch) == {"total": 1, "queued": 1}
        side.commit()
        other.roll_back()
    assert counts(race.store, batch) == {"total": 2, "queued": 2}


@pytest.mark.parametrize("commits", [True, False])
def test_a_seal_waits_for_those_who_are_adding(race: PostgresRace, *, commits: bool) -> None:
    batch, _ = batch_of(race.store)
    status = race.run_beside(
        lambda store: add(store, batch), lambda: race.store.seal_batch(batch), commits=commits
    )
    assert status is BatchStatus.SEALED
    assert race.store.follow_batches([batch]).batches == (() if commits else (batch,))


def test_a_seal_that_waits_too_long_says_who_is_in_the_way(race: PostgresRace) -> None:
    batch, _ = batch_of(race.store)
    patience = ("SET lock_timeout TO '5s'", "SET lock_timeout TO '100ms'")
    with mutate_function(race.url, "lock_batch", *patience), race.uncommitted() as side:
        add(side.store, batch)
        for change in (
            race.store.seal_batch,
            race.store.reopen_batch,
            lambda each: race.store.cancel_batch(each, by=None),
        ):
            with pytest.raises(BatchBusy, match=f"pid {side.pid}.* idle in transaction") as busy:
                change(batch)
            assert isinstance(busy.value, StoreBusy)
            assert (busy.value.batch_id, len(busy.value.holders)) == (batch, 1)
    assert race.store.seal_batch(batch) is BatchStatus.SEALED


def seal_and_end(store: Store, batch: JobId) -> None:
    store.seal_batch(batch)
    store.follow_batches([batch])


def test_who_adds_beside_a_seal_waits_and_is_refused(race: PostgresRace) -> None:
    batch, _ = batch_of(race.store)
    with pytest.raises(BatchSealed):
        race.run_beside(lambda store: seal_and_end(store, batch), lambda: add(race.store, batch))
    assert counts(race.store, batch) == {}


def test_mutant_without_the_lock_a_member_comes_into_an_ended_batch(race: PostgresRace) -> None:
    batch, _ = batch_of(race.store)
    with (
        mutate_function(race.url, "join_batches", KEY_SHARE, ""),
        race.uncommitted() as side,
    ):
        seal_and_end(side.store, batch)
        add(race.store, batch)
        side.commit()
    assert info(race.store, batch).status is BatchStatus.ENDED
    assert counts(race.store, batch) == {"total": 1, "queued": 1}


def test_a_caller_with_an_old_snapshot_can_not_add_to_a_batch_that_was_sealed(
    race: PostgresRace,
) -> None:
    batch, _ = batch_of(race.store)
    with race.uncommitted() as side:
        side.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        side.connection.execute("SELECT count(*) FROM leasehold.batch")
        seal_and_end(race.store, batch)
        with pytest.raises(StoreBusy, match="could not serialize"):
            add(side.store, batch)


# -- the end ---------------------------------------------------------------------------------------
def two_last(race: PostgresRace, stack: ExitStack) -> tuple[OpenSide, OpenSide]:
    """Let the last two members finish in two transactions that are not committed yet."""
    first, second = claim(race.store)
    sides = [stack.enter_context(race.uncommitted()) for _ in range(2)]
    for side, taken in zip(sides, (first, second), strict=True):
        settle(side.store, taken, "succeeded")
    return sides[0], sides[1]


def test_of_two_that_end_at_once_the_later_one_sees_both(race: PostgresRace) -> None:
    batch, members = batch_of(race.store, 2)
    race.store.seal_batch(batch)
    with ExitStack() as stack:
        one, other = two_last(race, stack)
        one.commit()
        assert not end(race.store, *members).is_any
        other.commit()
    assert end(race.store, *members).batches == (batch,)


def test_mutant_that_looks_before_its_commit_calls_nobody(race: PostgresRace) -> None:
    batch, members = batch_of(race.store, 2)
    race.store.seal_batch(batch)
    with ExitStack() as stack:
        sides = two_last(race, stack)
        assert not any(end(side.store, *members).is_any for side in sides)
        for side in sides:
            side.commit()
    assert info(race.store, batch).status is BatchStatus.SEALED
    assert callback_of(race.store, batch) is None


def test_two_who_follow_up_at_once_call_once(race: PostgresRace) -> None:
    batch, members = batch_of(race.store, 1)
    race.store.seal_batch(batch)
    settle(race.store, claim_one(race.store), "succeeded")
    with race.uncommitted() as side:
        assert end(side.store, *members).batches == (batch,)
        second = race.start(lambda: end(race.store, *members)).result(5)
        assert (second.batches, second.busy) == ((), (batch,))
        side.commit()
    assert not end(race.store, *members).is_any
    assert len(claim(race.store, queues=["callbacks"], kinds=["batch.done"])) == 1


def add_from_inside(race: PostgresRace, side: OpenSide, batch: JobId) -> None:
    """Let the only member add another one and end, while the addition is not committed yet."""
    race.store.seal_batch(batch)
    taken = claim_one(race.store)
    adder = Adder(taken.job_id, taken.fence)
    side.store.enqueue([new_job(batch=batch, adder=adder)])
    settle(race.store, taken, "succeeded")


def test_a_batch_does_not_end_while_a_member_is_being_added(race: PostgresRace) -> None:
    batch, members = batch_of(race.store, 1)
    with race.uncommitted() as side:
        add_from_inside(race, side, batch)
        followed = race.start(lambda: end(race.store, *members)).result(5)
        assert (followed.batches, followed.busy) == ((), (batch,))
        side.commit()
    assert not end(race.store, *members).is_any
    last = claim_one(race.store)
    settle(race.store, last, "succeeded")
    assert end(race.store, last.job_id).batches == (batch,)


def test_mutant_without_the_lock_it_ends_before_its_last_member(race: PostgresRace) -> None:
    batch, members = batch_of(race.store, 1)
    with (
        mutate_function(race.url, "follow_batch", f"\n  {LOCK}", ""),
        race.uncommitted() as side,
    ):
        add_from_inside(race, side, batch)
        assert end(race.store, *members).batches == (batch,)
        side.commit()
    assert counts(race.store, batch) == {"total": 2, "succeeded": 1, "queued": 1}


def follow_with_a_pause(race: PostgresRace, batch: JobId, members: list[JobId]) -> None:
    """Let a member be added between the look without the lock and the lock."""
    with (
        closing(psycopg.connect(race.url)) as gate,
        race.uncommitted() as side,
        mutate_function(race.url, "follow_batch", "-- Lock …", PAUSE),
    ):
        gate.execute("SELECT pg_advisory_xact_lock(4711)")
        add_from_inside(race, side, batch)
        following = race.start(lambda: end(race.store, *members))
        race.wait_until_waiting(1)
        side.commit()
        gate.rollback()
        following.result(PATIENCE_SECONDS)


def test_what_was_added_just_before_the_lock_is_seen_after_it(race: PostgresRace) -> None:
    batch, members = batch_of(race.store, 1)
    follow_with_a_pause(race, batch, members)
    assert info(race.store, batch).status is BatchStatus.SEALED


def test_mutant_without_the_second_look_it_ends_too_early(race: PostgresRace) -> None:
    batch, members = batch_of(race.store, 1)
    with mutate_function(race.url, "follow_batch", SECOND_LOOK, ""):
        follow_with_a_pause(race, batch, members)
    assert info(race.store, batch).status is BatchStatus.ENDED


def test_a_failure_is_told_beside_open_transactions_that_add(race: PostgresRace) -> None:
    batch, (member,) = batch_of(race.store, 1, on_failure=ON_FAILURE)
    with race.uncommitted() as side:
        add(side.store, batch)
        settle(race.store, claim_one(race.store), "dead")
        assert race.start(lambda: end(race.store, member)).result(5).failures == (batch,)


# -- claims and finishes ---------------------------------------------------------------------------
def test_claims_and_finishes_do_not_wait_for_a_batch_that_is_locked(race: PostgresRace) -> None:
    batch, _ = batch_of(race.store, 2)
    with race.uncommitted() as side:
        side.store.seal_batch(batch)
        first, second = race.start(lambda: claim(race.store)).result(5)
        race.start(lambda: settle(race.store, first, "succeeded")).result(5)
        race.start(lambda: settle(race.store, second, "succeeded")).result(5)
    assert counts(race.store, batch) == {"total": 2, "succeeded": 2}
