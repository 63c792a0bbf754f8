"""A throttle that each tenant has for itself: one tenant's jobs never count for another's."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.keys import Unique
from leasehold.model.lanes import Pause, Rule, RuleChange, own_lane
from leasehold.model.needs import Needs
from leasehold.model.states import State
from leasehold.model.values import Filter
from leasehold.model.why import explain
from tests.conformance.kit import (
    GREET,
    OTHER,
    WORKER,
    declare,
    enqueue_one,
    fail,
    held,
    lapse,
    look,
    make_batch,
    new_job,
    pass_time,
    promote,
    raw,
    settle,
    start_one,
    take_lanes,
    take_one,
    take_suspect,
)

if TYPE_CHECKING:
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

ACME, GLOBEX = "acme", "globex"
EACH = "@domain"  # a throttle that each tenant has for itself …
SITE = "@domain:a.com"  # … and two keys of it, as people write them
OTHER_SITE = "@domain:b.com"
HOUR = 3600.0


@pytest.fixture(autouse=True)
def one_at_a_time(store: Store) -> None:
    declare(store, Rule(name=EACH, running=1))


def fill(store: Store, count: int = 3, lane: str = SITE, **options: Any) -> None:
    """Enqueue as many of both tenants."""
    for tenant in (ACME, GLOBEX):
        jobs = [new_job(lane=lane, tenant=tenant, **options) for _ in range(count)]
        store.enqueue(jobs)


def whose(claims: list[Claim]) -> dict[str, int]:
    return dict(Counter(taken.tenant for taken in claims))


def listed(store: Store, tenant: str | None = None) -> dict[tuple[str, str | None], Any]:
    return {(each.name, each.tenant): each for each in store.throttles(tenant=tenant)}


# -- counting --------------------------------------------------------------------------------------
def test_each_tenant_has_the_limit_for_itself(store: Store) -> None:
    fill(store)
    assert whose(take_lanes(store)) == {ACME: 1, GLOBEX: 1}
    assert take_lanes(store, OTHER) == []


def test_a_slot_that_one_tenant_frees_is_not_anothers(store: Store) -> None:
    fill(store)
    first = take_lanes(store)
    settle(store, next(each for each in first if each.tenant == ACME), "succeeded")
    assert whose(take_lanes(store)) == {ACME: 1}


def test_keys_of_one_tenant_are_counted_each_by_itself(store: Store) -> None:
    fill(store)
    fill(store, lane=OTHER_SITE)
    assert whose(take_lanes(store)) == {ACME: 2, GLOBEX: 2}


def test_without_a_key_all_jobs_of_a_tenant_count_together(store: Store) -> None:
    fill(store, lane=EACH)
    fill(store, lane=EACH, queue="other")
    assert whose(take_lanes(store, queues=["default", "other"])) == {ACME: 1, GLOBEX: 1}


def test_jobs_of_no_tenant_have_keys_of_their_own(store: Store) -> None:
    fill(store)
    store.enqueue([new_job(lane=SITE) for _ in range(3)])
    assert whose(take_lanes(store)) == {ACME: 1, GLOBEX: 1, "": 1}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "@domain:b:c"), ("a:b", "@domain:c")),
        (("a", "@domain"), ("", "@domain:a")),
        (("", "@domain:acme:x"), (ACME, "@domain:x")),
        (("@domain:a", "@domain:b"), ("a", "@domain:b")),
        (("a", "@domain:"), ("a:", "@domain")),
    ],
)
def test_no_tenant_can_name_anothers_key(
    store: Store, one: tuple[str, str], other: tuple[str, str]
) -> None:
    for tenant, lane in (one, other):
        store.enqueue([new_job(lane=lane, tenant=tenant) for _ in range(2)])
    assert whose(take_lanes(store)) == {one[0]: 1, other[0]: 1}


def test_a_shared_throttle_counts_all_tenants_as_ever(store: Store) -> None:
    declare(store, Rule(name="domain", running=1), Rule(name=EACH, running=1))
    fill(store, lane="domain:a.com")
    assert len(take_lanes(store)) == 1


def test_limits_of_each_worker_are_each_tenants_too(store: Store) -> None:
    declare(store, Rule(name=EACH, per_worker=1))
    fill(store)
    assert whose(take_lanes(store)) == {ACME: 1, GLOBEX: 1}
    assert whose(take_lanes(store, OTHER)) == {ACME: 1, GLOBEX: 1}


# -- what becomes of a job -------------------------------------------------------------------------
def test_a_job_shows_the_name_without_the_tenant(store: Store, tables: Tables) -> None:
    job_id = enqueue_one(store, lane=SITE, tenant=ACME)
    alone = enqueue_one(store, lane=EACH, tenant=ACME)
    assert (look(store, job_id).lane, look(store, job_id).state) == (SITE, State.BLOCKED)
    assert look(store, alone).lane == EACH
    found = {job.id: job.lane for job in store.find(Filter(), before=None, limit=9)}
    assert found == {job_id: SITE, alone: EACH}
    assert {row["throttle_key"] for row in tables.view()} == {SITE, EACH}


def test_a_job_stays_in_its_tenants_lane_whatever_happens_to_it(store: Store) -> None:
    fill(store, count=1)
    taken = take_lanes(store)
    for each in taken:
        fail(store, each, delay_seconds=1)
    pass_time(store, 2)
    assert promote(store) == 2
    assert whose(take_lanes(store)) == {ACME: 1, GLOBEX: 1}
    lapse(store)
    assert promote(store) == 2
    assert {take_suspect(store).tenant, take_suspect(store, worker=OTHER).tenant} == {ACME, GLOBEX}


def test_a_job_for_later_comes_to_its_tenants_lane(store: Store) -> None:
    fill(store, delay_seconds=60)
    pass_time(store, 61)
    promote(store)
    assert whose(take_lanes(store)) == {ACME: 1, GLOBEX: 1}


def test_members_and_callbacks_and_keyed_jobs_have_their_tenants_lane(store: Store) -> None:
    fill(store, count=1)
    take_lanes(store)
    on_end = raw({"kind": GREET, "lane": SITE, "timeout_seconds": 9.0})
    batch = make_batch(store, tenant=ACME)
    member = enqueue_one(store, batch=batch, tenant=ACME, lane=SITE, on_end=on_end)
    store.cancel(member, by=None)
    enqueue_one(store, tenant=ACME, lane=SITE, unique=Unique(key="k"))
    enqueue_one(store, tenant=ACME, lane=SITE, needs=Needs(jobs=(member,), even_if_failed=True))
    store.release_dependents([member])
    assert take_lanes(store) == []
    assert listed(store, ACME)[EACH, ACME].waiting == 3


def test_an_operators_retry_goes_back_to_the_tenants_lane(store: Store) -> None:
    taken = start_one(store, lane=SITE, tenant=ACME)
    settle(store, taken, "dead", error="Boom", is_counted=True)
    fill(store, count=1)
    assert store.retry(taken.job_id) is State.BLOCKED
    assert store.reprioritise(taken.job_id, 3) is State.BLOCKED
    claims = take_lanes(store)
    assert whose(claims) == {ACME: 1, GLOBEX: 1}
    assert taken.job_id in {each.job_id for each in claims}


# -- rates and pauses ------------------------------------------------------------------------------
def test_a_rate_is_each_tenants_own(store: Store) -> None:
    declare(store, Rule(name=EACH, rate=1.0, burst=2.0))
    fill(store)
    assert whose(take_lanes(store)) == {ACME: 2, GLOBEX: 2}
    assert take_lanes(store) == []
    assert store.refill_throttle(own_lane(SITE, ACME))
    assert whose(take_lanes(store)) == {ACME: 1}
    pass_time(store, 1)
    assert whose(take_lanes(store)) == {GLOBEX: 1}


def test_what_an_attempt_spent_is_charged_to_its_tenant(store: Store) -> None:
    declare(store, Rule(name=EACH, rate=1.0, burst=2.0))
    fill(store, count=1)
    (mine,) = [each for each in take_lanes(store) if each.tenant == ACME]
    settle(store, mine, "succeeded", spent=9)
    store.tend()
    fill(store, count=1)
    assert whose(take_lanes(store)) == {GLOBEX: 1}


def test_a_handlers_pause_is_for_its_tenant_alone(store: Store) -> None:
    taken = start_one(store, lane=SITE, tenant=ACME)
    assert store.pause_lane(WORKER, held(taken), Pause(seconds=HOUR, reason="429"))
    settle(store, taken, "succeeded")
    fill(store)
    fill(store, lane=OTHER_SITE)
    assert whose(take_lanes(store)) == {ACME: 1, GLOBEX: 2}
    assert listed(store)[SITE, ACME].pause_reason == "429"
    pass_time(store, HOUR + 1)
    assert whose(take_lanes(store)) == {ACME: 1}


# -- what operators say ----------------------------------------------------------------------------
def test_the_closest_of_operators_limits_counts(store: Store) -> None:
    store.change_throttle(own_lane(EACH, ACME), RuleChange(running=2, by="ops"))
    store.change_throttle(own_lane(SITE, ACME), RuleChange(running=3, by="ops"))
    fill(store, count=5)
    fill(store, count=5, lane=OTHER_SITE, queue="other")
    assert whose(take_lanes(store)) == {ACME: 3, GLOBEX: 1}
    assert whose(take_lanes(store, queues=["other"])) == {ACME: 2, GLOBEX: 1}
    assert store.reset_throttle(own_lane(SITE, ACME))
    assert listed(store)[EACH, ACME].running_limit == 2
    assert (SITE, ACME) not in listed(store)


def test_a_rate_for_one_tenant_where_the_rule_has_none(store: Store) -> None:
    store.change_throttle(own_lane(EACH, ACME), RuleChange(running=None, rate=1.0, burst=1.0))
    store.change_throttle(EACH, RuleChange(running=9))
    fill(store)
    assert whose(take_lanes(store)) == {ACME: 1, GLOBEX: 3}


@pytest.mark.parametrize("name", [EACH, own_lane(EACH, ACME), own_lane(SITE, ACME)])
def test_a_pause_stops_what_it_names(store: Store, name: str) -> None:
    store.pause_throttle(name, Pause(by="ops"))
    fill(store)
    assert whose(take_lanes(store)) == ({} if name == EACH else {GLOBEX: 1})
    assert store.resume_throttle(name)
    assert whose(take_lanes(store))[ACME] == 1


# -- what a tenant says ----------------------------------------------------------------------------
def test_a_tenant_can_be_stricter_with_itself_never_less(store: Store) -> None:
    store.change_throttle(EACH, RuleChange(running=4))
    say_as(store, EACH, 3)
    say_as(store, SITE, 1)
    fill(store, count=5)
    fill(store, count=5, lane=OTHER_SITE, queue="other")
    assert whose(take_lanes(store)) == {ACME: 1, GLOBEX: 4}
    assert whose(take_lanes(store, queues=["other"])) == {ACME: 3, GLOBEX: 4}
    say_as(store, EACH, 99)
    assert store.reset_throttle(own_lane(SITE, ACME), tenant=ACME)
    assert whose(take_lanes(store)) == {ACME: 3}
    assert whose(take_lanes(store, queues=["other"])) == {ACME: 1}


def say_as(store: Store, name: str, running: int) -> None:
    """Let the tenant acme say how many of its own may run."""
    store.change_throttle(own_lane(name, ACME), RuleChange(running=running), tenant=ACME)


def test_what_a_tenant_says_counts_for_its_own_keys_alone(store: Store) -> None:
    for name in (
        EACH,
        own_lane(EACH, GLOBEX),
        own_lane(SITE, GLOBEX),
        "domain",
        own_lane(EACH, ""),
    ):
        store.change_throttle(name, RuleChange(running=0), tenant=ACME)
        store.pause_throttle(name, Pause(), tenant=ACME)
    fill(store)
    store.enqueue([new_job(lane=SITE), new_job(lane=SITE)])
    assert whose(take_lanes(store)) == {ACME: 1, GLOBEX: 1, "": 1}
    assert {each for each, _ in listed(store)} == {EACH}


def test_a_tenants_pause_and_operators_are_ended_by_who_made_them(store: Store) -> None:
    lane = own_lane(SITE, ACME)
    store.pause_throttle(lane, Pause(seconds=HOUR, by="ops"))
    store.pause_throttle(lane, Pause(seconds=2 * HOUR, reason="mine", by="ada"), tenant=ACME)
    fill(store)
    assert whose(take_lanes(store)) == {GLOBEX: 1}
    assert store.resume_throttle(lane, tenant=ACME)
    assert not store.resume_throttle(lane, tenant=ACME)
    assert take_lanes(store) == []
    assert store.resume_throttle(lane)
    assert whose(take_lanes(store)) == {ACME: 1}


def test_a_tenant_can_not_open_what_nobody_has_declared(store: Store) -> None:
    lane = own_lane("@unheard:a.com", ACME)
    store.change_throttle(lane, RuleChange(running=5), tenant=ACME)
    enqueue_one(store, lane="@unheard:a.com", tenant=ACME)
    assert take_lanes(store) == []
    (cause, *_) = [each for each in causes(store) if each.reason == "throttle_unknown"]
    assert "@unheard" in cause.text
    store.change_throttle(own_lane("@unheard", ACME), RuleChange(running=9))
    assert take_one(store).tenant == ACME


def causes(store: Store) -> list[Any]:
    (job,) = store.find(Filter(), before=None, limit=9)
    facts = store.facts(job.id)
    assert facts is not None
    said = explain(facts)
    return [said, *said.also]


# -- what is seen ----------------------------------------------------------------------------------
def test_the_list_says_whose_each_is(store: Store) -> None:
    store.change_throttle(own_lane(SITE, ACME), RuleChange(running=5, by="ops"))
    store.change_throttle(own_lane(SITE, ACME), RuleChange(running=2, by="ada"), tenant=ACME)
    store.pause_throttle(own_lane(SITE, ACME), Pause(reason="mine", by="ada"), tenant=ACME)
    store.change_throttle(own_lane(EACH, GLOBEX), RuleChange(running=0, by="ops"))
    fill(store)
    found = listed(store)
    assert set(found) == {(EACH, None), (EACH, GLOBEX), (SITE, ACME)}
    site = found[SITE, ACME]
    assert (site.running_limit, site.tenant_limit, site.waiting) == (5, 2, 3)
    assert (site.pause_reason, site.paused_by, site.set_by) == ("mine", "ada", "ops")
    assert (found[EACH, None].waiting, found[EACH, GLOBEX].waiting) == (6, 3)


def test_a_tenant_sees_its_own_and_nothing_of_others(store: Store) -> None:
    declare(store, Rule(name=EACH, running=1), Rule(name="shared", running=1))
    store.change_throttle(own_lane(EACH, GLOBEX), RuleChange(running=7, by="secret"))
    store.change_throttle(own_lane(SITE, GLOBEX), RuleChange(running=7), tenant=GLOBEX)
    store.pause_throttle(own_lane(OTHER_SITE, ACME), Pause(reason="429", by="secret"))
    store.change_throttle("shared:a.com", RuleChange(running=4))
    fill(store)
    fill(store, lane=OTHER_SITE, count=1)
    take_lanes(store)
    found = listed(store, ACME)
    assert set(found) == {(EACH, ACME), (OTHER_SITE, ACME)}
    rule = found[EACH, ACME]
    assert (rule.running_limit, rule.running, rule.waiting) == (1, 1, 3)
    assert "secret" not in repr(found)
    assert found[OTHER_SITE, ACME].pause_reason == "429"
    assert listed(store, GLOBEX)[EACH, GLOBEX].running_limit == 7
    assert set(listed(store, "nobody")) == {(EACH, "nobody")}


def test_why_names_the_throttle_as_people_do(store: Store) -> None:
    store.change_throttle(own_lane(SITE, ACME), RuleChange(running=0), tenant=ACME)
    enqueue_one(store, lane=SITE, tenant=ACME)
    (cause, *_) = [each for each in causes(store) if each.reason == "throttled"]
    assert f"{SITE} may run none at all" in cause.text
    assert f"--tenant {ACME}" in cause.advice
    store.pause_throttle(own_lane(EACH, ACME), Pause(reason="mine"), tenant=ACME)
    (cause, *_) = [each for each in causes(store) if each.reason == "throttle_paused"]
    assert f"throttle {EACH} is paused" in cause.text


def test_what_says_nothing_any_more_is_forgotten(store: Store) -> None:
    store.pause_throttle(own_lane(SITE, ACME), Pause(seconds=1), tenant=ACME)
    store.pause_throttle(own_lane(SITE, ACME), Pause(seconds=1))
    pass_time(store, 2 * HOUR)
    store.tend()
    store.pause_throttle(own_lane(SITE, ACME), Pause(seconds=HOUR))
    assert listed(store)[SITE, ACME].tenant_limit is None
