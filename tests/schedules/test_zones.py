"""In each zone a rule names the moments that it declares: compared with a walk over all minutes.

Here some zones around their changes; `python -m tests.schedules.sweep` takes all, for two years.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.schedules.expressions import cases
from tests.schedules.sweep import compare
from tests.schedules.walk import MINUTE, signature

AROUND = timedelta(days=15)
# An hour at night, at midnight, half an hour, two hours, twice around Ramadan; one that moved for
# good, and one at 2:45.
ZONES = (
    ("Europe/Berlin", 2026),
    ("America/Santiago", 2026),
    ("Australia/Lord_Howe", 2026),
    ("Antarctica/Troll", 2026),
    ("Africa/Casablanca", 2026),
    ("Asia/Almaty", 2024),
    ("Pacific/Chatham", 2026),
)


@pytest.mark.parametrize(("zone", "year"), ZONES)
def test_slots_around_a_change_of_the_clock_are_what_the_walk_finds(zone: str, year: int) -> None:
    start, end = (datetime(year + more, 1, 1, tzinfo=UTC) for more in (0, 1))
    changes = [
        datetime.fromtimestamp(at * MINUTE, UTC) for at, _ in signature(zone, start, end)[1:]
    ]
    assert changes, "this zone was chosen because its clock changes"
    for change in changes:
        found = compare(zone, change - AROUND, change + AROUND)
        assert found.differences == []


def test_a_zone_that_never_changes_is_walked_through_too() -> None:
    start = datetime(2026, 2, 20, tzinfo=UTC)
    found = compare("Pacific/Kiritimati", start, start + 2 * AROUND)
    assert (found.comparisons, found.differences) == (len(cases()), [])
