"""What is remembered of refreshes, whatever a clock does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from leasehold.kit.data import Database
from leasehold_memory.data import refreshes

NOW = datetime(2026, 3, 29, 1, tzinfo=UTC)  # an hour is left out in Berlin
COOLDOWN = timedelta(hours=6)


def test_what_was_never_refreshed_has_rested(database: Database) -> None:
    with database.read() as connection:
        assert refreshes.has_rested(connection, "rolling:7d", COOLDOWN, now=NOW)
        assert refreshes.seen_up_to(connection, "rolling:7d") == 0


def test_it_rests_for_its_cooldown_from_its_last_refresh(database: Database) -> None:
    with database.write() as connection:
        for at in (NOW - COOLDOWN, NOW):
            refreshes.note(connection, "rolling:7d", 7, now=at)
        rested = {
            hours: refreshes.has_rested(
                connection, "rolling:7d", COOLDOWN, now=NOW + timedelta(hours=hours)
            )
            for hours in (0, 5, 6, 7)
        }
        assert rested == {0: False, 5: False, 6: True, 7: True}
        assert refreshes.seen_up_to(connection, "rolling:7d") == 7


def test_nothing_starves_when_the_clock_was_set_back(database: Database) -> None:
    with database.write() as connection:
        refreshes.note(connection, "rolling:7d", 7, now=NOW)
        before = NOW - timedelta(days=30)
        assert refreshes.has_rested(connection, "rolling:7d", COOLDOWN, now=before)
        refreshes.note(connection, "rolling:7d", 8, now=before)
        assert not refreshes.has_rested(connection, "rolling:7d", COOLDOWN, now=before)
