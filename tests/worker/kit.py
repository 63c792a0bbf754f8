"""Runs workers, waits for what they do, and changes what a store answers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leasehold.model.ids import WorkerId
from leasehold.model.values import Want
from leasehold.store import open_store
from leasehold.worker import Report, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from uuid import UUID

    from leasehold.client import Client
    from leasehold.model.states import State
    from leasehold.store.base import Store
    from leasehold.task import Task

PATIENCE_SECONDS = 20.0
GONE = WorkerId(666)  # a worker that will never come back


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.005)


def wait_for_file(path: str) -> None:
    wait_until(Path(path).exists, f"{path} is there")


def wait_for_state(client: Client, job_id: UUID, state: State) -> None:
    wait_until(lambda: client.get(job_id).state is state, f"job {job_id} is {state}")


def new_worker(client: Client, tasks: Iterable[Task[..., Any]], **options: Any) -> Worker:
    return Worker(client, tasks, **({"poll": "100ms", "grace": "5s"} | options))


def drain(client: Client, *tasks: Task[..., Any], **options: Any) -> Report:
    """Run a worker until nothing is left to do."""
    return new_worker(client, tasks, **options).run(until_empty=True)


def outcomes(client: Client, job_id: UUID) -> list[str]:
    return [attempt.outcome for attempt in client.history(job_id)]


def ready_count(client: Client) -> int:
    return sum(each.ready for each in client.counts())


def running_count(client: Client) -> int:
    return sum(each.running for each in client.counts())


def all_ended(client: Client) -> bool:
    """Whether nothing runs or is ready, at one moment: two counts could each miss the same job."""
    return all(each.running + each.ready == 0 for each in client.counts())


def let_lapse(client: Client, kinds: Iterable[str], *, queue: str = "default") -> int:
    """Let a worker that died long ago have claimed what is ready, and take its leases back."""
    past = open_store(client.store.url)
    past.skew_seconds = -3600.0
    try:
        wants = [Want(queue, 100)]
        taken = past.claim(GONE, wants, limit=100, leases=dict.fromkeys(kinds, 60.0))
    finally:
        past.close()
    assert len(client.store.reclaim([(each, 0.0) for each in client.store.lapsed(limit=100)])) == (
        len(taken)
    )
    return len(taken)


class ChangedStore:
    """A store of which some operations are a test's own: each is given the real store first."""

    def __init__(self, store: Store, **changed: Callable[..., Any]) -> None:
        self._store = store
        self._changed = changed

    def __getattr__(self, name: str) -> Any:
        if name in self._changed:
            return lambda *args, **named: self._changed[name](self._store, *args, **named)
        return getattr(self._store, name)

    def dedicated(self) -> ChangedStore:
        return ChangedStore(self._store.dedicated(), **self._changed)
