"""A waker that was closed harms nobody."""

from __future__ import annotations

import os
import threading

from leasehold.store.postgres.connection import Own
from leasehold.store.postgres.store import PostgresStore
from leasehold.store.postgres.waking import PostgresWaker


def test_a_poke_after_the_close_is_not_written_to_what_came_after() -> None:
    """File descriptors are numbers, and numbers are given out again."""
    waker = PostgresWaker(Own("postgresql://nowhere.invalid/"), frozenset({"default"}))
    waker.close()
    pipes = [os.pipe() for _ in range(4)]  # they get the numbers that were just freed
    try:
        waker.poke()
        for reading, _ in pipes:
            os.set_blocking(reading, False)
            try:
                assert os.read(reading, 1) == b""
            except BlockingIOError:
                continue  # nothing was written
    finally:
        for pipe in pipes:
            for descriptor in pipe:
                os.close(descriptor)


def test_close_is_safe_twice() -> None:
    waker = PostgresWaker(Own("postgresql://nowhere.invalid/"), frozenset())
    waker.close()
    waker.close()


def test_a_notice_that_came_with_a_statements_answer_is_not_slept_over(postgres_url: str) -> None:
    """The driver has read it off the socket by then: there is nothing left to wait for."""
    own = Own(postgres_url)
    waker = PostgresWaker(own, frozenset({"default"}))
    while waker.wait(0.01):  # once, when it begins to listen
        pass
    own.open().pgconn.exec_(b"SELECT pg_notify('leasehold', '1:7:default')")
    wake = waker.wait(0)
    assert wake is not None
    assert wake.arrivals == {"default": 1}
    waker.close()
    own.close()


def test_a_closed_store_leaves_no_thread_behind(postgres_url: str) -> None:
    """Programs open and close many: one that sent wake-ups must not keep a thread and its pool."""
    before = set(threading.enumerate())
    store = PostgresStore(postgres_url)
    store.migrate()
    store.notify({"default": 1})
    assert {thread.name for thread in set(threading.enumerate()) - before} == {"leasehold-notify"}
    store.close()
    assert set(threading.enumerate()) == before
