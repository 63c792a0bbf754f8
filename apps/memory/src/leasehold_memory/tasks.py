"""The nine jobs of a memory, and which of them follow an episode.

Each may run any number of times: what it derives is found again by what it is about, and the same
is no change. All rows of a job and its end are one commit.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

import leasehold as lh
from leasehold.kit.data import driver_connection
from leasehold_memory.data import claims, refreshes
from leasehold_memory.deriving import facts, loops, naming, reflecting, vectors
from leasehold_memory.deriving.attempt import Attempt, this_attempt
from leasehold_memory.deriving.episodes import burst
from leasehold_memory.deriving.failing import MODEL, told
from leasehold_memory.deriving.refreshing import refresh
from leasehold_memory.deriving.scopes import About, Bond, Recent, Scope

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

QUEUE = "memory"
BOND_SCOPE = "rolling:7d"
CAPSULE_LIMIT = 5
BOND_COOLDOWN = timedelta(hours=6)
MODEL_SLOTS = 3  # one less than a companion has: a slow model holds up nothing that needs none

_FREE_JOB: Any = {
    "queue": QUEUE,
    "max_attempts": 5,
    "retry": lh.exponential("5s", factor=2, cap="1h", jitter=0.5),
    "timeout": "10m",
}
# A model that is away, or asks for patience, rests for all of them; what needs none goes on.
_MODEL_JOB: Any = _FREE_JOB | {"throttle": lh.Throttle(MODEL, running=MODEL_SLOTS)}


class HasClient(Protocol):
    """A memory, as far as its queue is concerned."""

    @property
    def client(self) -> lh.Client: ...


# -- what is made of one episode -------------------------------------------------------------------
@lh.task(name="reflect_episode", key=lh.by("unit_id"), **_MODEL_JOB)
def reflect_episode(unit_id: int) -> None:
    """Reflect on an episode, unless its chat has done so already."""
    attempt = this_attempt()
    with told(attempt):
        found = reflecting.ask(attempt, unit_id)
        if found is None:
            return
        with attempt.writing() as connection:
            if reflecting.write(connection, unit_id, found, attempt.job):
                sum_up_again(attempt.memory, connection, unit_id)


@lh.task(name="extract_entities", key=lh.by("unit_id"), **_MODEL_JOB)
def extract_entities(unit_id: int) -> None:
    """Find who and what an episode speaks of."""
    attempt = this_attempt()
    with told(attempt):
        found = naming.ask(attempt, unit_id)
        with attempt.writing() as connection:
            people, topics = naming.write(connection, unit_id, found)
            calls = [person_summary_refresh.call(each) for each in people]
            _enqueue(attempt, connection, calls + [topic_summary_refresh.call(e) for e in topics])


@lh.task(name="extract_facts", key=lh.by("unit_id"), **_MODEL_JOB)
def extract_facts(unit_id: int) -> None:
    """Find what an episode states."""
    attempt = this_attempt()
    with told(attempt):
        found = facts.ask(attempt, unit_id)
        with attempt.writing() as connection:
            _embed(attempt, connection, facts.write(connection, unit_id, found, attempt.job))


@lh.task(name="extract_loops", key=lh.by("unit_id"), **_MODEL_JOB)
def extract_loops(unit_id: int) -> None:
    """Find what an episode leaves open, and what it closes."""
    attempt = this_attempt()
    with told(attempt):
        found = loops.ask(attempt, unit_id)
        with attempt.writing() as connection:
            _embed(attempt, connection, loops.write(connection, unit_id, found, attempt.job))


@lh.task(name="upsert_embeddings", key=lh.by("unit_id"), **_FREE_JOB)
def upsert_embeddings(unit_id: int) -> None:
    """Embed a unit of any kind, unless its vector is of the same text already."""
    attempt = this_attempt()
    with told(attempt, rests=False):
        vectors.upsert(attempt, unit_id)


# -- what is made of many --------------------------------------------------------------------------
@lh.task(name="bond_summary", key=lh.by("scope_key"), **_MODEL_JOB)
def bond_summary(scope_key: str = BOND_SCOPE) -> None:
    """Sum up the last days together."""
    _refresh(Bond(scope_key))


@lh.task(name="person_summary_refresh", key=lh.by("entity_id"), **_MODEL_JOB)
def person_summary_refresh(entity_id: int) -> None:
    """Sum up what was said of a person."""
    _refresh(About(naming.PERSON, entity_id))


@lh.task(name="topic_summary_refresh", key=lh.by("entity_id"), **_MODEL_JOB)
def topic_summary_refresh(entity_id: int) -> None:
    """Sum up what was said of a topic."""
    _refresh(About(naming.TOPIC, entity_id))


@lh.task(name="capsule_refresh", key=lh.by("limit"), **_MODEL_JOB)
def capsule_refresh(limit: int = CAPSULE_LIMIT) -> None:
    """Keep what the last episodes were about in a few words."""
    _refresh(Recent(limit))


def _refresh(scope: Scope) -> None:
    attempt = this_attempt()
    with told(attempt):
        refresh(attempt, scope, lambda connection, ids: _embed(attempt, connection, ids))


# -- what follows ----------------------------------------------------------------------------------
KINDS: tuple[lh.Task[..., None], ...] = (
    reflect_episode,
    extract_entities,
    extract_facts,
    extract_loops,
    upsert_embeddings,
    bond_summary,
    person_summary_refresh,
    topic_summary_refresh,
    capsule_refresh,
)
ABOUT = {naming.PERSON: person_summary_refresh, naming.TOPIC: topic_summary_refresh}
BESIDE_ENTITIES = (reflect_episode, extract_facts, extract_loops, upsert_embeddings)
_SOON: Any = {"delay": "1s", "on_duplicate": "debounce", "max_wait": "10s"}
_OF_EPISODES = tuple(task.with_options(**_SOON) for task in (extract_entities, *BESIDE_ENTITIES))
_CAPSULE_SOON = capsule_refresh.with_options(**_SOON)
_BOND_SOON = bond_summary.with_options(delay="1s")


def after_episode(
    memory: HasClient, connection: Connection | Session, unit_id: int, *, now: datetime
) -> None:
    """Enqueue what follows an episode, on the connection (or session) that has stored it.

    They start 1 s after the last message, and at most 10 s after theirs: those of messages just
    before are put off with them.
    """
    together = [*burst(connection, unit_id, now), unit_id]
    calls = [task.call(each) for each in together for task in _OF_EPISODES]
    calls.append(_CAPSULE_SOON.call(limit=CAPSULE_LIMIT))
    if refreshes.get(connection, BOND_SCOPE).has_rested(BOND_COOLDOWN, now=now):
        calls.append(_BOND_SOON.call(scope_key=BOND_SCOPE))
    memory.client.on(connection).enqueue_all(calls)


def refresh_call(scope_key: str) -> lh.Call | None:
    """Return the job that writes a scope anew; None when there is no such scope."""
    what, _, number = scope_key.partition(":")
    match what:
        case "rolling":
            return bond_summary.call(scope_key)
        case naming.PERSON:
            return person_summary_refresh.call(int(number))
        case naming.TOPIC:
            return topic_summary_refresh.call(int(number))
        case "recent":
            return capsule_refresh.call(int(number))
        case _:
            return None


def sum_up_again(memory: HasClient, connection: Connection, unit_id: int) -> None:
    """Write anew what an episode was summed up in, as when it is a secret by now."""
    calls = [refresh_call(each) for each in claims.scopes_of(connection, unit_id)]
    memory.client.on(connection).enqueue_all([each for each in calls if each is not None])


def _embed(attempt: Attempt, connection: Connection, unit_ids: Iterable[int]) -> None:
    _enqueue(attempt, connection, [upsert_embeddings.call(each) for each in unit_ids])


def _enqueue(attempt: Attempt, connection: Connection, calls: list[Any]) -> None:
    """Enqueue with the job's own commit: a job that is not done has no followers."""
    if calls:
        attempt.memory.client.on(driver_connection(connection)).enqueue_all(calls)
