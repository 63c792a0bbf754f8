"""The lines of a pack: what stands by itself, and what the question leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import Select, select

from leasehold_memory.data.tables import payload_capsule, payload_loop, payload_summary, unit
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from leasehold_memory.retrieving.hits import Hit
from leasehold_memory.retrieving.wanting import Wanted

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.retrieving.searching import Search

Line: TypeAlias = tuple[int, str]
Gathered: TypeAlias = Mapping[str, Sequence[Line]]

_MOST = {UnitKind.EPISODE: 12, UnitKind.FACT: 16, UnitKind.SUMMARY: 6, UnitKind.LOOP: 6}
# What is told whatever the question is: how things stand lately, what was said last, what is open.
# The kind is named so that the index by kind and time is read from its end.
_STANDING: dict[str, Select[Any]] = {
    "bond": select(unit.c.id, payload_summary.c.summary_text)
    .join_from(unit, payload_summary)
    .where(unit.c.kind == UnitKind.SUMMARY, payload_summary.c.entity_id.is_(None))
    .limit(1),
    "capsule": select(unit.c.id, payload_capsule.c.capsule_text)
    .join_from(unit, payload_capsule)
    .where(unit.c.kind == UnitKind.CAPSULE)
    .limit(1),
    "loops": select(unit.c.id, payload_loop.c.loop_text)
    .join_from(unit, payload_loop)
    .where(unit.c.kind == UnitKind.LOOP, payload_loop.c.is_open)
    .limit(4),
}


def gather(connection: Connection, search: Search, *, may_be_secret: bool) -> Gathered:
    """Read the lines of each section, the most telling first."""
    found = {
        kind: search.hits(Wanted(kinds=[kind], may_be_secret=may_be_secret, is_current=True), most)
        for kind, most in _MOST.items()
    }
    standing = {
        name: _standing(connection, query, may_be_secret=may_be_secret)
        for name, query in _STANDING.items()
    }
    told = dict(standing["bond"])
    return {
        **standing,
        "people": [line for line in _lines(found[UnitKind.SUMMARY]) if line[0] not in told],
        "facts": _lines(found[UnitKind.FACT]),
        "loops": [*dict([*_lines(found[UnitKind.LOOP]), *standing["loops"]]).items()],
        "episodes": [_dated(hit) for hit in found[UnitKind.EPISODE]],
    }


def _standing(connection: Connection, query: Select[Any], *, may_be_secret: bool) -> list[Line]:
    """Read the newest units that hold still, whatever the question is."""
    query = query.where(unit.c.state == UnitState.ACTIVE)
    if not may_be_secret:
        query = query.where(unit.c.sensitivity != Sensitivity.SECRET)
    newest = query.order_by(unit.c.occurred_at.desc(), unit.c.id.desc())
    return [(row[0], row[1]) for row in connection.execute(newest)]


def _lines(hits: Sequence[Hit]) -> list[Line]:
    return [(hit.unit_id, hit.text) for hit in hits]


def _dated(hit: Hit) -> Line:
    return (hit.unit_id, f"{hit.occurred_at:%Y-%m-%d} {hit.text}")
