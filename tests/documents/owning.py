"""A database whose tables belong to somebody whom row level security binds: no superuser."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from tests.safety.roles import PASSWORD, drop_roles, login

if TYPE_CHECKING:
    from tests.postgres_server import PostgresServer

# As the error says that a superuser should: from 16 on nobody else may give away roles of others.
_MADE = (
    "CREATE ROLE {chief} LOGIN PASSWORD {password}",
    "GRANT documents_member, documents_worker TO {chief} WITH ADMIN OPTION",
    "ALTER DATABASE {database} OWNER TO {chief}",
    "ALTER SCHEMA public OWNER TO {chief}",
)


@contextmanager
def owned_database(server: PostgresServer) -> Iterator[str]:
    """Make one without tables; the application's roles are there already."""
    url = server.create_database()
    chief = f"chief_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as admin:
        names = {"chief": Identifier(chief), "database": Identifier(admin.info.dbname)}
        for statement in _MADE:
            admin.execute(SQL(statement).format(**names, password=Literal(PASSWORD)))
    try:
        yield login(url, chief)
    finally:
        server.drop_database(url)
        drop_roles(server, f"{chief}_", chief)
