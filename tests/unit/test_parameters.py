"""`:name` becomes what each driver reads, and no other colon or per cent sign is touched."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, text

from leasehold.store.parameters import to_colons, to_format, to_numbered, to_pyformat

SQL = """-- what's this? :no 100 %
SELECT CAST(:a AS text), ':b %' || "od:d", :a::text, 5 % :b -- :c"""


def test_psycopg_reads_named_markers_with_per_cent_doubled() -> None:
    assert to_pyformat(SQL) == (
        "\nSELECT CAST(%(a)s AS text), ':b %%' || \"od:d\", %(a)s::text, 5 %% %(b)s "
    )


def test_django_reads_one_value_for_each_place() -> None:
    assert to_format(SQL, {"a": 1, "b": 2}) == (
        "\nSELECT CAST(%s AS text), ':b %%' || \"od:d\", %s::text, 5 %% %s ",
        [1, 1, 2],
    )


def test_asyncpg_reads_numbers_one_for_each_name() -> None:
    assert to_numbered(SQL, {"a": 1, "b": 2}) == (
        "\nSELECT CAST($1 AS text), ':b %' || \"od:d\", $1::text, 5 % $2 ",
        [1, 2],
    )


def test_sqlalchemy_reads_colons_the_others_escaped() -> None:
    assert to_colons(SQL) == (
        "\nSELECT CAST(:a AS text), '\\:b %' || \"od\\:d\", :a\\:\\:text, 5 % :b "
    )


@pytest.mark.parametrize("sql", ["", "SELECT 1", "SELECT 'it''s :here'", 'SELECT 1 AS ":x"'])
def test_a_statement_without_parameters_stays_as_it_is(sql: str) -> None:
    assert to_numbered(sql, {}) == (sql, [])
    assert to_pyformat(sql) == sql


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="a"):
        to_numbered("SELECT :a", {})


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=8),
        max_size=4,
    )
)
def test_literals_reach_the_database_unchanged(texts: list[str]) -> None:
    literals = ", ".join("'" + each.replace("'", "''") + "'" for each in ["", *texts])
    sql = f"SELECT :x, {literals}"
    expected = ("y", "", *texts)
    numbered, values = to_numbered(sql, {"x": "y"})
    with sqlite3.connect(":memory:") as connection:
        assert connection.execute(numbered.replace("$1", "?1", 1), values).fetchone() == expected
    connection.close()
    engine = create_engine("sqlite://")
    with engine.connect() as alchemy:
        assert tuple(alchemy.execute(text(to_colons(sql)), {"x": "y"}).one()) == expected
    engine.dispose()
