"""The seed's tables stand under its names, with its columns, types and defaults, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.documents.data.seed import TABLES

if TYPE_CHECKING:
    import psycopg

COLUMNS = """
SELECT column_name, data_type, is_nullable, column_default
FROM information_schema.columns
WHERE table_schema = %s AND table_name = %s
ORDER BY ordinal_position
"""


@pytest.fixture
def original(sql: psycopg.Connection[Any]) -> Iterator[psycopg.Connection[Any]]:
    """The seed's own tables, in a schema of theirs that is gone afterwards."""
    sql.autocommit = False
    sql.execute("CREATE SCHEMA seed")
    sql.execute("SET LOCAL search_path = seed")
    for name in ("organizations", "documents"):
        sql.execute(f"CREATE TABLE {name} (id uuid PRIMARY KEY)".encode())
    for statement in TABLES.values():
        sql.execute(statement.encode())
    yield sql
    sql.rollback()


@pytest.mark.parametrize("table", ["extractions", "document_chunks"])
def test_a_table_begins_with_the_columns_of_the_seed(
    original: psycopg.Connection[Any], table: str
) -> None:
    wanted = original.execute(COLUMNS, ["seed", table]).fetchall()
    found = original.execute(COLUMNS, ["public", table]).fetchall()
    assert found[: len(wanted)] == wanted


def test_jobs_has_exactly_the_columns_of_the_seed(original: psycopg.Connection[Any]) -> None:
    wanted = original.execute(COLUMNS, ["seed", "jobs"]).fetchall()
    found = original.execute(COLUMNS, ["public", "jobs"]).fetchall()
    assert len(wanted) == 16
    assert [row[:2] for row in found] == [row[:2] for row in wanted]


@pytest.mark.parametrize("table", ["extractions", "document_chunks"])
def test_what_the_seed_refers_to_is_referred_to(
    original: psycopg.Connection[Any], table: str
) -> None:
    assert references(original, "seed", table) <= references(original, "public", table)


def references(sql: psycopg.Connection[Any], schema: str, table: str) -> set[tuple[str, str]]:
    """Say which columns of a table refer to which table."""
    found = sql.execute(
        """
        SELECT attribute.attname, target.relname
        FROM pg_constraint AS fk
        JOIN pg_class AS target ON target.oid = fk.confrelid
        JOIN pg_attribute AS attribute
          ON attribute.attrelid = fk.conrelid AND attribute.attnum = fk.conkey[1]
        WHERE fk.contype = 'f' AND fk.conrelid = to_regclass(%s)
        """,
        [f"{schema}.{table}"],
    )
    return {(name, target) for name, target in found}
