"""A database with roles of its own, which go with it: roles belong to the whole server."""

from __future__ import annotations

import contextlib
import secrets
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from leasehold.store import open_store
from leasehold.store.postgres.roles import Roles, name_roles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres_server import PostgresServer

PASSWORD = "safety"


class Access(NamedTuple):
    """The ways into one database: as a superuser, and as each role that may log in."""

    prefix: str
    roles: Roles
    admin: str
    migrator: str
    worker: str
    app: str


@contextlib.contextmanager
def database_with_roles(server: PostgresServer) -> Iterator[Access]:
    """Make a database and its roles, and take both away."""
    admin = server.create_database()
    prefix = f"t{secrets.token_hex(4)}_"
    try:
        with contextlib.closing(open_store(admin)) as store:
            store.migrate()
            store.set_up_roles(prefix)
        yield access_to(admin, prefix)
    finally:
        server.drop_database(admin)
        drop_roles(server, prefix)


def access_to(admin: str, prefix: str) -> Access:
    """Let the roles log in with a password, and say where."""
    roles = name_roles(prefix)
    with psycopg.connect(admin, autocommit=True) as connection:
        for role in roles[1:]:
            sql = SQL("ALTER ROLE {} PASSWORD {}").format(Identifier(role), Literal(PASSWORD))
            connection.execute(sql)
    return Access(prefix, roles, admin, *(login(admin, role) for role in roles[1:]))


def login(url: str, user: str, password: str = PASSWORD) -> str:
    """Write the same address for another user."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{user}:{password}@{host}"))


def drop_roles(server: PostgresServer, prefix: str, *others: str) -> None:
    """Take the roles of a database away that is gone."""
    url = server.create_database()
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            for role in (*name_roles(prefix), *others):
                connection.execute(SQL("DROP ROLE IF EXISTS {}").format(Identifier(role)))
    finally:
        server.drop_database(url)
