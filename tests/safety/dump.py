"""Everything that stands in a database, as text: what somebody with a stolen backup would read."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import psycopg
from psycopg import sql

from leasehold.store.sqlite.location import parse

_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'leasehold' ORDER BY tablename"


def dump(url: str) -> str:
    """Write down all rows of all tables of a queue."""
    return _dump_sqlite(url) if url.startswith("sqlite") else _dump_postgres(url)


def _dump_sqlite(url: str) -> str:
    path = parse(url).path
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(connection.iterdump())


def _dump_postgres(url: str) -> str:
    with psycopg.connect(url) as connection:
        tables = [row[0] for row in connection.execute(_TABLES)]
        return "\n".join(row for table in tables for row in _rows(connection, table))


def _rows(connection: psycopg.Connection, table: str) -> list[str]:
    every = sql.SQL("SELECT t::text FROM leasehold.{} AS t").format(sql.Identifier(table))
    return [f"{table} {row[0]}" for row in connection.execute(every)]
