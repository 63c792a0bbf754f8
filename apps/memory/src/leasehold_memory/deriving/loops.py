"""What an episode leaves open, and what it says is over."""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any

from leasehold_memory.data import claims, edges, payloads, reading, units
from leasehold_memory.data.claims import Spoken
from leasehold_memory.deriving.episodes import episode_of, said_of
from leasehold_memory.llm import prompts
from leasehold_memory.model.answers import FoundLoop, Loops
from leasehold_memory.model.names import name_key
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.deriving.attempt import Attempt
    from leasehold_memory.model.stored import Origin, Unit

MOST_KNOWN = 20  # loops that a model is shown, to say which are over


def ask(attempt: Attempt, unit_id: int) -> Loops:
    """Let the model find what an episode opens and closes."""
    with attempt.reading() as connection:
        episode = episode_of(connection, unit_id)
        known = claims.open_before(connection, episode.occurred_at, unit_id, limit=MOST_KNOWN)
    return attempt.ask(Loops, prompts.loops(said_of(episode), known))


def write(connection: Connection, unit_id: int, answer: Loops, job: Origin | None) -> list[int]:
    """Let an episode speak of exactly these loops; returns the units that are other ones now.

    Whether a loop is open is what was said last of it, whichever episode is derived last.
    """
    episode = episode_of(connection, unit_id)
    found = {key: each for each in answer.loops if (key := _identity(connection, each.text))}
    left = _left(connection, unit_id, found)
    saved = {key: _write(connection, episode, key, each, job) for key, each in found.items()}
    units.set_evidence(
        connection, unit_id, UnitKind.LOOP, [each.unit_id for each in saved.values()]
    )
    closed = [saved[key].unit_id for key, each in found.items() if each.is_done]
    claims.set_closing(connection, unit_id, closed)
    for loop in left:
        _settle(connection, loop, without=unit_id, job=job)
    changed = {each.unit_id for each in saved.values() if each.is_changed}
    return sorted(changed | {loop.id for loop in left})


def _identity(connection: Connection, text: str) -> str:
    return claims.loop_called(connection, text) or name_key(text)


def _write(
    connection: Connection, episode: Unit, identity: str, found: FoundLoop, job: Origin | None
) -> units.Saved:
    known = claims.unit_of(connection, UnitKind.LOOP, identity)
    others = [] if known is None else claims.spoken_of(connection, known, without=episode.id)
    own = Spoken(episode.occurred_at, episode.id, found.is_done)
    said = sorted([*others, own])
    payload: dict[str, Any]
    if known is not None and said[-1] != own:
        payload = payloads.read_one(connection, UnitKind.LOOP, known)
    else:
        payload = {"loop_text": " ".join(found.text.split()), "due_at": _due_at(found)}
    return _save(connection, identity, payload, said, job)


def _settle(connection: Connection, loop: Unit, *, without: int, job: Origin | None) -> None:
    """Let a loop that an episode speaks of no more be as the others leave it."""
    said = sorted(claims.spoken_of(connection, loop.id, without=without))
    if said:
        _save(connection, loop.identity or "", dict(loop.payload), said, job)


def _save(
    connection: Connection,
    identity: str,
    payload: dict[str, Any],
    said: list[Spoken],
    job: Origin | None,
) -> units.Saved:
    is_open = not said[-1].is_closing
    return units.save(
        connection,
        UnitKind.LOOP,
        identity,
        payload | {"is_open": is_open},
        occurred_at=said[0].at,
        state=UnitState.ACTIVE if is_open else UnitState.CLOSED,
        job=job,
    )


def _left(connection: Connection, unit_id: int, found: dict[str, FoundLoop]) -> list[Unit]:
    before = edges.derived_from(connection, unit_id, UnitKind.LOOP)
    return [each for each in reading.get_many(connection, before) if each.identity not in found]


def _due_at(found: FoundLoop) -> datetime | None:
    return None if found.due_on is None else datetime.combine(found.due_on, time(), UTC)
