"""An idle claimer is woken by an enqueue, by a poke, or by its time-out."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

import pytest

from leasehold.store import open_store
from tests.conformance.kit import new_job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store, Waker

LONG = 20.0
SHORT = 0.05


@pytest.fixture
def waker(store: Store) -> Iterator[Waker]:
    """A waker on a connection of its own, already listening, with no wake-up pending."""
    with (
        contextlib.closing(store.dedicated()) as own,
        contextlib.closing(own.waker(frozenset({"default", "mail"}))) as opened,
    ):
        deadline = time.monotonic() + LONG
        while opened.wait(SHORT):
            assert time.monotonic() < deadline, "it never falls silent"
        yield opened


def send(store: Store, queue: str) -> None:
    store.enqueue([new_job(queue=queue)])


def wait_quickly(waker: Waker) -> bool:
    """Wait for long; a wake-up has to end it well before the time is up."""
    start = time.monotonic()
    return waker.wait(LONG) is not None and time.monotonic() - start < LONG / 2


def test_the_time_runs_out_when_nothing_happens(waker: Waker) -> None:
    start = time.monotonic()
    assert waker.wait(SHORT) is None
    assert time.monotonic() - start >= SHORT * 0.9


@pytest.mark.parametrize("queue", ["default", "mail"])
def test_an_enqueue_wakes(store: Store, waker: Waker, queue: str) -> None:
    waiting = threading.Timer(SHORT, send, (store, queue))
    waiting.start()
    assert wait_quickly(waker)
    waiting.join()


def test_an_enqueue_before_the_wait_is_not_missed(store: Store, waker: Waker) -> None:
    send(store, "default")
    assert wait_quickly(waker)


def test_what_came_before_the_first_wait_is_not_missed(store: Store) -> None:
    with (
        contextlib.closing(store.dedicated()) as own,
        contextlib.closing(own.waker(frozenset({"default"}))) as fresh,
    ):
        send(store, "default")
        assert wait_quickly(fresh)


def test_an_enqueue_by_another_store_wakes(store_url: str, waker: Waker) -> None:
    with contextlib.closing(open_store(store_url)) as elsewhere:
        send(elsewhere, "default")
        assert wait_quickly(waker)


def test_jobs_that_come_close_together_all_wake(store: Store, waker: Waker) -> None:
    for _ in range(20):
        send(store, "default")
        assert wait_quickly(waker)


def test_many_jobs_begun_and_written_later_wake(store: Store, waker: Waker) -> None:
    finish = store.begin_enqueue([new_job(), new_job()])
    finish()
    assert wait_quickly(waker)


def test_a_notice_for_what_a_caller_wrote_wakes(store: Store, waker: Waker) -> None:
    store.notify({"mail": 2})
    assert wait_quickly(waker)


def test_a_poke_ends_the_present_wait(waker: Waker) -> None:
    poking = threading.Timer(SHORT, waker.poke)
    poking.start()
    assert wait_quickly(waker)
    poking.join()


def test_a_poke_ends_the_next_wait_once(waker: Waker) -> None:
    waker.poke()
    waker.poke()
    assert wait_quickly(waker)
    assert waker.wait(SHORT) is None


def test_it_does_not_only_poll(waker: Waker) -> None:
    assert waker.is_polling_only is False


def test_notifying_never_fails(store: Store) -> None:
    store.notify({})
    store.notify({"nobody listens": 1})


def test_closing_a_waker_twice_is_safe(store: Store) -> None:
    with contextlib.closing(store.dedicated()) as own:
        waker = own.waker(frozenset({"default"}))
        waker.close()
        waker.close()
