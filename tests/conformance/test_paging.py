"""Pages that are cut because they take long lead, one after the other, to all that `find` lists."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from leasehold import paging
from leasehold.errors import BadOption
from leasehold.model.states import State
from leasehold.model.values import Filter
from leasehold.paging import Page, read_page
from tests.conformance.kit import Place, bring, claim_one, fail, promote, settle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store

STATES: list[State | None] = [None, *State]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each page end after one statement that looks at two jobs."""
    monkeypatch.setattr(paging, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(paging, "FIRST_LOOK", 2)


@pytest.fixture
def jobs(store: Store) -> None:
    """Jobs in all places, one of four in the queue "rare"; some with several attempts."""
    for number in range(4):
        for place in Place:
            queue = f"rare {place}" if number == 2 else f"queue {place}"
            bring(store, place, queue=queue, tenant="rare" if number == 2 else "")
    for _ in range(3):
        tried = bring(store, Place.FAILED, queue="tried")
        store.retry(tried.job_id)
        fail(store, claim_one(store, queues=["tried"]))
        promote(store)
        settle(store, claim_one(store, queues=["tried"]), "succeeded")


def walk(store: Store, where: Filter, limit: int) -> Iterator[Page]:
    before = None
    while True:
        page = read_page(store, where, limit=limit, before=before)
        yield page
        before = page.before
        if before is None:
            return


@pytest.mark.usefixtures("jobs")
@pytest.mark.parametrize("state", STATES)
def test_all_pages_together_are_what_find_lists(store: Store, state: State | None) -> None:
    narrow: list[dict[str, Any]] = [
        {"tenant": "rare"},
        {"queue": "tried"},
        {"queue": "queue ready"},
        {"queue": "nowhere"},
        {},
    ]
    for named in narrow:
        where = Filter(state=state, **named)
        expected = [job.id for job in store.find(where, before=None, limit=1_000)]
        for limit in (1, 3, 1_000):
            pages = list(islice(walk(store, where, limit), 500))
            assert [job.id for page in pages for job in page.jobs] == expected
            assert all(len(page.jobs) <= limit for page in pages)
            assert pages[-1].before is None
            assert all(page.is_cut or len(page.jobs) == limit for page in pages[:-1])


@pytest.mark.usefixtures("jobs")
def test_a_page_looks_at_no_more_than_it_may_before_it_is_cut(store: Store) -> None:
    page = read_page(store, Filter(queue="nowhere"), limit=10, before=None)
    assert page.jobs == []
    assert page.is_cut
    newest = store.find(Filter(), before=None, limit=2)
    assert page.before == newest[-1].id


@pytest.mark.usefixtures("jobs")
def test_who_has_time_gets_a_whole_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "LOOK_SECONDS", 60.0)
    page = read_page(store, Filter(tenant="rare"), limit=4, before=None)
    assert len(page.jobs) == 4
    assert page.before == page.jobs[-1].id
    assert not page.is_cut
    page = read_page(store, Filter(tenant="rare"), limit=1_000, before=None)
    assert len(page.jobs) == len(Place)
    assert page.before is None


@pytest.mark.usefixtures("jobs")
def test_the_last_page_says_that_it_is(store: Store) -> None:
    where = Filter(state=State.DEAD)
    count = len(store.find(where, before=None, limit=1_000))
    assert read_page(store, where, limit=count, before=None).before is None
    assert read_page(store, where, limit=count - 1, before=None).before is not None


def test_a_page_without_room_is_refused(store: Store) -> None:
    with pytest.raises(BadOption, match="limit"):
        read_page(store, Filter(), limit=0, before=None)
