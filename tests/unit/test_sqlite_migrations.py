"""Versions of the tables and of the code, and many processes that start at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from leasehold.errors import SchemaMismatch, StoreError
from leasehold.store.migrations import Migration, load_migrations
from leasehold.store.sqlite.schema import split
from leasehold.store.sqlite.store import SqliteStore
from tests.unit.sqlite_kit import end_program, enqueue_one, path_of, read_line, start_program

KNOWN = load_migrations("leasehold.store.sqlite")
NEXT = KNOWN[-1].version + 1


def make_step(version: int, sql: str, serves_from: int) -> Migration:
    return Migration(version=version, name=f"{version:04}_x", serves_from=serves_from, sql=sql)


def test_processes_that_start_at_once_make_the_tables_once(sqlite_url: str) -> None:
    body = """
print('here', flush=True)
sys.stdin.readline()
store = SqliteStore(url)
enqueue_one(store)
store.check_schema()
store.close()
"""
    programs = [start_program(body, sqlite_url) for _ in range(6)]
    for program in programs:
        assert read_line(program) == "here"
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    for program in programs:
        end_program(program)

    with closing(sqlite3.connect(path_of(sqlite_url))) as connection:
        versions = connection.execute("SELECT version FROM leasehold_migration").fetchall()
        jobs = connection.execute("SELECT count(*) FROM leasehold_ready").fetchone()
    assert versions == [(step.version,) for step in KNOWN]
    assert jobs == (len(programs),)


def test_older_tables_are_not_changed_unasked(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as old:
        enqueue_one(old)
    newer = (*KNOWN, make_step(NEXT, "CREATE TABLE leasehold_new (id INTEGER);", 1))
    with closing(SqliteStore(sqlite_url, migrations=newer)) as store:
        with pytest.raises(SchemaMismatch, match="run `leasehold migrate`"):
            store.check_schema()
        assert store.schema().pending == (f"{NEXT:04}_x",)
        assert store.migrate() == (f"{NEXT:04}_x",)
        store.check_schema()


@pytest.mark.parametrize("serves_from", [KNOWN[-1].version, NEXT])
def test_newer_tables_are_used_only_if_they_serve_this_code(
    sqlite_url: str, serves_from: int
) -> None:
    step = make_step(NEXT, "CREATE TABLE leasehold_new (id INTEGER);", serves_from)
    with closing(SqliteStore(sqlite_url, migrations=(*KNOWN, step))) as newer:
        newer.migrate()
    with closing(SqliteStore(sqlite_url)) as store:
        assert store.schema().version == NEXT
        if serves_from < NEXT:
            store.check_schema()
        else:
            with pytest.raises(SchemaMismatch, match="upgrade leasehold"):
                store.check_schema()


def test_a_migration_that_fails_leaves_the_tables_as_they_were(sqlite_url: str) -> None:
    broken = make_step(NEXT, "CREATE TABLE leasehold_new (id INTEGER);\nSELECT nonsense();", 1)
    with closing(SqliteStore(sqlite_url, migrations=(*KNOWN, broken))) as store:
        with pytest.raises(StoreError):
            store.migrate()
        assert store.schema().version == 0
    with closing(sqlite3.connect(path_of(sqlite_url))) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []


def test_a_trigger_is_one_statement() -> None:
    sql = (
        "-- a comment; with a semicolon\n"
        "CREATE TABLE t (x);\n"
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN\n  DELETE FROM t;\n  SELECT 1;\nEND;\n"
    )
    assert len(list(split(sql))) == 2
