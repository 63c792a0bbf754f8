"""A waker that was closed harms nobody."""

from __future__ import annotations

import os

from leasehold.store.postgres.connection import Own
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
