"""A worker that was woken looks until the job is there: a wake-up may come ahead of it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from leasehold.model.states import State
from leasehold.store.base import Wake
from tests.worker.kit import new_worker, wait_for_state, wait_until
from tests.worker.sample_tasks import add_blocking

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    import pytest

    from leasehold.client import Client

LONG_POLL = "60s"


class Scripted:
    """Wakes once, and again while the worker looks; only then the job is committed, unheard."""

    is_polling_only = False

    def __init__(self, commit: Callable[[], None]) -> None:
        self._commit = commit
        self._waits = 0
        self.may_begin = threading.Event()
        self._poked = threading.Event()

    def wait(self, timeout_seconds: float) -> Wake | None:
        if not self.may_begin.wait(0.0 if self._poked.is_set() else min(timeout_seconds, 0.05)):
            return self._take_poke()
        self._waits += 1
        if self._waits <= 2:
            return Wake({"default": 1}, 0)
        if self._waits == 3:
            self._commit()
        self._poked.wait(timeout_seconds)
        return self._take_poke()

    def _take_poke(self) -> Wake | None:
        if not self._poked.is_set():
            return None
        self._poked.clear()
        return Wake(is_poke=True)

    def poke(self) -> None:
        self._poked.set()

    def close(self) -> None:
        pass


def test_a_wake_up_that_comes_amid_the_looks_for_another_job_is_looked_after_as_long(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs: list[UUID] = []
    waker = Scripted(lambda: jobs.append(client.enqueue(add_blocking, 1, 1).id))
    monkeypatch.setattr(type(client.store), "waker", lambda _store, _queues: waker)
    with new_worker(client, [add_blocking], poll=LONG_POLL):
        waker.may_begin.set()
        wait_until(lambda: bool(jobs), "the job is committed")
        wait_for_state(client, jobs[0], State.SUCCEEDED)
