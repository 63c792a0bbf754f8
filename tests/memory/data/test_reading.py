"""Lists of memories: the newest first, page by page, by words, kind, state and person."""

from __future__ import annotations

from datetime import timedelta

from leasehold.kit.data import Database
from leasehold_memory.data import units
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from tests.memory.data.kit import NOON, fact, say


def test_pages_go_on_behind_the_last_unit_and_miss_none(database: Database) -> None:
    with database.write() as connection:
        hours = [3, 1, 2, 2, 0]
        made = [say(connection, at=NOON + timedelta(hours=each)) for each in hours]
        seen, before = [], None
        while True:
            page = units.find(connection, before=before, limit=2)
            seen += [each.id for each in page.units]
            before = page.before
            if before is None:
                break
    newest = sorted(zip(hours, made, strict=True), reverse=True)
    assert seen == [unit_id for _, unit_id in newest]


def test_units_are_found_by_kind_state_sensitivity_and_words(database: Database) -> None:
    with database.write() as connection:
        secret = say(connection, "大阪に引っ越した", sensitivity=Sensitivity.SECRET)
        closed = fact(connection, "大阪", state=UnitState.CLOSED).unit_id
        fact(connection, "Kyoto")

        def ids(**wanted: object) -> list[int]:
            return [each.id for each in units.find(connection, **wanted).units]  # type: ignore[arg-type] # by name

        assert ids(kind=UnitKind.EPISODE) == [secret]
        assert ids(state=UnitState.CLOSED) == [closed]
        assert ids(sensitivity=Sensitivity.SECRET) == [secret]
        assert ids(q="阪") == [closed, secret]
        assert ids(q="大阪", kind=UnitKind.FACT) == [closed]
        assert len(ids(q=" ")) == 3


def test_the_newest_of_very_many_are_found_by_an_index(database: Database) -> None:
    with database.read() as connection:
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT * FROM units ORDER BY occurred_at DESC, id DESC LIMIT 50"
        ).all()
    assert "units_newest" in plan[0][3]
