"""Tables: made once, whoever comes first; a library that is there keeps what it holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from sqlalchemy import Connection, text

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links.data.migrating import MIGRATIONS
from tests.links.dialects import CHROME
from tests.links.jobs.kit import begin_import, counts, rows, run_imports

STEPS = [f"{number:04}" for number in sorted(MIGRATIONS.steps)]
NUMBER = max(MIGRATIONS.steps) + 1
NEXT = f"{NUMBER:04}"


@pytest.fixture
def url(bare_url: str) -> str:
    """A database of its own: what is done to its tables here stays."""
    return bare_url


@pytest.fixture
def made(client: lh.Client, database: Database) -> Database:
    client.store.migrate()
    assert MIGRATIONS.migrate(client) == STEPS
    return database


@pytest.mark.usefixtures("made")
def test_tables_are_made_once(client: lh.Client) -> None:
    assert (MIGRATIONS.migrate(client), MIGRATIONS.pending(client)) == ([], [])


def test_a_library_that_is_there_migrates_with_all_it_holds(
    client: lh.Client, made: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = made
    begin_import(client, database, CHROME.encode())
    run_imports(client)
    before = counts(database)

    def add_column(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE links_link ADD COLUMN note text"))

    monkeypatch.setitem(MIGRATIONS.steps, NUMBER, add_column)
    assert MIGRATIONS.pending(client) == [NEXT]
    assert [MIGRATIONS.migrate(client) for _ in range(2)] == [[NEXT], []]
    assert MIGRATIONS.pending(client) == []
    assert rows(database, "SELECT count(*) FROM links_link WHERE note IS NULL") == [(3,)]
    again = begin_import(client, database, CHROME.encode())
    run_imports(client)
    assert (counts(database), client.get(again).state) == (before, "succeeded")


def test_processes_that_start_at_once_do_not_clash(url: str) -> None:
    command = [sys.executable, "-m", "leasehold_links.cli", "migrate", "--json", "--url", url]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)
        for _ in range(3)
    ]
    ended = [process.communicate(timeout=120) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], ended
    assert sorted(json.loads(out)["application"] for out, _ in ended) == [[], [], STEPS]
