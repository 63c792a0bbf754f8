"""A worker that kills itself at a point that is told by its number.

`python -m tests.faults.stepping '{"url": …, "queue": …, "point": 7}'`. There is a point before and
after each store operation that matters to saving, and wherever the handler says so. The points that
were reached are printed, one a line.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

import leasehold as lh
from leasehold.store import open_store
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.store.base import Store

EFFECT = "CREATE TABLE stepped (job text, name text, token text)"
PAGES = 3
_OPERATIONS = frozenset({"save", "steps", "checkpoint", "finish"})
_TRANSACTIONS = frozenset({"saving", "transaction"})


class Points:
    """Counts what is reached; at the chosen one this process is killed, as if by anybody."""

    def __init__(self) -> None:
        self.chosen = 0
        self._reached = 0
        self._lock = threading.Lock()

    def reach(self, name: str) -> None:
        with self._lock:
            self._reached += 1
            number = self._reached
        if self.chosen >= 0:
            print(number, name, flush=True)
        if number == self.chosen:
            os.kill(os.getpid(), signal.SIGKILL)


POINTS = Points()
POINTS.chosen = -1  # nothing is printed or killed unless this is the program


class KillingStore:
    """A store with a point before and after each operation."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if name in _OPERATIONS:
            return partial(_around, name, found)
        return partial(_inside, name, found) if name in _TRANSACTIONS else found

    def claim(self, *args: Any, **named: Any) -> Any:
        taken = self._store.claim(*args, **named)
        if taken:  # only then: how often it looks in vain is a matter of time
            POINTS.reach("after claim")
        return taken

    def dedicated(self) -> KillingStore:
        return KillingStore(self._store.dedicated())


def _around(name: str, operation: Callable[..., Any], *args: Any, **named: Any) -> Any:
    POINTS.reach(f"before {name}")
    answer = operation(*args, **named)
    POINTS.reach(f"after {name}")
    return answer


@contextmanager
def _inside(name: str, operation: Callable[..., Any], *args: Any, **named: Any) -> Iterator[Any]:
    POINTS.reach(f"before {name}")
    with operation(*args, **named) as connection:
        POINTS.reach(f"{name} has begun")
        yield connection
        POINTS.reach(f"{name} is to be committed")
    POINTS.reach(f"after {name}")


# -- the job -------------------------------------------------------------------------------------
@lh.task(name="stepping", max_attempts=1)
def stepping(url: str) -> dict[str, Any]:
    """Save pages, run a step of each sort, and end with a page and its data in one commit."""
    job = lh.current_job()
    POINTS.reach("start")
    cursor = job.cursor or 0
    for page in range(cursor, PAGES):
        job.checkpoint(page + 1, done=page + 1, total=PAGES + 1)
        job.progress(note=f"page {page}")
        POINTS.reach("a page is saved")
    plain = job.step("plain", effect_outside, url, str(job.id))
    POINTS.reach("the plain step is done")
    exact = job.step_in_transaction("exact", effect_inside, str(job.id))
    POINTS.reach("the exact step is done")
    if job.cursor == PAGES:
        with job.saving() as connection:
            write(connection, str(job.id), "page", "last")
            job.checkpoint(PAGES + 1, done=PAGES + 1)
            POINTS.reach("the last page is written")
    return {"cursor": cursor, "plain": plain, "exact": exact}


def effect_outside(url: str, job: str) -> str:
    token = uuid4().hex
    POINTS.reach("before the plain effect")
    with open_tables(url) as tables:
        tables.execute(_insert(job, "plain", token))
    POINTS.reach("after the plain effect, before its memory")
    return token


def effect_inside(connection: Any, job: str) -> str:
    token = uuid4().hex
    write(connection, job, "exact", token)
    POINTS.reach("after the exact effect, before its memory")
    return token


def write(connection: Any, job: str, name: str, token: str) -> None:
    connection.execute(_insert(job, name, token))


def _insert(job: str, name: str, token: str) -> str:
    return f"INSERT INTO stepped VALUES ('{job}', '{name}', '{token}')"  # noqa: S608 - our own


# -- the process ---------------------------------------------------------------------------------
class StepOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What it is started with; point 0 kills nothing."""

    url: str
    queue: str
    point: int


def main() -> int:
    options = msgspec.json.decode(sys.argv[1], type=StepOptions)
    POINTS.chosen = options.point
    store: Any = KillingStore(open_store(options.url))
    worker = lh.Worker(lh.Client(store=store), [stepping], queues=[options.queue], poll="50ms")
    return worker.run(until_empty=True).exit_code


if __name__ == "__main__":
    sys.exit(main())
