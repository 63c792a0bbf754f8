"""Every test here runs on both stores: a fresh file, or one database emptied between tests.

What workers and people do is also tried on a database with roles, as the worker's login: forced row
level security must not be in its way. With LEASEHOLD_TEST_ROLES=1 all of it is.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import pytest

from leasehold.store import open_store
from tests.safety.roles import database_with_roles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.conformance.tables import Tables
    from tests.postgres_server import PostgresServer
    from tests.recycling import Shelf
    from tests.safety.roles import Access

AS_WORKER = frozenset(
    {
        *("test_enqueue", "test_claim_order", "test_claim_kinds", "test_finish", "test_reclaim"),
        *("test_promote", "test_release_unknown", "test_throttle", "test_hand_over"),
        *("test_saving", "test_schedules", "test_batches", "test_retry", "test_retention"),
        "test_sealed",
    }
)

NOT_AS_WORKER = frozenset({"test_pruning_says_so_in_the_record"})  # which the migrator may


@pytest.fixture(scope="session")
def shared_roles(postgres_server: PostgresServer, shelf: Shelf) -> Iterator[Access]:
    with database_with_roles(postgres_server) as access:
        # Tests make tables of an application's.
        given = "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO "
        with shelf.open_tables(shelf.share(access.admin)) as tables:
            tables.execute(given + access.roles.worker)
        yield access


@pytest.fixture(scope="session")
def shared_worker_url(shared_roles: Access, shelf: Shelf) -> str:
    return shelf.share(shared_roles.worker)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test on both stores, and those of some modules here as the worker's role, too."""
    if "store_url" in metafunc.fixturenames:
        folder, _, module = metafunc.module.__name__.rpartition(".")
        is_chosen = module in AS_WORKER or os.environ.get("LEASEHOLD_TEST_ROLES") == "1"
        is_here = folder == "tests.conformance" and metafunc.function.__name__ not in NOT_AS_WORKER
        ways = ["sqlite", "postgres", *(["worker"] if is_chosen and is_here else [])]
        metafunc.parametrize("store_url", ways, indirect=True)


@pytest.fixture
def store_url(request: pytest.FixtureRequest, shelf: Shelf) -> str:
    """Where the store under test is; asked for by name, so that SQLite needs no server."""
    url: str = request.getfixturevalue(f"shared_{request.param}_url")
    shelf.empty(tables_url(url, request))
    return url


def tables_url(url: str, request: pytest.FixtureRequest) -> str:
    """Where tests look at the raw tables: a worker may not do all that they do there."""
    if "_worker:" not in url:
        return url
    access: Access = request.getfixturevalue("shared_roles")
    return access.admin


@pytest.fixture
def hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan from the head in each claim, so that no job is hidden by a hint for half a second.

    Tests of hints and of many claiming at once override this fixture with one that does nothing.
    """
    monkeypatch.setattr("leasehold.store.postgres.levels.HEAD_MOST_SECONDS", 0.0)


@pytest.fixture
def store(store_url: str, hints: None) -> Iterator[Store]:
    """A store of its own for each test: what it remembers must not outlive the emptying."""
    with contextlib.closing(open_store(store_url)) as opened:
        yield opened


@pytest.fixture
def tables(store_url: str, request: pytest.FixtureRequest, shelf: Shelf) -> Iterator[Tables]:
    with shelf.open_tables(tables_url(store_url, request)) as opened:
        yield opened
