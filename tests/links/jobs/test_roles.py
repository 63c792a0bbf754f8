"""With the roles of `leasehold migrate --roles`, workers import and people look."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links import curating
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.data.views import VIEWS
from tests.links.jobs.kit import begin_import, counts, run_imports
from tests.safety.roles import Access, database_with_roles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres_server import PostgresServer


@pytest.fixture
def access(postgres_server: PostgresServer) -> Iterator[Access]:
    with database_with_roles(postgres_server) as access:
        with lh.Client(access.admin) as client:
            assert MIGRATIONS.migrate(client)
        yield access


def test_a_worker_may_use_the_library_and_tenants_roles_may_not(access: Access) -> None:
    with lh.Client(access.worker) as client, closing(Database(access.worker)) as database:
        begin_import(client, database, b'<DL><DT><A HREF="https://example.com/">x</A></DL>')
        run_imports(client)
        assert counts(database) == (1, 1, 1)
        assert curating.stats(database, "ada").by_status["queued"] == 1
    with (
        psycopg.connect(access.app, autocommit=True) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("SELECT * FROM links_link")


def test_who_does_not_own_the_tables_migrates_in_peace(access: Access) -> None:
    with lh.Client(access.worker) as client:
        assert MIGRATIONS.migrate(client) == []


def test_every_view_of_the_library_is_shared() -> None:
    named = [statement.split("CREATE VIEW ")[1].split()[0] for statement in VIEWS]
    assert set(named) <= set(MIGRATIONS.relations)
