"""Jobs give way to who chats, one at a time, and never for long."""

from __future__ import annotations

import threading
import time

import pytest

from leasehold_memory.opening import courtesy
from leasehold_memory.opening.courtesy import Courtesy


def begin(courtesy: Courtesy) -> tuple[threading.Thread, threading.Event]:
    """Let a job work, in a thread of its own; returns what says that it has got to it."""
    working = threading.Event()

    def work() -> None:
        with courtesy.working():
            working.set()

    thread = threading.Thread(target=work)
    thread.start()
    return thread, working


def test_a_job_begins_when_the_last_of_those_who_hurry_has_their_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(courtesy, "MOST_SECONDS", 20.0)
    shared = Courtesy()
    with shared.hurrying():
        with shared.hurrying():
            thread, working = begin(shared)
        assert not working.is_set()
    thread.join(10)
    assert working.is_set()


def test_a_job_is_not_held_up_for_long() -> None:
    shared = Courtesy()
    with shared.hurrying():
        began = time.monotonic()
        shared.give_way()
        assert time.monotonic() - began >= courtesy.MOST_SECONDS * 0.9
        thread, working = begin(shared)
        assert working.wait(10)
    thread.join(10)


def test_jobs_work_on_the_file_one_after_the_other() -> None:
    shared = Courtesy()
    with shared.working():
        thread, working = begin(shared)
        with shared.working():
            assert not working.is_set()
    thread.join(10)
    assert working.is_set()


def test_a_job_that_works_rests_between_two_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courtesy, "MOST_SECONDS", 20.0)
    shared = Courtesy()
    with shared.working() as rest:
        rest()
        hurry = shared.hurry()
        threading.Timer(0.05, hurry.close).start()
        rest()
        assert not shared.is_hurried


def test_a_job_that_rests_goes_on_when_its_file_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courtesy, "MOST_SECONDS", 20.0)
    shared = Courtesy()
    stored = threading.Event()

    def store() -> None:
        with shared.first():
            stored.set()

    storing = threading.Thread(target=store)
    began = time.monotonic()
    with shared.working() as rest, shared.hurrying():  # somebody else's words are on their way
        storing.start()
        rest()
    assert time.monotonic() - began < courtesy.MOST_SECONDS
    storing.join(10)
    assert stored.is_set()


def test_a_job_does_not_rest_for_long() -> None:
    shared = Courtesy()
    with shared.working() as rest, shared.hurrying():
        for _ in range(1000):  # altogether, not each time
            rest()


def test_whoever_fails_in_a_hurry_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courtesy, "MOST_SECONDS", 20.0)
    shared = Courtesy()
    with pytest.raises(RuntimeError), shared.hurrying():
        raise RuntimeError
    thread, working = begin(shared)
    assert working.wait(10)
    thread.join(10)


def test_who_chats_does_not_wait_for_jobs_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courtesy, "MOST_SECONDS", 20.0)
    shared = Courtesy()
    with shared.hurrying():
        begun = [begin(shared) for _ in range(3)]
        with shared.first():
            assert not any(working.is_set() for _, working in begun)
    for thread, working in begun:
        thread.join(10)
        assert working.is_set()
