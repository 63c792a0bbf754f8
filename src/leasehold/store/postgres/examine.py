"""What `leasehold doctor` looks at on PostgreSQL."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from leasehold.model.values import Finding
from leasehold.store.postgres.bounds import Login
from leasehold.store.postgres.roles import read_relations
from leasehold.store.sql import load
from leasehold.store.stranded import stranded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.postgres.connection import Connection

_PACKAGE = "leasehold.store.postgres"
_OLDEST_SERVER = 150_000
_SKEW_SECONDS = 5.0
_LONG_TRANSACTION_SECONDS = 300.0
_BLOAT_SHARE = 0.5
_BLOAT_ROWS = 100_000

_SERVER = """
SELECT current_setting('server_version'), current_setting('server_version_num')::integer,
  extract(epoch FROM clock_timestamp())::double precision,
  current_setting('synchronous_commit'), current_setting('fsync'), current_user,
  (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
  pg_is_in_recovery(), pg_backend_pid()
"""
_LONG_TRANSACTIONS = """
SELECT pid, coalesce(application_name, ''), extract(epoch FROM now() - xact_start)::integer
FROM pg_stat_activity
WHERE xact_start < now() - make_interval(secs => %s)
  AND datname = current_database()
  AND pid <> pg_backend_pid()
  AND backend_xmin IS NOT NULL
ORDER BY xact_start
LIMIT 3
"""
_NEWEST = "SELECT to_regclass('leasehold.key') IS NOT NULL"
_BLOAT = """
SELECT relname, n_live_tup, n_dead_tup
FROM pg_stat_user_tables
WHERE schemaname = 'leasehold'
  AND n_dead_tup > %s
  AND n_dead_tup > n_live_tup * %s
"""


def examine(connection: Connection) -> list[Finding]:
    """Look at server, clock, durability, role, long transactions, bloat, wake-up and lost jobs."""
    row = connection.execute(_SERVER, prepare=False).fetchone()
    if row is None:  # a SELECT without FROM always has a row; mypy can't know
        return []
    return [
        *_server(row),
        *_role(row),
        *_tenants(connection),
        _wake_up(connection, row),
        *_long_transactions(connection),
        *_bloat(connection),
        *_stranded(connection),
    ]


def _server(row: tuple[Any, ...]) -> Iterator[Finding]:
    version, number, seconds, synchronous, fsync, _, _, in_recovery, _ = row
    if number < _OLDEST_SERVER:
        yield _problem("server", f"PostgreSQL {version} is too old", "use PostgreSQL 15 or newer")
    else:
        yield _ok("server", f"PostgreSQL {version}")
    if in_recovery:
        yield _problem("server", "this is a read-only standby", "connect to the primary")
    if synchronous == "off" or fsync == "off":
        yield _warning(
            "durability",
            f"synchronous_commit is {synchronous}, fsync is {fsync}: an acknowledged job may be "
            "lost when the server or its power fails",
            "switch both on for the database that holds the queue",
        )
    else:
        yield _ok("durability", "an acknowledged job survives a crash (synchronous_commit, fsync)")
    apart = seconds - time.time()
    if abs(apart) > _SKEW_SECONDS:
        yield _warning(
            "clock",
            f"this machine's clock is {apart:+.1f} s off the database's",
            "leasehold goes by the database's clock; run_at values made here will be off",
        )
    else:
        yield _ok("clock", f"{apart:+.1f} s between this machine and the database")


def _role(row: tuple[Any, ...]) -> Iterator[Finding]:
    user, is_superuser = row[5], row[6]
    if is_superuser:
        yield _warning(
            "role",
            f"{user} is a superuser",
            "give workers and applications a role of their own that is not",
        )
    else:
        yield _ok("role", f"{user}, not a superuser")


def _tenants(connection: Connection) -> Iterator[Finding]:
    """Whether this login may serve tenants, and no table has been left out."""
    row = connection.execute(load(_PACKAGE, "login").encode(), prepare=False).fetchone()
    if row is None:
        yield _ok(
            "tenants",
            "kept apart by leasehold itself; migrate --roles has them kept apart "
            "by the database, too",
        )
        return
    login = Login(*row)
    if (fault := login.fault()) is not None:
        yield _problem(
            "tenants",
            f"their requests are refused here: {fault}",
            "log in as a role of leasehold migrate --roles, the worker's or the app's",
        )
    left_out = [each.name for each in read_relations(connection) if each.is_unbound]
    if left_out:
        yield _problem(
            "tenants",
            f"no policy keeps tenants apart in {', '.join(left_out[:5])}",
            "leasehold migrate --roles",
        )
    if fault is None and not left_out:
        yield _ok("tenants", f"kept apart by policies; {login.user} may serve them")


def _wake_up(connection: Connection, row: tuple[Any, ...]) -> Finding:
    if connection.info.backend_pid != row[8]:
        return _warning(
            "wake-up",
            "behind a connection pooler: LISTEN does not last, workers poll once a second",
            "give workers a direct URL for prompt pick-up",
        )
    return _ok("wake-up", "LISTEN and NOTIFY on a direct connection")


def _long_transactions(connection: Connection) -> Iterator[Finding]:
    asked = (_LONG_TRANSACTION_SECONDS,)
    found = connection.execute(_LONG_TRANSACTIONS, asked, prepare=False).fetchall()
    for pid, name, age in found:
        yield _warning(
            "long transaction",
            f"process {pid} ({name or 'unnamed'}) has kept a snapshot for {age} s: deleted rows "
            "pile up behind it and claims slow down",
            f"end it, if need be with SELECT pg_terminate_backend({pid})",
        )
    if not found:
        yield _ok("long transactions", "none over 5 minutes")


def _bloat(connection: Connection) -> Iterator[Finding]:
    found = connection.execute(_BLOAT, (_BLOAT_ROWS, _BLOAT_SHARE), prepare=False).fetchall()
    for table, live, dead in found:
        yield _warning(
            "bloat",
            f"leasehold.{table} has {dead:,} dead rows beside {live:,} live ones",
            f"look why vacuum lags (a long transaction?), then VACUUM leasehold.{table}",
        )


def _stranded(connection: Connection) -> Iterator[Finding]:
    row = connection.execute(_NEWEST, prepare=False).fetchone()
    if row and row[0]:  # else the tables are older than this code, or are not there
        statement = load(_PACKAGE, "stranded").encode()
        yield from stranded(connection.execute(statement, prepare=False).fetchall())


def _ok(topic: str, message: str) -> Finding:
    return Finding(level="ok", topic=topic, message=message)


def _warning(topic: str, message: str, remedy: str) -> Finding:
    return Finding(level="warning", topic=topic, message=message, remedy=remedy)


def _problem(topic: str, message: str, remedy: str) -> Finding:
    return Finding(level="problem", topic=topic, message=message, remedy=remedy)
