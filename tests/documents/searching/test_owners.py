"""The function searches as the tables' owner, whom security binds as well: no superuser needed."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import psycopg
import pytest
from psycopg.sql import SQL, Identifier, Literal

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.errors import Forbidden
from leasehold_documents.searching import search
from tests.app_tables import AppTables
from tests.documents.searching.kit import Archive
from tests.documents.searching.test_fences import Forged
from tests.safety.roles import PASSWORD, drop_roles, login

if TYPE_CHECKING:
    from leasehold_documents.access import Access
    from tests.postgres_server import PostgresServer


@pytest.fixture
def owned(postgres_server: PostgresServer, app_tables: AppTables) -> Iterator[Archive]:
    """An archive in a database whose tables belong to somebody who may make roles, and no more."""
    url = postgres_server.create_database()
    chief = f"chief_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as admin:
        made = SQL("CREATE ROLE {} LOGIN CREATEROLE PASSWORD {}")
        admin.execute(made.format(Identifier(chief), Literal(PASSWORD)))
        database = Identifier(url.rpartition("/")[2])
        admin.execute(SQL("ALTER DATABASE {} OWNER TO {}").format(database, Identifier(chief)))
        admin.execute(SQL("GRANT ALL ON SCHEMA public TO {}").format(Identifier(chief)))
    app_tables.make(login(url, chief))
    with lh.Client(login(url, chief)) as client:
        tables = Database(client.url)
        yield Archive(client, tables)
        tables.close()
    postgres_server.drop_database(url)
    drop_roles(postgres_server, "chief_", chief)


def test_an_owner_who_is_bound_by_security_searches_for_members_alone(owned: Archive) -> None:
    other = Archive(owned.queue, owned.database, "Fremde AG")
    owned.put("own", "Mietvertrag")
    other.put("foreign", "Mietvertrag")
    assert owned.found("vertrag") == ["own"]
    with pytest.raises(Forbidden):
        search(cast("Access", Forged(owned.access, other.access)), "vertrag")
