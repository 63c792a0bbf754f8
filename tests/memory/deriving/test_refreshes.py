"""What is remembered of refreshes, whatever a clock does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from leasehold.kit.data import Database
from leasehold_memory.data import refreshes

NOW = datetime(2026, 3, 29, 1, tzinfo=UTC)  # an hour is left out in Berlin
COOLDOWN = timedelta(hours=6)
SCOPE = "rolling:7d"


def test_what_was_never_refreshed_has_rested(database: Database) -> None:
    with database.read() as connection:
        found = refreshes.get(connection, SCOPE)
    assert found.may_ask(COOLDOWN, now=NOW)
    assert found.episode_id == 0


def test_it_rests_for_its_cooldown_from_its_last_refresh(database: Database) -> None:
    with database.write() as connection:
        for at in (NOW - COOLDOWN, NOW):
            refreshes.note(connection, SCOPE, 7, now=at)
        found = refreshes.get(connection, SCOPE)
    later = {hours: NOW + timedelta(hours=hours) for hours in (0, 5, 6, 7)}
    rested = {hours: found.has_rested(COOLDOWN, now=now) for hours, now in later.items()}
    assert rested == {0: False, 5: False, 6: True, 7: True}
    assert found.episode_id == 7


def test_what_was_asked_for_and_failed_is_not_asked_for_at_once_again(database: Database) -> None:
    with database.write() as connection:
        refreshes.note_asked(connection, SCOPE, now=NOW)
        found = refreshes.get(connection, SCOPE)
    assert found.has_rested(COOLDOWN, now=NOW)
    assert not found.may_ask(COOLDOWN, now=NOW + timedelta(hours=5))
    assert found.may_ask(COOLDOWN, now=NOW + timedelta(hours=6))


def test_nothing_starves_when_the_clock_was_set_back(database: Database) -> None:
    before = NOW - timedelta(days=30)
    with database.write() as connection:
        refreshes.note_asked(connection, SCOPE, now=NOW)
        refreshes.note(connection, SCOPE, 7, now=NOW)
        assert refreshes.get(connection, SCOPE).may_ask(COOLDOWN, now=before)
        refreshes.note(connection, SCOPE, 8, now=before)
        assert not refreshes.get(connection, SCOPE).may_ask(COOLDOWN, now=before)
