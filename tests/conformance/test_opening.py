"""Opening, closing and the tables' version: the same promises on both stores."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from leasehold.store import open_store
from tests.conformance.kit import claim, enqueue_one, look, start_one

if TYPE_CHECKING:
    from leasehold.store.base import Store


def test_a_migrated_store_is_up_to_date(store: Store) -> None:
    status = store.schema()

    assert status.version == status.code_version > 0
    assert status.pending == ()
    store.check_schema()


def test_migrating_again_runs_nothing(store: Store) -> None:
    job_id = enqueue_one(store)

    assert store.migrate() == ()
    assert look(store, job_id).id == job_id


def test_the_url_is_the_one_it_was_opened_with(store: Store, store_url: str) -> None:
    assert store.url == store_url


def test_what_one_store_wrote_another_reads(store: Store, store_url: str) -> None:
    job_id = enqueue_one(store)
    with contextlib.closing(open_store(store_url)) as other:
        assert look(other, job_id).id == job_id


def test_jobs_outlive_the_store_that_wrote_them(store: Store, store_url: str) -> None:
    with contextlib.closing(open_store(store_url)) as first:
        job_id = enqueue_one(first)
    assert claim(store)[0].job_id == job_id


def test_closing_twice_is_safe(store_url: str) -> None:
    store = open_store(store_url)
    enqueue_one(store)
    store.close()
    store.close()


def test_a_dedicated_store_works_and_is_closed_alone(store: Store) -> None:
    own = store.dedicated()
    taken = start_one(own)
    own.close()

    assert look(store, taken.job_id).id == taken.job_id


def test_a_dedicated_store_shares_the_skew_it_was_made_with(store: Store) -> None:
    store.skew_seconds = 500.0
    with contextlib.closing(store.dedicated()) as own:
        assert own.skew_seconds == 500.0


def test_an_examination_has_no_problem_to_report(store: Store) -> None:
    findings = store.examine()

    assert findings
    assert {finding.level for finding in findings} <= {"ok", "warning"}
    assert all(finding.topic and finding.message for finding in findings)


def test_chores_may_be_done_any_time(store: Store) -> None:
    for _ in range(3):
        enqueue_one(store)
        store.tend()
    assert len(claim(store)) == 3
