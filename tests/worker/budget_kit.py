"""Tasks whose jobs are known to be short or long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import leasehold as lh
from leasehold.model.timing import Measured
from tests.worker.kit import new_worker

if TYPE_CHECKING:
    from leasehold.client import Client


@lh.task(name="short")
def short() -> None: ...


@lh.task(name="long")
def long() -> None: ...


@lh.task(name="shared", throttle=lh.Throttle("host", running=2).key("a"))
def shared() -> None: ...


def knows(client: Client, **seconds: float) -> None:
    """Let earlier workers have measured how long jobs of these kinds take."""
    new_worker(client, [short, long, shared]).run(until_empty=True)
    client.store.note_durations(
        [Measured(kind=kind, seconds=each, weight=1.0) for kind, each in seconds.items()]
    )
