"""The nine jobs of a memory, and which of them follow an episode.

Each may run any number of times: what it derives is found again by what it is about, and the same
is no change. All rows of a job and its end are one commit.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import leasehold as lh
from leasehold_memory.data import refreshes

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

QUEUE = "memory"
BOND_SCOPE = "rolling:7d"
CAPSULE_LIMIT = 5
BOND_COOLDOWN = timedelta(hours=6)

# A model that is away, or asks for patience, rests for all of them; what needs none goes on.
MODEL = lh.Throttle("memory-model", running=4)
_MODEL_JOB: Any = {
    "queue": QUEUE,
    "max_attempts": 5,
    "retry": lh.exponential("5s", factor=2, cap="1h", jitter=0.5),
    "timeout": "10m",
    "throttle": MODEL,
}
_FREE_JOB: Any = {name: value for name, value in _MODEL_JOB.items() if name != "throttle"}


class HasClient(Protocol):
    """A memory, as far as its queue is concerned."""

    @property
    def client(self) -> lh.Client: ...


@lh.task(name="reflect_episode", key=lh.by("unit_id"), **_MODEL_JOB)
def reflect_episode(unit_id: int) -> None:
    """Reflect on an episode, unless its chat has done so already."""
    _wait(unit_id)


@lh.task(name="extract_entities", key=lh.by("unit_id"), **_MODEL_JOB)
def extract_entities(unit_id: int) -> None:
    """Find who and what an episode speaks of."""
    _wait(unit_id)


@lh.task(name="extract_facts", key=lh.by("unit_id"), **_MODEL_JOB)
def extract_facts(unit_id: int) -> None:
    """Find what an episode states."""
    _wait(unit_id)


@lh.task(name="extract_loops", key=lh.by("unit_id"), **_MODEL_JOB)
def extract_loops(unit_id: int) -> None:
    """Find what an episode leaves open, and what it closes."""
    _wait(unit_id)


@lh.task(name="upsert_embeddings", key=lh.by("unit_id"), **_FREE_JOB)
def upsert_embeddings(unit_id: int) -> None:
    """Embed a unit of any kind, unless its vector is of the same text already."""
    _wait(unit_id)


@lh.task(name="bond_summary", key=lh.by("scope_key"), **_MODEL_JOB)
def bond_summary(scope_key: str = BOND_SCOPE) -> None:
    """Sum up the last days together."""
    _wait(scope_key)


@lh.task(name="person_summary_refresh", key=lh.by("entity_id"), **_MODEL_JOB)
def person_summary_refresh(entity_id: int) -> None:
    """Sum up what was said of a person."""
    _wait(entity_id)


@lh.task(name="topic_summary_refresh", key=lh.by("entity_id"), **_MODEL_JOB)
def topic_summary_refresh(entity_id: int) -> None:
    """Sum up what was said of a topic."""
    _wait(entity_id)


@lh.task(name="capsule_refresh", key=lh.by("limit"), **_MODEL_JOB)
def capsule_refresh(limit: int = CAPSULE_LIMIT) -> None:
    """Keep what the last episodes were about in a few words."""
    _wait(limit)


def _wait(about: int | str) -> NoReturn:
    raise lh.Snooze("1m", reason=f"deriving is on its way: {about}")


# They start 1 s after the last call, and at most 10 s after the first.
_SOON: Any = {"delay": "1s", "on_duplicate": "debounce", "max_wait": "10s"}
_OF_EPISODES = tuple(
    task.with_options(**_SOON)
    for task in (
        reflect_episode,
        extract_entities,
        extract_facts,
        extract_loops,
        upsert_embeddings,
    )
)
_CAPSULE_SOON = capsule_refresh.with_options(**_SOON)
_BOND_SOON = bond_summary.with_options(delay="1s")


def after_episode(
    memory: HasClient, connection: Connection | Session, unit_id: int, *, now: datetime
) -> None:
    """Enqueue what follows an episode, on the connection (or session) that has stored it.

    Stored again while they wait, it is derived once.
    """
    calls = [task.call(unit_id) for task in _OF_EPISODES]
    calls.append(_CAPSULE_SOON.call(limit=CAPSULE_LIMIT))
    if refreshes.has_rested(connection, BOND_SCOPE, BOND_COOLDOWN, now=now):
        calls.append(_BOND_SOON.call(scope_key=BOND_SCOPE))
    memory.client.on(connection).enqueue_all(calls)
