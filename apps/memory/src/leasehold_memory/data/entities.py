"""People, topics, places and things, and which units speak of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, delete, func, or_, select, tuple_, update
from sqlalchemy.dialects.sqlite import insert

from leasehold.kit.data import insert_new
from leasehold_memory.data.sets import among
from leasehold_memory.data.tables import entity, entity_alias, unit, unit_entity
from leasehold_memory.errors import EntityNotFound, SourceGone
from leasehold_memory.model.names import name_key
from leasehold_memory.model.stored import Entity
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

MENTIONS = "mentions"
# Built once: each episode's jobs run them.
_OWN = unit_entity.c.unit_id == bindparam("unit")
_MENTIONED = select(unit_entity.c.entity_id).where(_OWN)
_UNMENTION = delete(unit_entity).where(
    _OWN, unit_entity.c.entity_id.not_in(bindparam("wanted", expanding=True))
)
_NEW_MENTION = insert(unit_entity)
_MENTION = _NEW_MENTION.on_conflict_do_update(
    index_elements=["unit_id", "entity_id"],
    set_={name: _NEW_MENTION.excluded[name] for name in ("role", "weight")},
)
_SPOKEN = (
    select(func.coalesce(func.sum(unit_entity.c.weight), 0.0))
    .join(unit, unit.c.id == unit_entity.c.unit_id)
    .where(
        unit_entity.c.entity_id == entity.c.id,
        unit.c.kind == UnitKind.EPISODE,
        unit.c.state != UnitState.RETRACTED,
    )
    .scalar_subquery()
)
_WEIGH = update(entity).where(entity.c.importance != _SPOKEN).values(importance=_SPOKEN)


class FoundEntities(NamedTuple):
    """A part of a list, and `after` which entity the next one begins; None when it is the last."""

    entities: list[Entity]
    after: int | None = None


def resolve(connection: Connection, kind: str, name: str, aliases: Iterable[str] = ()) -> int:
    """Return the one of this name, or of whom it is the only alias; else make it.

    Names are compared in NFKC and folded case. Aliases are added, and never join two that have
    names of their own: mistaking two people for one is worse than knowing one by two names.
    """
    key = name_key(name)
    known = _named(connection, kind, key)
    entity_id = known if known is not None else _make(connection, kind, name.strip(), key)
    said = {name_key(alias): alias.strip() for alias in aliases}
    rows = [
        {"entity_id": entity_id, "alias_key": alias_key, "alias": alias}
        for alias_key, alias in sorted(said.items())
        if alias_key not in {"", key}
    ]
    if rows and insert_new(connection, entity_alias, rows):
        own = update(entity).where(entity.c.id == entity_id)
        connection.execute(own.values(updated_at=datetime.now(UTC)))
    return entity_id


def mention(
    connection: Connection, unit_id: int, weights: Mapping[int, float], *, role: str = MENTIONS
) -> None:
    """Let a unit speak of exactly these entities; what each of them weighs is summed up anew."""
    known = set(connection.scalars(_MENTIONED, {"unit": unit_id}))
    _require(connection, unit_id, weights)
    connection.execute(_UNMENTION, {"unit": unit_id, "wanted": [*weights]})
    rows = [
        {"unit_id": unit_id, "entity_id": entity_id, "role": role, "weight": weight}
        for entity_id, weight in sorted(weights.items())
    ]
    if rows:
        connection.execute(_MENTION, rows)
    weigh(connection, known | set(weights))


def weigh(connection: Connection, entity_ids: Collection[int]) -> None:
    """Sum up how much episodes speak of these: the same mentions always weigh the same."""
    connection.execute(_WEIGH.where(among(entity.c.id, entity_ids)))


def top(connection: Connection, kind: str, n: int) -> list[int]:
    """Return the most important ones of a kind; of equals those that were met first."""
    query = (
        select(entity.c.id)
        .where(entity.c.kind == kind, entity.c.importance > 0)
        .order_by(entity.c.importance.desc(), entity.c.id)
        .limit(n)
    )
    return list(connection.scalars(query))


def get(connection: Connection, entity_id: int) -> Entity:
    """Return one with its aliases; `EntityNotFound` when there is none."""
    row = connection.execute(select(entity).where(entity.c.id == entity_id)).mappings().first()
    if row is None:
        raise EntityNotFound(entity_id)
    return _whole(connection, [row])[0]


def get_many(connection: Connection, entity_ids: Collection[int]) -> list[Entity]:
    """Return those of some that are there, in the order of their numbers."""
    query = select(entity).where(among(entity.c.id, entity_ids)).order_by(entity.c.id)
    return _whole(connection, connection.execute(query).mappings().all())


def find(
    connection: Connection,
    *,
    kind: str | None = None,
    q: str | None = None,
    after: int | None = None,
    limit: int = 50,
) -> FoundEntities:
    """List them, the most important first; `q` is a part of a name or of an alias."""
    query = select(entity).order_by(entity.c.importance.desc(), entity.c.id)
    if kind is not None:
        query = query.where(entity.c.kind == kind)
    if q is not None and q.strip():
        query = query.where(_is_called_like(q))
    if after is not None:
        query = query.where(tuple_(-entity.c.importance, entity.c.id) > _place_of(after))
    rows = connection.execute(query.limit(limit + 1)).mappings().all()
    found = _whole(connection, rows[:limit])
    return FoundEntities(found, found[-1].id if len(rows) > limit else None)


def mentioned(connection: Connection, unit_id: int) -> dict[int, float]:
    """Return of whom a unit speaks, with their weights."""
    query = select(unit_entity.c.entity_id, unit_entity.c.weight).where(
        unit_entity.c.unit_id == unit_id
    )
    return {row.entity_id: row.weight for row in connection.execute(query)}


def _named(connection: Connection, kind: str, key: str) -> int | None:
    own = select(entity.c.id).where(entity.c.kind == kind, entity.c.name_key == key)
    known: int | None = connection.scalar(own)
    if known is not None:
        return known
    by_alias = (
        select(entity.c.id)
        .join(entity_alias, entity_alias.c.entity_id == entity.c.id)
        .where(entity.c.kind == kind, entity_alias.c.alias_key == key)
        .limit(2)
    )
    found = list(connection.scalars(by_alias))
    return found[0] if len(found) == 1 else None


def _make(connection: Connection, kind: str, name: str, key: str) -> int:
    now = datetime.now(UTC)
    row = {"kind": kind, "name": name, "name_key": key, "created_at": now, "updated_at": now}
    made: int = connection.execute(insert(entity).values(**row).returning(entity.c.id)).scalar_one()
    return made


def _require(connection: Connection, unit_id: int, entity_ids: Collection[int]) -> None:
    """Refuse to speak of what was deleted meanwhile, for whom it must stay forgotten."""
    if connection.scalar(select(unit.c.id).where(unit.c.id == unit_id)) is None:
        raise SourceGone([unit_id])
    there = set(connection.scalars(select(entity.c.id).where(among(entity.c.id, entity_ids))))
    for gone in sorted(set(entity_ids) - there):
        raise EntityNotFound(gone)


def _is_called_like(q: str) -> Any:
    key = name_key(q)
    aliases = select(entity_alias.c.entity_id).where(
        entity_alias.c.alias_key.contains(key, autoescape=True)
    )
    return or_(entity.c.name_key.contains(key, autoescape=True), entity.c.id.in_(aliases))


def _place_of(entity_id: int) -> Any:
    last = entity.alias("last")
    return select(-last.c.importance, last.c.id).where(last.c.id == entity_id).scalar_subquery()


def _whole(connection: Connection, rows: Collection[RowMapping]) -> list[Entity]:
    ids = [row["id"] for row in rows]
    query = select(entity_alias).where(entity_alias.c.entity_id.in_(ids))
    known: dict[int, list[str]] = {each: [] for each in ids}
    for alias in connection.execute(query.order_by(entity_alias.c.alias_key)):
        known[alias.entity_id].append(alias.alias)
    return [Entity(**row, aliases=tuple(known[row["id"]])) for row in rows]
