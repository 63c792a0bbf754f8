"""What is moved is all there is: a new column or table can't be forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.store.moving_tables import BY_NAME, LEFT_BEHIND, TABLES, Kind

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

POSTGRES_COLUMNS = """
    SELECT relname AS table, attname AS column, format_type(atttypid, NULL) AS type
    FROM pg_attribute
    JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'leasehold'::regnamespace
      AND relkind = 'r'
      AND attnum > 0
      AND NOT attisdropped
      AND attgenerated = ''
"""
SQLITE_COLUMNS = """
    SELECT substr(tables.name, 11) AS "table", columns.name AS "column", columns.type
    FROM sqlite_master AS tables
    JOIN pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table'
    AND tables.name LIKE 'leasehold_%'
"""
POSTGRES_TYPES = {
    "uuid": Kind.ID,
    "text": Kind.TEXT,
    "smallint": Kind.INTEGER,
    "integer": Kind.INTEGER,
    "bigint": Kind.INTEGER,
    "double precision": Kind.REAL,
    "real": Kind.SINGLE,
    "boolean": Kind.FLAG,
    "timestamp with time zone": Kind.TIME,
    "json": Kind.JSON,
    "jsonb": Kind.DOCUMENT,
    "text[]": Kind.NAMES,
    "leasehold.outcome_state": Kind.STATE,
}
SQLITE_TYPES = {
    Kind.INTEGER: "INTEGER",
    Kind.FLAG: "INTEGER",
    Kind.TIME: "INTEGER",
    Kind.REAL: "REAL",
    Kind.SINGLE: "REAL",
}


def found_columns(store: Store, tables: Tables) -> dict[str, dict[str, str]]:
    is_sqlite = store.url.startswith("sqlite:")
    found: dict[str, dict[str, str]] = {}
    for row in tables.execute(SQLITE_COLUMNS if is_sqlite else POSTGRES_COLUMNS):
        found.setdefault(row["table"], {})[row["column"]] = row["type"]
    return found


def test_every_table_is_moved_or_said_to_stay(store: Store, tables: Tables) -> None:
    assert found_columns(store, tables).keys() - LEFT_BEHIND == BY_NAME.keys()


def test_every_column_is_moved_as_what_it_is(store: Store, tables: Tables) -> None:
    found = found_columns(store, tables)
    is_sqlite = store.url.startswith("sqlite:")
    for table in TABLES:
        if is_sqlite:
            expected: dict[str, object] = {
                name: SQLITE_TYPES.get(kind, "TEXT") for name, kind in table.columns.items()
            }
            assert found[table.name] == expected, table.name
        else:
            kinds = {name: POSTGRES_TYPES[kind] for name, kind in found[table.name].items()}
            assert kinds == table.columns, table.name


def test_the_key_of_a_walk_is_unique(store: Store, tables: Tables) -> None:
    if store.url.startswith("sqlite:"):
        listed = [
            (row["name"], tuple(row["columns"].split()))
            for row in tables.execute("""
                SELECT tables.name, (
                  SELECT group_concat(name, ' ') FROM pragma_index_info(indexes.name)
                ) AS columns
                FROM sqlite_master AS tables
                JOIN pragma_index_list(tables.name) AS indexes
                WHERE tables.type = 'table' AND indexes."unique"
            """)
        ]
    else:
        listed = [
            (row["name"], tuple(row["columns"]))
            for row in tables.execute("""
                SELECT 'leasehold_' || relname AS name, ARRAY (
                  SELECT attname::text
                  FROM unnest(indkey::int[]) WITH ORDINALITY AS k (number, place)
                  JOIN pg_attribute ON attrelid = indrelid AND attnum = k.number ORDER BY place
                ) AS columns
                FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
                WHERE relnamespace = 'leasehold'::regnamespace AND indisunique
            """)
        ]
    for table in TABLES:
        if table.name != "charge":  # whose rows are summed up when a move begins
            assert (f"leasehold_{table.name}", table.key) in listed, table.name


def test_no_trigger_of_postgresql_would_do_something_while_rows_arrive(postgres_url: str) -> None:
    from contextlib import closing

    from leasehold.store import open_store
    from tests.conformance.tables import open_tables

    with closing(open_store(postgres_url)) as store:
        store.migrate()
    with open_tables(postgres_url) as tables:
        found = tables.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        # The audit record, which is not moved, has two.
        assert [each for each in found if not each["tgname"].startswith("audit_is_")] == []
