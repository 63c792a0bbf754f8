"""Derives everything again from episodes: the same model comes to the same hashes.

Nothing is deleted before: what is found again keeps its number and its versions, and what nothing
speaks for any more is retracted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import exists, select

import leasehold as lh
from leasehold_memory import tasks
from leasehold_memory.data import entities
from leasehold_memory.data.edges import EVIDENCE
from leasehold_memory.data.standing import settle
from leasehold_memory.data.tables import edge, payload_summary, unit
from leasehold_memory.deriving import episodes, naming
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.opening import Memory

_PAGE = 200


class Replayed(NamedTuple):
    """What was enqueued: everything is derived anew when these jobs have ended."""

    episodes: int
    jobs: int


def replay(memory: Memory) -> Replayed:
    """Enqueue the deriving of everything; what waits already is not enqueued twice.

    Summaries of people and topics wait until those are found anew in their episodes.
    """
    with memory.database.write() as connection:
        _retract_unfounded(connection)
    naming_jobs: dict[int, UUID] = {}
    others = 0
    for page in _pages(memory):
        found = memory.client.enqueue_all(tasks.extract_entities.call(each) for each in page)
        naming_jobs |= {each: answer.id for each, answer in zip(page, found, strict=True)}
        rest = [task.call(each) for each in page for task in tasks.BESIDE_ENTITIES]
        others += _count([*found, *memory.client.enqueue_all(rest)])
    return Replayed(len(naming_jobs), others + _sum_up(memory, naming_jobs))


def _pages(memory: Memory) -> Iterator[Sequence[int]]:
    """Return all episodes in the order in which they were said."""
    query = (
        select(unit.c.id)
        .where(unit.c.kind == UnitKind.EPISODE, unit.c.state != UnitState.RETRACTED)
        .order_by(unit.c.occurred_at, unit.c.id)
    )
    with memory.database.read() as connection:
        found = list(connection.scalars(query))
    for begin in range(0, len(found), _PAGE):
        yield found[begin : begin + _PAGE]


def _sum_up(memory: Memory, naming_jobs: dict[int, UUID]) -> int:
    calls = [tasks.bond_summary.call(), tasks.capsule_refresh.call()]
    with memory.database.read() as connection:
        for what, task in tasks.ABOUT.items():
            for entity_id in _summed_up(connection, what):
                found = episodes.mentioning(connection, entity_id)
                waits = [naming_jobs[each.id] for each in found if each.id in naming_jobs]
                later = task.with_options(after=waits, even_if_failed=True) if waits else task
                calls.append(later.call(entity_id))
    return _count(memory.client.enqueue_all(calls))


def _summed_up(connection: Connection, what: str) -> list[int]:
    """Return those that have a summary, and those that are important."""
    scope = payload_summary.c.scope_key.startswith(f"{what}:", autoescape=True)
    known = connection.scalars(select(payload_summary.c.entity_id).where(scope))
    return sorted({*filter(None, known), *entities.top(connection, what, naming.TOP)})


def _retract_unfounded(connection: Connection) -> None:
    """Retract what nothing speaks for, as when its last episode was deleted."""
    evidence = exists().where(edge.c.source_id == unit.c.id, edge.c.relation == EVIDENCE)
    query = select(unit.c.id).where(
        unit.c.kind != UnitKind.EPISODE, unit.c.state != UnitState.RETRACTED, ~evidence
    )
    for unit_id in list(connection.scalars(query)):
        settle(connection, unit_id)


def _count(answers: Sequence[lh.Enqueued[object]]) -> int:
    return sum(answer.is_new for answer in answers)
