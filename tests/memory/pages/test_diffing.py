"""What a version changed is told field by field, however deep it stands."""

from __future__ import annotations

from leasehold.kit.data import Database
from leasehold_memory.data import units
from leasehold_memory.web.pages.diffing import Change, changes_of, with_changes
from tests.memory.data.kit import say, summary


def test_only_what_differs_is_told_with_the_path_to_it() -> None:
    before = {"text": "a", "same": 1, "json": {"events": ["x", "y"], "gone": True}, "none": None}
    after = {"text": "b", "same": 1, "json": {"events": ["x"]}, "list": [{"day": 1}]}
    assert changes_of(before, after) == [
        Change("text", "a", "b"),
        Change("json.events", "x, y", "x"),
        Change("list[0].day", None, "1"),
        Change("json.gone", "True", None),
    ]
    assert changes_of(after, after) == []


def test_each_version_is_compared_with_the_one_before_it(database: Database) -> None:
    with database.write() as connection:
        said = say(connection)
        own = summary(connection, "They met.", evidence=[said]).unit_id
        summary(connection, "They met again.", evidence=[said])
        found = with_changes(units.versions(connection, own))
    assert [version.version for version, _ in found] == [2, 1]
    changed = {change.field: (change.before, change.after) for change in found[0][1]}
    assert changed["summary_text"] == ("They met.", "They met again.")
    assert {change.before for change in found[1][1]} == {None}
