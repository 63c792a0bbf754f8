"""Transactions in which a connection is one tenant's: the role and the tenant end with them.

Nothing is ever set for longer than a transaction, so neither a pool of ours nor a pooler between us
and the database can hand a tenant's connection to another one.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NamedTuple

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.sql import SQL, Literal

from leasehold.errors import StoreError, StoreRefused
from leasehold.store.postgres.connection import Lent
from leasehold.store.postgres.errors import translating
from leasehold.store.sql import load

if TYPE_CHECKING:
    from psycopg.sql import Composed

    from leasehold.model.values import Connections
    from leasehold.store.postgres.connection import Connection, Lender

PACKAGE = "leasehold.store.postgres"
LOOK_SECONDS = 60.0  # a database that has no roles may be given some
_ACT = SQL("SELECT set_config('leasehold.tenant', {}, true), set_config('role', {}, true)")
_BEGIN_AS = SQL(
    "BEGIN; SELECT set_config('leasehold.tenant', {}, true), set_config('role', {}, true)"
)
# Before an attempt is settled, which is the worker's to do, not the tenant's.
AS_BEFORE = "RESET ROLE", "SELECT set_config('leasehold.tenant', '', true)"


class Login(NamedTuple):
    """Who has logged in to a database that has roles, next to the role that tenants have there."""

    app: str
    user: str
    is_superuser: bool
    passes_policies: bool
    is_owner: bool
    may_act: bool
    is_forced: bool

    def fault(self) -> str | None:
        """Say why it must not be used for tenants; None: it may."""
        if self.is_superuser:
            return f"{self.user} is a superuser, whom no policy binds"
        if self.passes_policies:
            return f"{self.user} has BYPASSRLS: no policy binds it"
        if self.is_owner:
            return f"{self.user} owns the tables, or may act as their owner"
        if not self.may_act:
            return f"{self.user} is no member of {self.app}"
        if not self.is_forced:
            return "row level security is not forced on leasehold.job"
        return None


class Bounds:
    """What a database says about its roles, asked once; one that has none is asked now and then."""

    def __init__(self, pool: Lender) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._login: Login | None = None
        self._asked_at = float("-inf")

    @property
    def is_known(self) -> bool:
        """Whether it can be told without asking the database."""
        return self._login is not None or time.monotonic() < self._asked_at + LOOK_SECONDS

    def login(self) -> Login | None:
        """Return who has logged in; None where there are no roles."""
        if not self.is_known:
            with self._pool.connection() as connection, translating():
                self._ask(connection)
        return self._login

    def check(self) -> None:
        """Raise `StoreRefused` for a login that must not be used for tenants."""
        login = self.login()
        fault = None if login is None else login.fault()
        if login is not None and fault is not None:
            raise StoreRefused(
                f"tenants' requests are refused: {fault}; log in as a role of "
                "`leasehold migrate --roles`, the worker's or the app's"
            )

    def app_role(self) -> str | None:
        """Return the role to act as for a tenant; None where there are no roles."""
        self.check()
        return None if self._login is None else self._login.app

    def _ask(self, connection: Connection) -> None:
        with self._lock:
            row = connection.execute(load(PACKAGE, "login").encode(), prepare=False).fetchone()
            self._login = None if row is None else Login(*row)
            self._asked_at = time.monotonic()


class TenantPool:
    """Lends connections of a pool, each inside a transaction that is one tenant's."""

    def __init__(self, pool: Lender, bounds: Bounds, tenant: str) -> None:
        self._pool = pool
        self._bounds = bounds
        self.tenant = tenant

    def connection(self) -> Lent:
        """Lend one for the length of a `with`, and of a transaction."""
        return Lent(self)

    def take(self) -> Connection:
        app = self._bounds.app_role()
        connection = self._pool.take()
        if app is not None:
            try:
                with translating():
                    connection.execute(_begin_as(app, self.tenant), prepare=False)
            except BaseException:
                self._pool.give_back(connection)
                raise
        return connection

    def give_back(self, connection: Connection) -> None:
        """Commit what was done: without roles each statement would have been committed."""
        try:
            match connection.pgconn.transaction_status:
                case TransactionStatus.INTRANS:
                    with translating():
                        _commit(connection)
                case TransactionStatus.INERROR:
                    roll_back(connection)
        finally:
            self._pool.give_back(connection)

    def count(self) -> Connections:
        return self._pool.count()

    def close(self) -> None:
        """Leave it open: it is the whole store's."""


def act_as(app: str, tenant: str) -> Composed:
    """Let an open transaction be a tenant's until it ends."""
    return _ACT.format(Literal(tenant), Literal(app))


def _begin_as(app: str, tenant: str) -> Composed:
    return _BEGIN_AS.format(Literal(tenant), Literal(app))  # one packet: without parameters it may


def _commit(connection: Connection) -> None:
    said = connection.execute("COMMIT", prepare=False).statusmessage
    if said != "COMMIT":
        raise StoreError("PostgreSQL: the transaction had failed, and nothing was written")


def roll_back(connection: Connection) -> None:
    """End a transaction without effect; a connection that can't is closed."""
    try:
        connection.execute("ROLLBACK", prepare=False)
    except psycopg.Error:
        connection.close()
