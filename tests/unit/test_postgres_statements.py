"""Our statements run without psycopg's cursors, and survive what happens to what they prepared."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from leasehold.errors import StoreUnavailable
from leasehold.model.values import NewJob
from leasehold.store.postgres.connection import connect
from leasehold.store.postgres.statements import Sending, Statements
from leasehold.store.postgres.store import PostgresStore
from tests.conformance.kit import new_job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.postgres.connection import Connection


@pytest.fixture
def connection(postgres_url: str) -> Iterator[Connection]:
    with closing(connect(postgres_url)) as opened:
        yield opened


def plain_job() -> NewJob:
    return new_job(queue="default", priority=0, max_attempts=5, timeout_seconds=60.0)


@pytest.mark.parametrize(
    "value", [7, 2**40, "é", True, None, timedelta(seconds=1.5), b"\x00\xff", [1, 2]]
)
def test_values_come_back_as_they_went(connection: Connection, value: Any) -> None:
    statements = Statements()
    assert statements.run(connection, "SELECT %(value)s", {"value": value}) == [(value,)]


def test_a_name_may_stand_twice_and_a_percent_sign_beside_it(connection: Connection) -> None:
    sql = "SELECT %(a)s::int + %(b)s::int + %(a)s::int, 7 %% 4"
    assert Statements().run(connection, sql, {"a": 1, "b": 2}) == [(4, 3)]


def test_a_statement_without_rows_gives_none(connection: Connection) -> None:
    assert Statements().run(connection, "SELECT 1 WHERE false", {}) == []
    assert Statements().run(connection, "CREATE TEMPORARY TABLE t AS SELECT 1", {}) == []


def test_what_was_dropped_is_prepared_anew(connection: Connection) -> None:
    statements = Statements()
    for _ in range(3):
        assert statements.run(connection, "SELECT %(a)s", {"a": 1}) == [(1,)]
        connection.execute("DEALLOCATE ALL", prepare=False)


def test_of_two_at_once_the_first_may_fail_and_the_connection_goes_on(
    connection: Connection,
) -> None:
    statements = Statements()
    one, broken = Sending(b"SELECT 1", []), Sending(b"SELECT 1 / $1::int", [b"0"])
    assert statements.run_both(connection, broken, one).get_value(0, 0) == b"\0\0\0\1"
    with pytest.raises(psycopg.errors.DivisionByZero):
        statements.run_both(connection, one, broken)
    connection.execute("DEALLOCATE ALL", prepare=False)
    assert statements.run_both(connection, one, one).get_value(0, 0) == b"\0\0\0\1"


def test_the_first_of_two_is_committed_before_the_second_begins(connection: Connection) -> None:
    statements = Statements()
    connection.execute("CREATE TEMPORARY TABLE written (at xid8)")
    insert = Sending(b"INSERT INTO written VALUES (pg_current_xact_id())", [])
    statements.run_both(connection, insert, insert)
    assert connection.execute("SELECT count(DISTINCT at::text) FROM written").fetchone() == (2,)


def test_a_connection_lost_under_way_is_said_to_be_lost(postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url)) as store, closing(connect(postgres_url)) as killer:
        store.migrate()
        store.enqueue([plain_job()])
        with store._lend() as lent:
            pid = lent.info.backend_pid
            killer.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
            with pytest.raises((psycopg.OperationalError, StoreUnavailable)):
                store._enqueuing.write(lent, [plain_job()], 0.0, wake="1:1:default")
        assert store.enqueue([plain_job()]) == {}


def test_connections_are_let_go_with_what_they_prepared(postgres_url: str) -> None:
    statements = Statements()
    connection = connect(postgres_url)
    statements.run(connection, "SELECT 1", {})
    connection.close()
    del connection
    assert len(statements._sessions) == 0
