"""A memory goes out as lines and comes in again as it was; a second time nothing changes."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from leasehold_memory import tasks
from leasehold_memory.data import entities, refreshes, units
from leasehold_memory.data.tables import metadata
from leasehold_memory.errors import BadExport, ImportConflict
from leasehold_memory.exporting import export_memory, import_memory
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.settings import Settings
from leasehold_memory.settings.home import memory_file
from tests.memory.data.kit import NOON, fact, say, summary


def _fill(memory: Memory) -> dict[str, int]:
    with memory.database.write() as connection:
        emma = entities.resolve(connection, "person", "Emma", ["エマ"])
        episode = say(connection, "エマは大阪に住んでいる\u2028", tags=["友達"])
        secret = say(connection, "a secret", sensitivity=Sensitivity.SECRET)
        entities.mention(connection, episode, {emma: 1.5})
        units.reflect(connection, episode, {"mood": "glad"}, author="job")
        osaka = fact(connection, "大阪", subject_id=emma, valid_to=NOON).unit_id
        gone = fact(connection, "Kyoto", state=UnitState.RETRACTED).unit_id
        units.set_evidence(connection, episode, UnitKind.FACT, [osaka])
        units.edit(connection, osaka, {"object_text": "堺"})
        bond = summary(connection, "close", evidence=[episode]).unit_id
        refreshes.note(connection, "rolling:7d", secret, now=NOON)
    return {"emma": emma, "episode": episode, "osaka": osaka, "gone": gone, "bond": bond}


def _lines(memory: Memory) -> list[bytes]:
    out = io.BytesIO()
    export_memory(memory, out)
    return out.getvalue().splitlines(keepends=True)


def _rows(memory: Memory) -> dict[str, list[Any]]:
    with memory.database.read() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table))))
            for table in metadata.sorted_tables
        }


@pytest.fixture
def second(home: Path, settings: Settings, sqlite_template: Path) -> Iterator[Memory]:
    """An empty memory, of another preset."""
    shutil.copy(sqlite_template, memory_file(home, "second"))
    preset = msgspec.structs.replace(settings.current().embedding, id="second")
    with open_memory(home, preset, settings) as opened:
        yield opened


def test_a_memory_comes_in_as_it_went_out(memory: Memory, second: Memory) -> None:
    made = _fill(memory)
    imported = import_memory(second, _lines(memory))
    assert _rows(second) == _rows(memory)
    assert (imported.entities, imported.units) == (1, 5)
    with second.database.read() as connection:
        found = units.find(connection, q="大阪").units
        assert [each.id for each in found] == [made["episode"]]
        assert entities.resolve(connection, "person", "エマ") == made["emma"]
        assert len(units.versions(connection, made["osaka"])) == 2
    assert _lines(second)[1:] == _lines(memory)[1:]


def test_what_came_in_is_embedded_by_jobs_but_for_what_nothing_speaks_for(
    memory: Memory, second: Memory
) -> None:
    made = _fill(memory)
    assert import_memory(second, _lines(memory)).jobs == 4
    waiting = {job.args["unit_id"] for job in second.client.each(kind=tasks.upsert_embeddings)}
    assert made["gone"] not in waiting
    assert {made["episode"], made["osaka"], made["bond"]} <= waiting


def test_importing_twice_or_into_itself_changes_nothing(memory: Memory, second: Memory) -> None:
    _fill(memory)
    lines = _lines(memory)
    import_memory(second, lines)
    for each in (memory, second):
        before = _rows(each)
        assert import_memory(each, lines) == (0, 0, 0)
        assert _rows(each) == before


def test_what_is_newer_in_the_export_comes_in_and_what_is_older_does_not(
    memory: Memory, second: Memory
) -> None:
    made = _fill(memory)
    old = _lines(memory)
    import_memory(second, old)
    with memory.database.write() as connection:
        summary(connection, "closer", evidence=[made["episode"]])
    assert import_memory(second, _lines(memory)).units == 1
    assert _rows(second) == _rows(memory)
    assert import_memory(second, old).units == 0
    with second.database.read() as connection:
        assert units.get(connection, made["bond"]).payload["summary_text"] == "closer"


def test_another_memory_is_left_alone(memory: Memory, second: Memory) -> None:
    _fill(memory)
    _fill(second)
    before = _rows(second)
    with pytest.raises(ImportConflict, match="entity 1 is another one here"):
        import_memory(second, _lines(memory))
    assert _rows(second) == before


def test_a_unit_that_was_changed_on_both_sides_is_a_conflict(
    memory: Memory, second: Memory
) -> None:
    made = _fill(memory)
    import_memory(second, _lines(memory))
    with second.database.write() as connection:
        units.edit(connection, made["bond"], {"summary_text": "mine"})
    with memory.database.write() as connection:
        units.edit(connection, made["bond"], {"summary_text": "yours"})
    before = _rows(second)
    with pytest.raises(ImportConflict, match=f"unit {made['bond']}"):
        import_memory(second, _lines(memory))
    assert _rows(second) == before


def _unit(change: Callable[[dict[str, Any]], object]) -> Callable[[list[bytes]], list[bytes]]:
    """Change the line of the first unit."""

    def break_it(lines: list[bytes]) -> list[bytes]:
        parsed = json.loads(lines[2])
        change(parsed)
        return [*lines[:2], json.dumps(parsed).encode(), *lines[3:]]

    return break_it


BROKEN: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "empty": lambda _: [],
    "no JSON": lambda lines: [lines[0], b"{\xff"],
    "no heading": lambda lines: lines[1:],
    "two headings": lambda lines: [lines[0], *lines],
    "of the future": lambda lines: [lines[0].replace(b'"format":1', b'"format":2')],
    "cut off": lambda lines: lines[:-2],
    "twice": lambda lines: [*lines, lines[2]],
    "an unknown field": _unit(lambda unit: unit["versions"][0]["payload"].update(mood=1)),
    "a wrong type": _unit(lambda unit: unit["versions"][0]["payload"].update(user_text=7)),
    "no tags": _unit(lambda unit: unit["versions"][0]["payload"].pop("topic_tags")),
    "a lost version": _unit(lambda unit: unit["versions"].pop(0)),
    "an unknown kind": _unit(lambda unit: unit.update(kind=9)),
    "a lost entity": _unit(lambda unit: unit["entities"][0].update(entity_id=77)),
    "a secret state": _unit(lambda unit: unit.update(state="大阪")),
    "the depth": lambda lines: [lines[0], b'{"line":"unit","held":' + b"[" * 100_000],
    "a fact of nobody": lambda lines: [
        line.replace(b'"subject_id":1', b'"subject_id":99') for line in lines
    ],
    "a number too large": lambda lines: [
        line.replace(b'"subject_id":1', b'"subject_id":99999999999999999999') for line in lines
    ],
    "one identity for two": lambda lines: [
        line.replace(b"kyoto", "大阪".encode()) for line in lines
    ],
    "no zone": _unit(lambda unit: unit.update(created_at="2026-01-01T00:00:00")),
}


@pytest.mark.parametrize("how", BROKEN)
def test_what_is_no_whole_export_is_refused_and_nothing_comes_in(
    memory: Memory, second: Memory, how: str
) -> None:
    _fill(memory)
    before = _rows(second)
    with pytest.raises(BadExport, match="nothing was imported") as caught:
        import_memory(second, BROKEN[how](_lines(memory)))
    assert "大阪" not in str(caught.value)
    assert _rows(second) == before


def test_without_memory_nothing_is_enqueued(
    memory: Memory, second: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(memory)
    quiet = msgspec.structs.replace(second.settings.current(), memory_enabled=False)
    monkeypatch.setattr(second.settings, "current", lambda: quiet)
    assert import_memory(second, _lines(memory)).jobs == 0
