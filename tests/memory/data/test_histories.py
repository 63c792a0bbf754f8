"""Whatever is done to a unit in whatever order, its versions tell all of it, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from leasehold.kit.data import Database
from leasehold_memory.data import texts, units
from leasehold_memory.data.versions import TAGS
from leasehold_memory.model.hashing import payload_hash
from leasehold_memory.model.units import UnitKind, UnitState
from tests.memory.data.kit import NOON, fact, say

if TYPE_CHECKING:
    from sqlalchemy import Connection

Act: TypeAlias = "Callable[[Connection, list[int], int], object]"
PLACES = ("Osaka", "大阪", "Kyoto")


def _derive(place: str, *, is_over: bool) -> Act:
    end = NOON if is_over else None
    return lambda connection, _episodes, _unit_id: fact(
        connection, place, identity="one", valid_to=end, state=_state(is_over=is_over)
    )


def _state(*, is_over: bool) -> UnitState:
    return UnitState.CLOSED if is_over else UnitState.ACTIVE


def _edit(place: str) -> Act:
    return lambda connection, _episodes, unit_id: units.edit(
        connection, unit_id, {"object_text": place}
    )


def _tag(tag: str) -> Act:
    return lambda connection, _episodes, unit_id: units.edit(connection, unit_id, {}, tags=[tag])


def _speak(which: int, *, is_heard: bool) -> Act:
    return lambda connection, episodes, unit_id: units.set_evidence(
        connection, episodes[which], UnitKind.FACT, [unit_id] if is_heard else []
    )


def _back(connection: Connection, _episodes: list[int], unit_id: int) -> None:
    units.rollback(connection, unit_id, 1)


ACTS = some.one_of(
    some.builds(_derive, some.sampled_from(PLACES), is_over=some.booleans()),
    some.builds(_edit, some.sampled_from(PLACES)),
    some.builds(_tag, some.sampled_from(["a", "b"])),
    some.builds(_speak, some.sampled_from([0, 1]), is_heard=some.booleans()),
    some.just(_back),
)


class _Undo(Exception):
    """Ends a transaction."""


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(acts=some.lists(ACTS, max_size=8))
def test_versions_rise_by_one_differ_from_the_one_before_and_end_in_what_it_says(
    database: Database, acts: list[Act]
) -> None:
    try:
        with database.write() as connection:
            episodes = [say(connection), say(connection)]
            unit_id = fact(connection, identity="one").unit_id
            for act in acts:
                act(connection, episodes, unit_id)
                _check(connection, unit_id)
            raise _Undo
    except _Undo:
        pass


def _check(connection: Connection, unit_id: int) -> None:
    known = units.get(connection, unit_id)
    history = units.versions(connection, unit_id)[::-1]
    hashes = [each.payload_hash for each in history]
    assert [each.version for each in history] == [*range(1, known.version + 1)]
    assert all(before != after for before, after in pairwise(hashes))
    assert hashes == [payload_hash(each.payload) for each in history]
    assert known.payload_hash == hashes[-1]
    assert {**known.payload, TAGS: list(known.tags)} == history[-1].payload
    _check_words(connection, known)


def _check_words(connection: Connection, known: units.Unit) -> None:
    """What it says now finds it, unless nothing speaks for it."""
    said = texts.text_of(connection, known.kind, known.payload)
    found = units.find(connection, q=said, kind=UnitKind.FACT).units
    is_silent = known.state is UnitState.RETRACTED
    assert [each.id for each in found] == ([] if is_silent else [known.id])
