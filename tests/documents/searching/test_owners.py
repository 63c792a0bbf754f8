"""The function searches as the tables' owner, whom security binds as well: no superuser needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.errors import Forbidden
from leasehold_documents.searching import search
from tests.app_tables import AppTables
from tests.documents.owning import owned_database
from tests.documents.searching.kit import Archive
from tests.documents.searching.test_fences import Forged

if TYPE_CHECKING:
    from leasehold_documents.access import Access
    from tests.postgres_server import PostgresServer


@pytest.fixture
def owned(
    postgres_server: PostgresServer, app_tables: AppTables, app_postgres_url: str
) -> Iterator[Archive]:
    """An archive in a database whose tables belong to no superuser."""
    assert app_postgres_url  # the roles are there
    with owned_database(postgres_server) as url:
        app_tables.make(url)
        with lh.Client(url) as client:
            tables = Database(client.url)
            yield Archive(client, tables)
            tables.close()


def test_an_owner_who_is_bound_by_security_searches_for_members_alone(owned: Archive) -> None:
    other = Archive(owned.queue, owned.database, "Fremde AG")
    owned.put("own", "Mietvertrag")
    other.put("foreign", "Mietvertrag")
    assert owned.found("vertrag") == ["own"]
    with pytest.raises(Forbidden):
        search(cast("Access", Forged(owned.access, other.access)), "vertrag")
