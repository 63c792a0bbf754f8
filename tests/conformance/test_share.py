"""Shares: whose turn a job counts as. The store lists who waits; a worker deals the turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.lanes import Look, Rule, party_of, read_place
from leasehold.model.states import State
from leasehold.model.values import TaskPolicy, WorkerInfo
from tests.conformance.kit import (
    GREET,
    HOST,
    OTHER_HOST,
    RULE,
    WORKER,
    claim,
    claim_lanes,
    declare,
    enqueue_apart,
    enqueue_one,
    look,
    look_lanes,
    new_jobs,
    place_of,
    raw,
    settle,
    take_lanes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.lanes import LaneSeen
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

SHARED: dict[str, Any] = {"lane": "", "share": "ada"}


def shares_of(seen: Sequence[LaneSeen]) -> list[str]:
    return [read_place(lane.place).share for lane in seen]


def test_a_share_without_a_throttle_shows_as_queued(store: Store, tables: Tables) -> None:
    job_id = enqueue_one(store, **SHARED)

    job = look(store, job_id)
    assert (job.state, job.share) == (State.QUEUED, "ada")
    assert [row["status"] for row in tables.view()] == ["queued"]
    assert claim(store) == []
    (taken,) = take_lanes(store)
    assert (taken.job_id, taken.place) == (job_id, place_of("", share="ada"))


def test_a_share_alone_is_limited_by_nothing(store: Store) -> None:
    store.enqueue(new_jobs(200, **SHARED))
    assert len(take_lanes(store, limit=150)) == 150
    assert len(take_lanes(store, limit=150)) == 50


def test_jobs_of_a_share_come_in_order_of_creation(store: Store) -> None:
    created = enqueue_apart(store, 5, **SHARED)
    taken = [*take_lanes(store, limit=2), *take_lanes(store, limit=3)]
    assert [lease.job_id for lease in taken] == created


def test_a_job_with_throttle_and_share_obeys_both(store: Store) -> None:
    declare(store, Rule(name=RULE, running=3))
    for share in ("ada", "bob"):
        store.enqueue(new_jobs(4, lane=HOST, share=share))

    asked = [place_of(HOST, share=share) for share in ("bob", "ada")]
    first = claim_lanes(store, *asked, most=2)
    assert [read_place(lease.place).share for lease in first] == ["bob", "bob", "ada"]
    assert claim_lanes(store, *asked) == []
    settle(store, first[0], "succeeded")
    assert len(claim_lanes(store, *asked)) == 1


def test_one_job_of_a_share_is_seen_beside_many_of_another(store: Store) -> None:
    store.enqueue(new_jobs(500, lane="", share="ada"))
    lonely = enqueue_one(store, lane="", share="bob")

    assert shares_of(look_lanes(store)) == ["ada", "bob"]
    (taken,) = claim_lanes(store, place_of("", share="bob"))
    assert taken.job_id == lonely


def test_shares_stand_behind_each_other_within_a_priority(store: Store) -> None:
    for share, priority in (("bob", 0), ("ada", 0), ("cyd", 5), ("", 0), ("bob", -1)):
        enqueue_one(store, lane="", share=share, priority=priority)

    places = [read_place(lane.place) for lane in look_lanes(store)]
    assert [(place.priority, place.share) for place in places] == [
        (5, "cyd"),
        (0, ""),
        (0, "ada"),
        (0, "bob"),
        (-1, "bob"),
    ]


def test_a_weight_is_told_with_each_of_its_shares_lanes(store: Store) -> None:
    store.change_share("ada", weight=3, by="ops")
    for share in ("ada", "bob"):
        enqueue_one(store, lane="", share=share)

    assert [lane.weight for lane in look_lanes(store)] == [3, 1]
    store.change_share("ada", weight=7, by="ops")
    assert [lane.weight for lane in look_lanes(store)] == [7, 1]


def test_shares_are_listed_by_name_with_what_waits(store: Store) -> None:
    store.change_share("cyd", weight=3, by="ops")
    store.change_share("ada", weight=2, by=None)
    store.enqueue([*new_jobs(3, **SHARED), *new_jobs(2, lane=HOST, share="bob")])
    take_lanes(store, limit=1)

    listed = [(each.name, each.weight, each.waiting) for each in store.shares()]
    assert listed == [("ada", 2, 2), ("bob", 1, 2), ("cyd", 3, 0)]
    assert store.shares()[2].set_by == "ops"


@pytest.fixture
def crowd(store: Store) -> list[str]:
    """Nine parties of three lanes each: their places in order."""
    declare(store, Rule(name=RULE, running=9))
    lanes = [HOST, OTHER_HOST, "domain:c.com"]
    shares = [f"user:{number}" for number in range(9)]
    for share in shares:
        for lane in lanes:
            store.enqueue(new_jobs(2, lane=lane, share=share))
    return [place_of(lane, share=share) for share in shares for lane in lanes]


def test_a_look_lists_each_lane_once_in_the_order_of_places(store: Store, crowd: list[str]) -> None:
    assert [lane.place for lane in look_lanes(store)] == crowd


def test_looks_at_so_many_parties_go_on_where_the_last_one_ended(
    store: Store, crowd: list[str]
) -> None:
    seen: list[str] = []
    after = ""
    for _ in range(4):
        some = store.look_lanes(
            WORKER, [Look("default", after=after)], parties=3, page=10, after={}
        )
        assert len({party_of(lane.place) for lane in some}) in {0, 3}
        seen += [lane.place for lane in some]
        after = party_of(seen[-1])
    assert seen == crowd


def test_looks_at_so_many_lanes_of_a_party_go_on_where_the_last_one_ended(
    store: Store, crowd: list[str]
) -> None:
    first = look_lanes(store, page=2)
    assert [lane.place for lane in first] == [
        place for number, place in enumerate(crowd) if number % 3 < 2
    ]
    after = {party_of(lane.place): lane.place for lane in first}
    second = look_lanes(store, page=2, after=after)
    assert [lane.place for lane in second] == crowd[2::3]


def test_each_look_has_its_own_number_of_parties(store: Store, crowd: list[str]) -> None:
    store.enqueue(new_jobs(1, queue="a", **SHARED))
    store.enqueue(new_jobs(1, queue="z", **SHARED))
    looks = [Look("z"), Look("default"), Look("a")]
    seen = store.look_lanes(WORKER, looks, parties=1, page=10, after={})
    assert [lane.place for lane in seen] == [
        place_of("", queue="a", share="ada"),
        *crowd[:3],
        place_of("", queue="z", share="ada"),
    ]


def test_a_look_sees_its_own_queues_only(store: Store) -> None:
    for queue in ("a", "a ", "a!", "aa", "b"):
        enqueue_one(store, queue=queue, **SHARED)
    assert [read_place(lane.place).queue for lane in look_lanes(store, queues=["a"])] == ["a"]
    assert look_lanes(store, queues=["c"]) == []
    assert look_lanes(store, queues=[]) == []


def test_shares_and_keys_may_be_any_text_that_prints(store: Store) -> None:
    names = ["é", "ß", "a b", "Z", "a", "z", "名", "🦊", "%", "'", "\\", '"', "a:b"]
    declare(store, Rule(name=RULE, running=9))
    for name in names:
        store.enqueue(new_jobs(1, lane=f"{RULE}:{name}", share=name))

    places = [place_of(f"{RULE}:{name}", share=name) for name in names]
    seen = [lane.place for lane in look_lanes(store)]
    assert seen == sorted(places, key=str.encode)
    assert {lease.place for lease in take_lanes(store)} == set(places)


def register(store: Store, **fields: Any) -> None:
    policy = TaskPolicy(
        kind=GREET,
        queue="default",
        priority=0,
        max_attempts=5,
        timeout_seconds=60.0,
        dies_on_lapse=False,
        **fields,
    )
    worker = WorkerInfo(id=WORKER, name="w", queues=(), kinds=(GREET,), slots=1, version="1")
    store.register(worker, [policy])


ARGS = raw({"host": "a.com", "port": 80, "user": "ada"})


@pytest.mark.parametrize(
    ("policy", "lane", "share"),
    [
        ({}, None, None),
        ({"throttle": "gpu"}, "gpu", None),
        ({"throttle": "domain:x"}, "domain:x", None),
        ({"throttle": RULE, "throttle_by": ("host",)}, HOST, None),
        ({"throttle": RULE, "throttle_by": ("host", "port")}, "domain:a.com:80", None),
        ({"share_by": ("user",)}, "", "ada"),
        ({"share_by": ("user", "port")}, "", "ada:80"),
        ({"share_by": ()}, "", "acme"),
        ({"throttle": RULE, "throttle_by": ("host",), "share_by": ("user",)}, HOST, "ada"),
    ],
)
def test_who_leaves_it_to_the_task_is_throttled_and_shared_as_its_workers_said(
    store: Store, policy: dict[str, Any], lane: str | None, share: str | None
) -> None:
    register(store, **policy, cost=2.5)
    job = look(store, enqueue_one(store, args=ARGS, tenant="acme"))
    assert (job.lane, job.share, job.cost) == (lane, share, 2.5)
    said = enqueue_one(store, args=ARGS, tenant="acme", lane="gpu", share="bob", cost=1.0)
    job = look(store, said)
    assert (job.lane, job.share, job.cost) == ("gpu", "bob", 1.0)


def test_who_says_all_has_no_throttle_but_what_was_said(store: Store) -> None:
    register(store, throttle=RULE, throttle_by=("host",), share_by=("user",), cost=2.5)
    said: dict[str, Any] = {"queue": "default", "priority": 0, "max_attempts": 5}
    job_id = enqueue_one(store, args=ARGS, timeout_seconds=60.0, **said)
    job = look(store, job_id)
    assert (job.lane, job.share, job.cost) == (None, None, None)
    assert [lease.job_id for lease in claim(store)] == [job_id]


@pytest.mark.parametrize("count", [1, 3, 600])
def test_jobs_with_and_without_lanes_go_in_with_one_call(store: Store, count: int) -> None:
    declare(store, Rule(name=RULE, running=9999))
    plain = new_jobs(count)
    throttled, shared = new_jobs(count, lane=HOST), new_jobs(count, **SHARED)
    jobs = [*throttled, *plain, *shared]
    assert store.enqueue(jobs) == {}
    assert store.enqueue(jobs).keys() == {job.id for job in jobs}

    assert {lease.job_id for lease in claim(store, limit=9999)} == {job.id for job in plain}
    in_lanes = take_lanes(store, limit=9999)
    assert [lease.job_id for lease in in_lanes] == [job.id for job in (*throttled, *shared)]
