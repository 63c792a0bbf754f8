"""A duty is one worker's at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.model.ids import WorkerId
from leasehold.model.keeping import EVER_SECONDS, Pruning
from leasehold.model.keys import FOR_EVER_SECONDS
from tests.conformance.kit import WORKER, pass_time, start_one

if TYPE_CHECKING:
    from leasehold.store.base import Store


OTHER = WorkerId(7)


def test_one_worker_at_a_time_has_a_duty(store: Store) -> None:
    assert store.take_duty("retention", WORKER, seconds=60) is not None
    assert store.take_duty("retention", OTHER, seconds=60) is None
    assert store.take_duty("retention", WORKER, seconds=60) is None
    assert store.take_duty("something else", OTHER, seconds=60) is not None


def test_a_duty_goes_over_when_its_worker_does_not_renew_it(store: Store) -> None:
    store.take_duty("retention", WORKER, seconds=60)
    assert store.renew_duty("retention", WORKER, seconds=60, cursor="jobs:7")
    pass_time(store, 61)

    taken = store.take_duty("retention", OTHER, seconds=60)

    assert taken is not None
    assert taken.cursor == "jobs:7"
    assert not store.renew_duty("retention", WORKER, seconds=60, cursor="jobs:9")


def test_a_step_says_whether_jobs_run(store: Store) -> None:
    assert not store.prune(Pruning.JOBS).is_busy
    start_one(store)
    assert all(store.prune(what).is_busy for what in Pruning)


def test_for_ever_is_one_number_for_keys_and_jobs() -> None:
    assert EVER_SECONDS == FOR_EVER_SECONDS
