"""Job ids are UUIDv7, unique, and each is greater than the one before."""

from __future__ import annotations

import copy
import itertools
import os
import signal
import threading
from uuid import RFC_4122, UUID, SafeUUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.id_source import IdSource
from leasehold.model.ids import uuid7, uuid7_at, uuid7s_at

MILLISECONDS = st.integers(0, 2**48 - 1)
RANDOM = st.binary(min_size=10, max_size=10)


@given(MILLISECONDS, RANDOM)
def test_an_id_is_a_uuid_of_version_7_that_carries_its_time(moment: int, random: bytes) -> None:
    made = uuid7(moment, random)
    assert (made.version, made.variant) == (7, RFC_4122)
    assert made.int >> 80 == moment


@given(st.tuples(MILLISECONDS, MILLISECONDS), RANDOM, RANDOM)
def test_a_later_id_is_greater_in_every_form(moments: tuple[int, int], a: bytes, b: bytes) -> None:
    earlier, later = sorted(moments)
    if earlier < later:
        assert uuid7(earlier, a) < uuid7(later, b)
        assert str(uuid7(earlier, a)) < str(uuid7(later, b))


@pytest.mark.parametrize("random", [b"", b"123456789", b"12345678901"])
def test_an_id_takes_exactly_ten_random_bytes(random: bytes) -> None:
    with pytest.raises(ValueError, match="10 random bytes"):
        uuid7(0, random)


def test_ids_of_one_source_only_grow() -> None:
    ids = IdSource()
    made = [ids.next() for _ in range(5_000)]
    assert made == sorted(set(made))


@given(st.lists(st.integers(10**15, 2 * 10**18), min_size=1, max_size=50))
def test_ids_grow_even_when_the_clock_stands_or_steps_back(moments: list[int]) -> None:
    clock = iter(moments)
    ids = IdSource(clock_ns=lambda: next(clock))
    made = [ids.next() for _ in moments]
    assert made == sorted(set(made))
    assert all(UUID(str(each)).version == 7 for each in made)


def test_an_id_carries_the_clocks_milliseconds() -> None:
    assert (
        IdSource(clock_ns=lambda: 1_700_000_000_123_456_789).next().int >> 80 == 1_700_000_000_123
    )


def test_no_random_bytes_are_used_twice() -> None:
    drawn = itertools.count()
    sizes = []

    def random(size: int) -> bytes:
        sizes.append(size)
        return b"".join(next(drawn).to_bytes(8, "big") for _ in range(size // 8))

    ids = IdSource(clock_ns=lambda: 0, random=random)
    made = [*ids.take(500), ids.next(), *ids.take(499)]
    assert [each.int & (2**62 - 1) for each in made] == list(range(1_000))
    assert sizes == [4_000, 8, 3_992], "randomness is drawn once for all ids of a call"


def test_ids_taken_together_grow_like_those_taken_one_by_one() -> None:
    ids = IdSource(clock_ns=lambda: 1_700_000_000_000_000_000)
    made = [ids.next(), *ids.take(3), ids.next(), *ids.take(0), *ids.take(5_000), ids.next()]
    assert made == sorted(set(made))
    assert len(made) == 5_006


@given(st.integers(0, 2**60 - 100), st.lists(st.binary(min_size=8, max_size=8), max_size=50))
def test_ids_made_together_are_those_made_one_by_one(ticks: int, chances: list[bytes]) -> None:
    together = uuid7s_at(ticks, b"".join(chances))
    singly = [uuid7_at(ticks + at, int.from_bytes(each)) for at, each in enumerate(chances)]
    assert together == singly
    assert [copy.deepcopy(each) for each in together] == singly
    assert {each.is_safe for each in together} <= {SafeUUID.unknown}


def test_threads_never_get_the_same_id() -> None:
    ids = IdSource()
    made: list[list[UUID]] = [[] for _ in range(8)]

    def take(found: list[UUID]) -> None:
        found.extend(ids.next() for _ in range(2_000))

    threads = [threading.Thread(target=take, args=(found,)) for found in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set().union(*made)) == 16_000


def test_a_forked_child_draws_randomness_of_its_own() -> None:
    # The clock stands still, so that only the random part can tell parent and child apart.
    ids = IdSource(clock_ns=lambda: 0)
    ids.next()
    ids._lock.acquire()  # as if another thread were just taking one
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(10)  # ends the child should it wait for that lock
        os.write(writer, b"".join(ids.next().bytes for _ in range(10)))
        os._exit(0)
    ids._lock.release()
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    assert len(told) == 160, "the child came to nothing"
    theirs = {told[start : start + 16][8:] for start in range(0, 160, 16)}
    ours = {ids.next().bytes[8:] for _ in range(300)}
    assert len(theirs) == 10
    assert not theirs & ours


def test_an_id_is_an_ordinary_uuid() -> None:
    made = uuid7(1_700_000_000_000, bytes(range(10)))
    same = UUID(int=made.int)
    assert (made, hash(made), repr(made), str(made)) == (same, hash(same), repr(same), str(same))
    assert made.is_safe is same.is_safe
    assert copy.deepcopy(made) == same
