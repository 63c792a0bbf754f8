"""A schedule moves from slot to slot; a slot's jobs are made once, with that move or not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from leasehold.errors import IdConflict
from leasehold.model.keys import Unique
from leasehold.model.schedules import Firing, NewSchedule, ScheduleInfo, make_job, read_schedule
from leasehold.model.states import State
from leasehold.scheduling import NO_ID
from tests.conformance.kit import GREET, HOST, claim, look, new_job, pass_time, promote, raw

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

HOUR = timedelta(hours=1)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def wanted(rule: str = "@hourly", name: str = "nightly", **fields: Any) -> NewSchedule:
    return read_schedule(name, rule, new_job(id=NO_ID, **fields.pop("job", {})), **fields)


def put(store: Store, schedule: NewSchedule | None = None, **fields: Any) -> ScheduleInfo:
    """Make a schedule whose first slot came long ago, or when it is said."""
    said = {"next_at": LONG_AGO, "by": None, "seen": None} | fields
    given = schedule or wanted()
    assert store.put_schedule(given, **said)
    return get(store, given.name, tenant=given.tenant)


def get(store: Store, name: str = "nightly", *, tenant: str = "") -> ScheduleInfo:
    found = store.schedule(name, tenant=tenant)
    assert found is not None
    return found


def firing(seen: ScheduleInfo, **fields: Any) -> Firing:
    """Fire the slot that was seen next."""
    assert seen.next_at is not None
    said: dict[str, Any] = {
        "following": seen.next_at + HOUR,
        "slot": seen.next_at,
        "jobs": [make_job(seen, seen.next_at)],
    }
    return Firing(
        name=seen.name,
        tenant=seen.tenant,
        version=seen.version,
        next_at=seen.next_at,
        **said | fields,
    )


# -- firing ---------------------------------------------------------------------------------------
def test_a_slot_makes_its_job_and_moves_the_schedule_on(store: Store) -> None:
    seen = put(store)
    assert store.fire(firing(seen))
    after = get(store)
    assert (after.next_at, after.last_slot) == (LONG_AGO + HOUR, LONG_AGO)
    (taken,) = claim(store)
    assert (taken.job_id, taken.kind) == (after.last_job, GREET)
    assert after.last_fired_at is not None
    assert abs(after.last_fired_at - store.now()) < timedelta(minutes=5)


def test_the_second_who_fires_a_slot_does_nothing(store: Store) -> None:
    seen = put(store)
    assert store.fire(firing(seen))
    first = get(store)
    assert not store.fire(firing(seen))
    assert get(store) == first
    assert len(claim(store)) == 1


def test_many_slots_are_fired_in_one_step(store: Store) -> None:
    seen = put(store)
    jobs = [make_job(seen, LONG_AGO + number * HOUR) for number in range(5)]
    assert store.fire(firing(seen, jobs=jobs, following=LONG_AGO + 5 * HOUR))
    assert {taken.job_id for taken in claim(store)} == {job.id for job in jobs}
    assert get(store).last_job == jobs[-1].id


def test_a_slot_may_pass_without_a_job(store: Store) -> None:
    seen = put(store)
    assert store.fire(firing(seen, jobs=[], slot=None))
    after = get(store)
    assert (after.next_at, after.last_slot, after.last_job) == (LONG_AGO + HOUR, None, None)
    assert after.last_fired_at is None
    assert claim(store) == []


def test_a_rule_may_have_had_its_last_slot(store: Store) -> None:
    seen = put(store)
    assert store.fire(firing(seen, following=None))
    assert get(store).next_at is None
    assert store.due_schedules(limit=10).schedules == []
    assert store.survey(["default"], [GREET]).schedule_seconds is None


def test_a_schedule_that_was_changed_since_is_not_fired(store: Store) -> None:
    seen = put(store)
    assert store.put_schedule(wanted(missed="none"), next_at=LONG_AGO, by="ada", seen=seen)
    assert not store.fire(firing(seen))
    assert claim(store) == []


def test_a_paused_schedule_is_not_fired_but_by_hand(store: Store) -> None:
    seen = put(store)
    assert store.pause_schedule("nightly", tenant="", by="ada")
    assert not store.fire(firing(seen))
    by_hand = firing(seen, following=seen.next_at, slot=None, is_by_hand=True)
    assert store.fire(by_hand)
    after = get(store)
    assert (after.next_at, after.last_slot) == (LONG_AGO, None)
    assert after.last_job == by_hand.jobs[0].id
    assert len(claim(store)) == 1


def test_jobs_that_can_not_be_written_leave_the_schedule_where_it_is(store: Store) -> None:
    seen = put(store)
    given = firing(seen)
    store.enqueue([new_job(id=given.jobs[0].id, args=raw({"name": "somebody else"}))])
    with pytest.raises(IdConflict):
        store.fire(given)
    assert get(store) == seen


def test_a_slot_whose_job_stands_there_already_is_done(store: Store) -> None:
    seen = put(store)
    given = firing(seen)
    store.enqueue(given.jobs)
    assert store.fire(given)
    assert len(claim(store)) == 1


def test_a_job_with_a_jitter_waits_for_its_time(store: Store) -> None:
    seen = put(store, wanted(jitter="1h"), next_at=store.now())
    assert store.fire(firing(seen))
    assert claim(store) == []
    pass_time(store, 3600)
    assert promote(store) == 1
    assert len(claim(store)) == 1


def test_a_job_keeps_its_options(store: Store) -> None:
    said = {
        "queue": "mail",
        "priority": 7,
        "max_attempts": 2,
        "timeout_seconds": 30.0,
        "lane": HOST,
    }
    seen = put(store, wanted(job={"tenant": "acme", **said}))
    assert store.fire(firing(seen))
    job = look(store, get(store, tenant="acme").last_job or NO_ID)
    assert (job.queue, job.priority, job.max_attempts, job.timeout_seconds) == ("mail", 7, 2, 30.0)
    assert (job.lane, job.tenant, job.created_by) == (HOST, "acme", "schedule nightly")
    assert (job.state, job.run_at) == (State.BLOCKED, LONG_AGO)


def test_a_job_keeps_what_comes_after_it(store: Store, tables: Tables) -> None:
    seen = put(store, wanted(job={"on_end": raw({"kind": "tell"})}))
    assert store.fire(firing(seen))
    (row,) = tables.rows("job")
    found = row["on_end"]
    assert (msgspec.json.decode(found) if isinstance(found, str) else found) == {"kind": "tell"}


def test_a_job_whose_key_is_held_is_not_made_and_the_holder_stands_for_it(store: Store) -> None:
    seen = put(store, wanted(job={"unique": Unique(key="report")}))
    assert store.fire(firing(seen))
    first = get(store)
    assert store.fire(firing(first))
    second = get(store)
    assert second.last_slot == LONG_AGO + HOUR
    assert second.last_job == first.last_job
    assert len(claim(store)) == 1


# -- what is due ----------------------------------------------------------------------------------
def test_due_are_those_whose_slot_has_come_the_longest_due_first(store: Store) -> None:
    now = store.now()
    for name, minutes in (("late", 1), ("later", 30), ("soon", -10), ("much later", -90)):
        put(store, wanted(name=name), next_at=now - timedelta(minutes=minutes))
    due = store.due_schedules(limit=10)
    assert [each.name for each in due.schedules] == ["later", "late"]
    assert due.next_seconds == pytest.approx(600, abs=60)
    assert [each.name for each in store.due_schedules(limit=1).schedules] == ["later"]
    pass_time(store, 3600)
    assert [each.name for each in store.due_schedules(limit=10).schedules] == [
        "later",
        "late",
        "soon",
    ]


def test_a_survey_says_when_the_next_slot_comes(store: Store) -> None:
    assert store.survey(["default"], [GREET]).schedule_seconds is None
    put(store, wanted(name="paused"))
    store.pause_schedule("paused", tenant="", by=None)
    assert store.survey(["default"], [GREET]).schedule_seconds is None
    put(store, next_at=store.now() + timedelta(seconds=90))
    assert store.survey(["default"], [GREET]).schedule_seconds == pytest.approx(90, abs=30)
    pass_time(store, 3600)
    late = store.survey(["default"], [GREET]).schedule_seconds
    assert late is not None
    assert late <= 0


def test_the_clock_is_the_stores(store: Store) -> None:
    before = store.now()
    pass_time(store, 1000)
    assert timedelta(seconds=1000) <= store.now() - before < timedelta(seconds=1100)


# -- making and changing --------------------------------------------------------------------------
def test_a_schedule_is_read_as_it_was_written(store: Store) -> None:
    given = wanted(
        "30 2 * * MON",
        job={"tenant": "acme", "args": raw({"name": "Ada", "n": [1, 2.5, None]})},
        zone="Europe/Berlin",
        dst="skip",
        missed="all",
        missed_cap=7,
        jitter="90s",
    )
    found = put(store, given, by="ada")
    assert found.is_as(given)
    assert (found.set_by, found.version, found.paused_at) == ("ada", 1, None)
    assert (found.next_at, found.created_at, found.kind) == (LONG_AGO, found.updated_at, GREET)


def test_a_name_is_taken_once(store: Store) -> None:
    first = put(store)
    assert not store.put_schedule(wanted("@daily"), next_at=LONG_AGO, by="ada", seen=None)
    assert get(store) == first


def test_tenants_have_names_of_their_own(store: Store) -> None:
    put(store)
    put(store, wanted("@daily", job={"tenant": "acme"}))
    assert [each.rule for each in store.schedules()] == ["@hourly", "@daily"]
    assert [each.rule for each in store.schedules(tenant="acme")] == ["@daily"]
    assert store.delete_schedule("nightly", tenant="acme")
    assert [each.rule for each in store.schedules()] == ["@hourly"]


def test_a_change_is_made_once_of_two_that_saw_the_same(store: Store) -> None:
    seen = put(store)
    assert store.put_schedule(wanted("@daily"), next_at=LONG_AGO + HOUR, by="ada", seen=seen)
    assert not store.put_schedule(wanted("@weekly"), next_at=LONG_AGO, by="bob", seen=seen)
    after = get(store)
    assert (after.rule, after.set_by, after.version) == ("@daily", "ada", 2)
    assert (after.next_at, after.created_at) == (LONG_AGO + HOUR, seen.created_at)


def test_a_change_does_not_bring_back_a_slot_that_was_fired_meanwhile(store: Store) -> None:
    seen = put(store)
    assert store.fire(firing(seen))
    assert not store.put_schedule(wanted(missed="none"), next_at=seen.next_at, by=None, seen=seen)
    assert get(store).next_at == LONG_AGO + HOUR


def test_a_changed_schedule_that_is_paused_stays_so(store: Store) -> None:
    put(store)
    store.pause_schedule("nightly", tenant="", by="ada")
    assert store.put_schedule(wanted("@daily"), next_at=LONG_AGO, by=None, seen=get(store))
    assert get(store).paused_by == "ada"


# -- pause, resume, delete ------------------------------------------------------------------------
def test_a_paused_schedule_is_not_due_until_it_is_resumed(store: Store) -> None:
    put(store)
    assert store.pause_schedule("nightly", tenant="", by="ada")
    assert not store.pause_schedule("nightly", tenant="", by="bob"), "it is already"
    seen = get(store)
    assert (seen.paused_by, seen.paused_at is None) == ("ada", False)
    assert store.due_schedules(limit=10).schedules == []
    assert store.resume_schedule(seen, next_at=LONG_AGO + HOUR)
    assert not store.resume_schedule(seen, next_at=LONG_AGO), "it runs"
    after = get(store)
    assert (after.paused_at, after.paused_by, after.next_at) == (None, None, LONG_AGO + HOUR)
    assert len(store.due_schedules(limit=10).schedules) == 1


def test_a_schedule_that_was_changed_since_is_not_resumed(store: Store) -> None:
    put(store)
    store.pause_schedule("nightly", tenant="", by=None)
    seen = get(store)
    assert store.put_schedule(wanted("@daily"), next_at=LONG_AGO, by=None, seen=seen)
    assert not store.resume_schedule(seen, next_at=LONG_AGO)
    assert get(store).paused_at is not None


def test_what_is_not_there_can_not_be_paused_or_deleted(store: Store) -> None:
    assert not store.pause_schedule("nightly", tenant="", by=None)
    assert not store.delete_schedule("nightly", tenant="")
    assert store.schedule("nightly", tenant="") is None


def test_deleting_a_schedule_leaves_its_jobs(store: Store, tables: Tables) -> None:
    seen = put(store)
    store.fire(firing(seen))
    assert store.delete_schedule("nightly", tenant="")
    assert not store.fire(firing(seen))
    assert tables.rows("schedule") == []
    assert len(claim(store)) == 1


def test_fifty_slots_of_one_schedule_by_many_hands_make_fifty_jobs(store: Store) -> None:
    """Each tries what it saw, also when that is long over."""
    put(store)
    sights = [get(store)]
    for _ in range(50):
        assert sum(store.fire(firing(seen)) for seen in sights) == 1
        sights.append(get(store))
    assert len(claim(store)) == 50
