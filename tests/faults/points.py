"""Processes that do an application's work and kill themselves at a point, told by its number.

There is a point before each statement of the application and at each of its commits (`watch`),
around each claim, each end and each transaction of a job (`killing_store`), and around whatever
else is asked of others (`Killing`). 0 kills nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from sqlalchemy import event

import leasehold as lh
from leasehold.kit.data import Database
from leasehold.store.base import Store
from tests.faults.fleet import ROOT

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class UntilPoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where one process ends; what it does until then is added by its kind."""

    point: int


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How it ended, and which points it came by."""

    signal: int
    names: list[str]


A = TypeVar("A", bound=UntilPoint)


# -- whoever asks ----------------------------------------------------------------------------------
class Steps:
    """A program that forks a process for each thing that is asked of it; see `answer`."""

    def __init__(self, module: str, *words: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *words],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def ask(self, asked: UntilPoint) -> Ended:
        """Let it go on until the point."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(asked).decode() + "\n")
        self._process.stdin.flush()
        return msgspec.json.decode(self._process.stdout.readline(), type=Ended)


# -- the program, and its processes ----------------------------------------------------------------
def answer(kind: type[A], work: Callable[[A, Points], None]) -> int:
    """Do what each line asks for, each in a process of its own, and print how that ended."""
    for line in sys.stdin:
        asked = msgspec.json.decode(line, type=kind)
        print(msgspec.json.encode(_in_child(asked, work)).decode(), flush=True)
    return 0


def _in_child(asked: A, work: Callable[[A, Points], None]) -> Ended:
    """Fork, so that nothing is imported anew, and wait for the end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        work(asked, Points(asked.point, writing))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        names = pipe.read().splitlines()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in {0, -signal.SIGKILL}, code
    return Ended(signal=-code, names=names)


class Points:
    """Tells which points are reached by a pipe, which outlives the process; kills at the chosen."""

    def __init__(self, chosen: int, pipe: int) -> None:
        self._chosen = chosen
        self._pipe = pipe
        self._count = 0

    def reach(self, name: str) -> None:
        """Reach a point; it is told with the kind of the job that it is in, if any."""
        kind = ""
        with suppress(lh.LeaseholdError):
            kind = lh.current_job().kind
        self._count += 1
        os.write(self._pipe, f"{kind}: {name}\n".encode())
        if self._count == self._chosen:
            os.kill(os.getpid(), signal.SIGKILL)


def watch(database: Database, points: Points) -> None:
    """Make a point of each statement of the application, and of each of its commits."""

    @event.listens_for(database.engine, "before_cursor_execute")
    def before(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        points.reach(" ".join(statement.split()[:3]))

    @event.listens_for(database.engine, "commit")
    def commit(_connection: object) -> None:
        points.reach("a commit")


class Killing:
    """Something with a point before and after some of its operations."""

    def __init__(self, what: Any, points: Points, around: Collection[str]) -> None:
        self._what = what
        self._points = points
        self._around = around

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._what, name)
        return partial(self._call, name, found) if name in self._around else found

    def _call(self, name: str, operation: Callable[..., Any], *args: Any, **named: Any) -> Any:
        self._points.reach(f"before {name}")
        answered = operation(*args, **named)
        self._points.reach(f"after {name}")
        return answered


class KillingStore(Killing):
    """A store that also has points in the transaction that ends a job."""

    def dedicated(self) -> KillingStore:
        return KillingStore(self._what.dedicated(), self._points, self._around)

    @contextmanager
    def transaction(self, *args: Any, **named: Any) -> Iterator[Any]:
        with self._what.transaction(*args, **named) as connection:
            self._points.reach("the transaction has begun")
            yield connection
            self._points.reach("the transaction is to be committed")
        self._points.reach("after the transaction")


def killing_store(store: Store, points: Points) -> Any:
    return KillingStore(store, points, frozenset({"claim_lanes", "finish"}))
