"""Derives an episode in a process that kills itself at a point that is told by its number.

`python -m tests.faults.memory_steps` reads a home and a point from each line, and forks a process
that stores an episode there and runs all jobs that follow it. There is a point before each
statement of the application, around each transaction, each claim and each question to the model.
0 kills nothing.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import event

import leasehold as lh
from leasehold import testing
from leasehold.kit.data import Database
from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.settings import open_settings
from tests.faults.document_steps import Ended, Killing
from tests.faults.document_steps import Points as PlainPoints

SAID = "I moved to Tokyo. My sister Emma works as a doctor. Tomorrow I will go to a concert."
SAID_AT = datetime(2026, 3, 5, 9, tzinfo=UTC)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Where one process works, and where it ends."""

    home: str
    point: int


class Points(PlainPoints):
    """Points that also say in which job they are."""

    def reach(self, name: str) -> None:
        kind = ""
        with suppress(lh.LeaseholdError):
            kind = lh.current_job().kind
        super().reach(f"{kind}: {name}")


def main() -> int:
    for line in sys.stdin:
        ended = in_child(msgspec.json.decode(line, type=Asked))
        print(msgspec.json.encode(ended).decode(), flush=True)
    return 0


def in_child(asked: Asked) -> Ended:
    """Fork, so that nothing is imported anew, and wait for the end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        work(Path(asked.home), Points(asked.point, writing))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        names = pipe.read().splitlines()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in {0, -signal.SIGKILL}, code
    return Ended(signal=-code, names=names)


def work(home: Path, points: Points) -> None:
    """Store an episode and derive all that follows from it."""
    settings = open_settings(home)
    with open_memory(home, settings.current().embedding, settings) as memory:
        watch(memory.database, points)
        model = Killing(memory.models.llm(), points, around={"ask_json"})
        setattr(memory.models, "llm", lambda: model)  # noqa: B010 - as attempts find it
        embedder: Any = Killing(memory.embedder, points, around={"embed"})
        memory.embedder = embedder
        client = lh.Client(store=KillingStore(memory.client.store, points))
        store_episode(memory)
        memory.client.store.skew_seconds += 11
        testing.drain(client, tasks, raises=True)
    settings.close()


def store_episode(memory: Memory) -> None:
    """Do what a chat does at its end; the week together is summed up as if it were due."""
    with memory.database.write() as connection:
        unit_id = units.save_episode(
            connection, user_text=SAID, reply_text="I see.", occurred_at=SAID_AT
        )
        tasks.after_episode(memory, connection, unit_id, now=datetime.now(UTC))
        memory.client.on(connection).enqueue(tasks.bond_summary)


def watch(database: Database, points: Points) -> None:
    """Make a point of each statement of the application, and of each of its commits."""

    @event.listens_for(database.engine, "before_cursor_execute")
    def before(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        points.reach(" ".join(statement.split()[:3]))

    @event.listens_for(database.engine, "commit")
    def commit(_connection: object) -> None:
        points.reach("a commit")


class KillingStore(Killing):
    """A store with points around claims and ends, and in the transaction that ends a job."""

    def __init__(self, store: Any, points: Points) -> None:
        super().__init__(store, points, frozenset({"claim_lanes", "finish"}))
        self._store = store

    def dedicated(self) -> KillingStore:
        return KillingStore(self._store.dedicated(), self._points)  # type: ignore[arg-type] # ours

    @contextmanager
    def transaction(self, *args: Any, **named: Any) -> Iterator[Any]:
        with self._store.transaction(*args, **named) as connection:
            self._points.reach("the transaction has begun")
            yield connection
            self._points.reach("the transaction is to be committed")
        self._points.reach("after the transaction")


if __name__ == "__main__":
    sys.exit(main())
