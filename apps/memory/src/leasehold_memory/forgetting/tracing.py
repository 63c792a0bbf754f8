"""Finds every unit that speaks of a person: by what was linked to them, and by their names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, literal_column, or_, select, union

from leasehold_memory.data import entities
from leasehold_memory.data.edges import EVIDENCE
from leasehold_memory.data.sets import among
from leasehold_memory.data.tables import (
    edge,
    entity,
    entity_alias,
    payload_fact,
    payload_summary,
    unit,
    unit_entity,
    unit_version,
)
from leasehold_memory.model.naming import Naming, texts_in
from leasehold_memory.model.units import UnitKind

if TYPE_CHECKING:
    from sqlalchemy import Connection

_PER_STEP = 500
_ROW: Any = literal_column("unit_versions.rowid")  # rises with each version
# What is written anew from many episodes may tell of one in other words.
_RETOLD = (UnitKind.SUMMARY, UnitKind.CAPSULE)


def naming_of(connection: Connection, entity_id: int) -> Naming:
    """Take a person's name and those aliases that nobody else has."""
    known = entities.get(connection, entity_id)
    others = entity.c.id != entity_id
    names = select(entity.c.name).where(others)
    aliases = select(entity_alias.c.alias).where(entity_alias.c.entity_id != entity_id)
    taken = set(connection.scalars(names)) | set(connection.scalars(aliases))
    own = [known.name, *(each for each in known.aliases if each not in taken)]
    people = names.where(entity.c.kind == known.kind)
    return Naming(own, but_for=connection.scalars(people))


def named_entities(connection: Connection, naming: Naming) -> set[int]:
    """Find topics, places and things that are called after them."""
    query = select(entity.c.id, entity.c.name).where(entity.c.kind != "person")
    aliases = select(entity_alias.c.entity_id, entity_alias.c.alias).join(
        entity, (entity.c.id == entity_alias.c.entity_id) & (entity.c.kind != "person")
    )
    rows = [*connection.execute(query), *connection.execute(aliases)]
    return {entity_id for entity_id, name in rows if naming.is_in(name)}


def newest_version(connection: Connection) -> int:
    """Return where versions end that a look from now on sees."""
    return connection.scalar(select(func.max(_ROW)).select_from(unit_version)) or 0


def named_units(connection: Connection, naming: Naming, *, after: int = 0) -> set[int]:
    """Find the units of which any version names them, from a version on."""
    found: set[int] = set()
    for unit_id, identity, payload in _versions(connection, after):
        if unit_id not in found and _is_named(naming, [identity or "", *texts_in(payload)]):
            found.add(unit_id)
    return found


def linked_units(connection: Connection, entity_ids: Iterable[int]) -> set[int]:
    """Find the units that are about these entities."""
    ids = list(entity_ids)
    found = union(
        select(unit_entity.c.unit_id).where(among(unit_entity.c.entity_id, ids)),
        select(payload_summary.c.unit_id).where(among(payload_summary.c.entity_id, ids)),
        select(payload_fact.c.unit_id).where(
            or_(among(payload_fact.c.subject_id, ids), among(payload_fact.c.object_id, ids))
        ),
    )
    return set(connection.scalars(found))


def told_in(connection: Connection, unit_ids: Collection[int]) -> set[int]:
    """Find the episodes that speak for facts and loops among these, by whatever name."""
    query = (
        select(edge.c.target_id)
        .join(unit, unit.c.id == edge.c.source_id)
        .where(among(edge.c.source_id, unit_ids), edge.c.relation == EVIDENCE)
        .where(unit.c.kind.not_in(_RETOLD))
    )
    return set(connection.scalars(query))


def with_retold(connection: Connection, unit_ids: Iterable[int]) -> set[int]:
    """Add what was derived from these: from nothing else, or retold from them among others."""
    gone = set(unit_ids)
    evidence = select(edge.c.source_id, edge.c.target_id, unit.c.kind).join(
        unit, unit.c.id == edge.c.source_id
    )
    touched = select(edge.c.source_id).where(
        among(edge.c.target_id, gone), edge.c.relation == EVIDENCE
    )
    sources: dict[int, set[int]] = {}
    for source_id, target_id, kind in connection.execute(
        evidence.where(edge.c.relation == EVIDENCE, edge.c.source_id.in_(touched))
    ):
        if kind in _RETOLD:
            gone.add(source_id)
        sources.setdefault(source_id, set()).add(target_id)
    return gone | {each for each, targets in sources.items() if targets <= gone}


def _versions(connection: Connection, after: int) -> Iterator[Any]:
    query = (
        select(unit_version.c.unit_id, unit.c.identity, unit_version.c.payload)
        .join(unit, unit.c.id == unit_version.c.unit_id)
        .where(after < _ROW)
    )
    yield from connection.execution_options(yield_per=_PER_STEP).execute(query)


def _is_named(naming: Naming, texts: Iterable[str]) -> bool:
    return any(naming.is_in(text) for text in texts)
