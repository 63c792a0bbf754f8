"""What a lane has room for: random limits, leases, pauses, rates and debts, against the model."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import LaneState, Pause, Rule, RuleChange, room_of, tokens_of
from leasehold.store import open_store
from tests.conformance.kit import claim_lanes, declare, new_jobs, place_of
from tests.conformance.tables import open_tables
from tests.races.kit import mutate

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

RULE, KEY = "host", "host:a"
US, THEM = WorkerId(1), WorkerId(2)
UNIT = 10_000.0  # seconds, far longer than a test takes
MANY = 8
ENOUGH = 1_000

limits = st.fixed_dictionaries(
    {
        "running": st.sampled_from([None, 2, 4]),
        "per_worker": st.sampled_from([None, 1, 3]),
        "rate": st.sampled_from([None, None, 1 / UNIT, 4 / UNIT]),
    }
)
pauses = st.sampled_from([None, None, None, None, -UNIT, UNIT])
worlds = st.fixed_dictionaries(
    {
        "rule": limits,
        "own": limits,
        "ours": st.integers(0, 2),
        "theirs": st.integers(0, 2),
        "rule_pause": pauses,
        "own_pause": pauses,
        "used": st.sampled_from([None, -UNIT / 2, UNIT / 2, 2.5 * UNIT]),
        "owed": st.lists(st.sampled_from([-1.0, 0.5, 2.0]), max_size=2),
        "cost": st.sampled_from([1.0, 2.0]),
    }
)
BURST = 4.0
CLOSE = 0.01  # tokens that may come back while a test runs


def limits_of(said: dict[str, Any]) -> dict[str, Any]:
    return said | {"burst": None if said["rate"] is None else BURST}


def state_of(world: dict[str, Any]) -> LaneState:
    """Say how the key stands: each limit is its own, else its rule's; either may be paused."""
    rule, own = world["rule"], world["own"]
    said = {name: rule[name] if own[name] is None else own[name] for name in own}
    is_rated = said["rate"] is not None
    return LaneState(
        is_known=any(each is not None for each in said.values()),
        is_paused=UNIT in (world["rule_pause"], world["own_pause"]),
        running=world["ours"] + world["theirs"],
        here=world["ours"],
        running_limit=said["running"],
        per_worker=said["per_worker"],
        rate=said["rate"],
        burst=BURST if is_rated else None,
        used_seconds=(world["used"] or 0.0) if is_rated else 0.0,
        owed=sum(world["owed"]) if is_rated else 0.0,
    )


def admitted(state: LaneState, cost: float) -> int:
    """Count how many of this cost may start, one after the other."""
    tokens, count = tokens_of(state), 0
    while count < min(room_of(state), MANY) and min(cost, BURST) <= tokens + CLOSE:
        tokens -= cost
        count += 1
    return count


def build(store: Store, tables: Tables, world: dict[str, Any]) -> None:
    """Write all of it: the leases first, while nothing limits them."""
    declare(store, Rule(name=RULE, running=100), worker=US)
    store.enqueue(new_jobs(MANY, lane=KEY, cost=world["cost"]))
    for worker, count in ((US, world["ours"]), (THEM, world["theirs"])):
        taken = claim_lanes(store, place_of(KEY), worker=worker, limit=count)
        assert len(taken) == count
    store.enqueue(new_jobs(MANY, lane=KEY, cost=world["cost"]))
    for name, said in ((RULE, world["rule"]), (KEY, world["own"])):
        store.change_throttle(name, RuleChange(**limits_of(said), by="Ada"))
    for name, seconds in ((RULE, world["rule_pause"]), (KEY, world["own_pause"])):
        if seconds is not None:
            until = store.now() + timedelta(seconds=seconds)
            store.pause_throttle(name, Pause(until=until))
    is_sqlite = store.url.startswith("sqlite")
    prefix = "leasehold_" if is_sqlite else "leasehold."
    tables.execute(f"DELETE FROM {prefix}bucket")  # noqa: S608 - our names
    if world["used"] is not None:
        full = store.now() + timedelta(seconds=world["used"])
        moment = round(full.timestamp() * 1e6) if is_sqlite else f"'{full.isoformat()}'"
        tables.execute(f"INSERT INTO {prefix}bucket (lane, full_at) VALUES ('{KEY}', {moment})")  # noqa: S608
    for amount in world["owed"]:
        tables.execute(f"INSERT INTO {prefix}charge (lane, amount) VALUES ('{KEY}', {amount})")  # noqa: S608


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    return found


def run(url: str, search: settings) -> None:
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    with open_tables(url) as tables:

        @settings(search)
        @given(world=worlds)
        def check(world: dict[str, Any]) -> None:
            tables.empty()
            with contextlib.closing(open_store(url)) as store:  # no thread of it draws with us
                build(store, tables, world)
                taken = claim_lanes(store, place_of(KEY), worker=US, limit=MANY)
            assert len(taken) == admitted(state_of(world), world["cost"])

        check()


@pytest.mark.timeout(600)
def test_a_claim_takes_what_the_model_allows(url: str, search: settings) -> None:
    run(url, search)


@pytest.mark.parametrize(
    ("guard", "instead"),
    [
        ("AND worker = :worker", ""),
        ("coalesce(rule.paused_until, 0)", "0"),
        ("coalesce(own.running, rule.running),", "coalesce(rule.running, own.running),"),
        ("total(amount)", "0 * total(amount)"),
    ],
)
def test_a_wrong_look_at_a_lane_is_found_out(
    sqlite_url: str,
    search: settings,
    guard: str,
    instead: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mutate(monkeypatch, "lane_states", guard, instead)
    with pytest.raises(AssertionError):
        run(sqlite_url, settings(search, max_examples=ENOUGH))
