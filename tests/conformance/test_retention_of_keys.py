"""What is remembered of keys is kept as long as it is asked for, and goes with its jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.ids import JobId
from leasehold.model.keeping import Pruning
from leasehold.model.keys import Unique
from tests.conformance.kit import enqueue_one, pass_time, settle, start_one
from tests.conformance.retention_kit import DAY, prune

if TYPE_CHECKING:
    from leasehold.store.base import Store


def end_keyed(store: Store, unique: Unique) -> JobId:
    taken = start_one(store, unique=unique)
    settle(store, taken, "succeeded")
    return taken.job_id


def test_a_key_for_ever_outlives_its_job(store: Store) -> None:
    unique = Unique(key="order:7", ever=True)
    end_keyed(store, unique)

    pass_time(store, 1000 * DAY)
    assert prune(store) == 1
    assert prune(store, Pruning.KEYS) == 0

    (standing,) = store.enqueue([_again(unique)]).values()
    assert standing.verdict == "ever"
    held = store.key("order:7", tenant="")
    assert held is not None
    assert held.holder_state is None


def test_a_key_that_says_nothing_any_more_goes_after_its_job(store: Store) -> None:
    end_keyed(store, Unique(key="order:7"))
    pass_time(store, DAY)
    assert prune(store, Pruning.KEYS) == 0  # people may look who had it
    pass_time(store, 7 * DAY)
    assert (prune(store), prune(store, Pruning.KEYS)) == (1, 1)

    assert store.key("order:7", tenant="") is None
    assert store.enqueue([_again(Unique(key="order:7"))]) == {}


def test_a_live_jobs_key_stays(store: Store) -> None:
    enqueue_one(store, unique=Unique(key="order:7"), delay_seconds=5000 * DAY)
    pass_time(store, 1000 * DAY)

    assert prune(store, Pruning.KEYS) == 0
    assert store.key("order:7", tenant="") is not None


@pytest.mark.parametrize("word", ["cooldown_seconds", "period_seconds"])
def test_a_cooldown_longer_than_its_job_is_kept_holds_all_the_same(store: Store, word: str) -> None:
    words: dict[str, Any] = {word: 20 * DAY}
    unique = Unique(key="sync", **words)
    job_id = end_keyed(store, unique)

    pass_time(store, 15 * DAY)
    assert prune(store) + prune(store, Pruning.KEYS) == 0
    (standing,) = store.enqueue([_again(unique)]).values()
    assert standing.id == job_id

    pass_time(store, 6 * DAY)
    assert (prune(store), prune(store, Pruning.KEYS)) == (1, 1)


def test_keys_of_all_tenants_are_walked_in_small_steps(store: Store) -> None:
    for tenant in ("", "a", "b"):
        for number in range(3):
            unique = Unique(key=f"order:{number}")
            settle(store, start_one(store, unique=unique, tenant=tenant), "succeeded")
    pass_time(store, 8 * DAY)

    assert prune(store) == 9
    assert prune(store, Pruning.KEYS, limit=2) == 9


def _again(unique: Unique) -> Any:
    from tests.conformance.kit import new_job

    return new_job(unique=unique)
