"""The lines of a pack: what stands by itself, and what the question leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from leasehold.kit.data import driver_connection
from leasehold_memory.model.units import Sensitivity, UnitKind
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
_STANDING: Final = {
    "bond": """
SELECT units.id, said.summary_text
FROM units
JOIN payload_summary AS said ON said.unit_id = units.id
WHERE units.kind = 3 AND units.state = 'active' AND units.sensitivity <= :most
  AND said.entity_id IS NULL
ORDER BY units.occurred_at DESC, units.id DESC
LIMIT 1
""",
    "capsule": """
SELECT units.id, said.capsule_text
FROM units
JOIN payload_capsule AS said ON said.unit_id = units.id
WHERE units.kind = 6 AND units.state = 'active' AND units.sensitivity <= :most
ORDER BY units.occurred_at DESC, units.id DESC
LIMIT 1
""",
    "loops": """
SELECT units.id, said.loop_text
FROM units
JOIN payload_loop AS said ON said.unit_id = units.id
WHERE units.kind = 7 AND units.state = 'active' AND units.sensitivity <= :most
  AND said.is_open
ORDER BY units.occurred_at DESC, units.id DESC
LIMIT 4
""",
}


def gather(connection: Connection, search: Search, *, may_be_secret: bool) -> Gathered:
    """Read the lines of each section, the most telling first."""
    found = {
        kind: search.hits(Wanted(kinds=[kind], may_be_secret=may_be_secret, is_current=True), most)
        for kind, most in _MOST.items()
    }
    standing = _standing(connection, may_be_secret=may_be_secret)
    told = dict(standing["bond"])
    return {
        **standing,
        "people": [line for line in _lines(found[UnitKind.SUMMARY]) if line[0] not in told],
        "facts": _lines(found[UnitKind.FACT]),
        "loops": [*dict([*_lines(found[UnitKind.LOOP]), *standing["loops"]]).items()],
        "episodes": [_dated(hit) for hit in found[UnitKind.EPISODE]],
    }


def _standing(connection: Connection, *, may_be_secret: bool) -> dict[str, list[Line]]:
    """Read the newest units that hold still, whatever the question is."""
    most = Sensitivity.SECRET if may_be_secret else Sensitivity.PRIVATE
    driver = driver_connection(connection)
    return {
        name: driver.execute(query, {"most": most}).fetchall() for name, query in _STANDING.items()
    }


def _lines(hits: Sequence[Hit]) -> list[Line]:
    return [(hit.unit_id, hit.text) for hit in hits]


def _dated(hit: Hit) -> Line:
    return (hit.unit_id, f"{hit.occurred_at:%Y-%m-%d} {hit.text}")
