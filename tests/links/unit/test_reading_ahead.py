"""The next step of an import is read while one is written, and by nobody once the import ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

from leasehold_links.importing import one_ahead

WIDE_SECONDS = 20


class Steps:
    """Steps whose second one takes until it may be there."""

    def __init__(self) -> None:
        self.is_read = threading.Event()
        self.may_be_there = threading.Event()
        self.was_left = False

    def __iter__(self) -> Iterator[int]:
        yield 1
        self.is_read.set()
        assert self.may_be_there.wait(WIDE_SECONDS)
        self.was_left = True
        yield 2


def test_the_next_step_is_read_while_one_is_written() -> None:
    steps = Steps()
    with closing(one_ahead(iter(steps))) as ahead:
        assert next(ahead) == 1
        assert steps.is_read.wait(WIDE_SECONDS)
        steps.may_be_there.set()
        assert list(ahead) == [2]


def test_whoever_stops_in_the_midst_of_it_waits_for_the_reader() -> None:
    """Else it would go on with a file that is closed."""
    steps = Steps()
    with closing(one_ahead(iter(steps))) as ahead:
        next(ahead)
        assert steps.is_read.wait(WIDE_SECONDS)
        threading.Timer(0.05, steps.may_be_there.set).start()
    assert steps.was_left
