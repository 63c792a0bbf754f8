"""Tables: made once, whoever comes first; a library that is there keeps what it holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from sqlalchemy import Connection, text

import leasehold as lh
from leasehold_links.data import migrating
from leasehold_links.data.database import Database
from leasehold_links.data.migrating import migrate, pending
from tests.links.dialects import CHROME
from tests.links.jobs.kit import begin_import, counts, rows, run_imports

STEPS = sorted(migrating._STEPS)
NEXT = STEPS[-1] + 1


@pytest.fixture
def url(bare_url: str) -> str:
    """A database of its own: what is done to its tables here stays."""
    return bare_url


@pytest.fixture
def made(client: lh.Client, database: Database) -> Database:
    client.store.migrate()
    assert migrate(database) == STEPS
    return database


def test_tables_are_made_once(made: Database) -> None:
    assert (migrate(made), pending(made)) == ([], [])


def test_a_library_that_is_there_migrates_with_all_it_holds(
    client: lh.Client, made: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = made
    begin_import(client, database, CHROME.encode())
    run_imports(client)
    before = counts(database)

    def add_column(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE links_link ADD COLUMN note text"))

    monkeypatch.setitem(migrating._STEPS, NEXT, add_column)
    assert pending(database) == [NEXT]
    assert (migrate(database), migrate(database), pending(database)) == ([NEXT], [], [])
    assert rows(database, "SELECT count(*) FROM links_link WHERE note IS NULL") == [(3,)]
    again = begin_import(client, database, CHROME.encode())
    run_imports(client)
    assert (counts(database), client.get(again).state) == (before, "succeeded")


def test_a_step_that_fails_is_as_if_it_never_was(
    made: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = made

    def break_half_way(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE links_half (id integer)"))
        raise OSError("the disk is away")

    monkeypatch.setitem(migrating._STEPS, NEXT, break_half_way)
    with pytest.raises(OSError, match="away"):
        migrate(database)
    assert pending(database) == [NEXT]
    monkeypatch.setitem(
        migrating._STEPS, NEXT, lambda connection: connection.execute(text("SELECT 1"))
    )
    assert migrate(database) == [NEXT]
    with pytest.raises(Exception, match="links_half"):
        rows(database, "SELECT * FROM links_half")


def test_processes_that_start_at_once_do_not_clash(url: str) -> None:
    command = [sys.executable, "-m", "leasehold_links.cli", "migrate", "--json", "--url", url]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ)
        for _ in range(3)
    ]
    ended = [process.communicate(timeout=120) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], ended
    assert sorted(json.loads(out)["library"] for out, _ in ended) == [[], [], STEPS]
