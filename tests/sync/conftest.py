"""Fixtures of the application's tests: a queue with the sync's tables, on either database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync import apps
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.data.tables import metadata
from leasehold_sync.model.apps import App
from leasehold_sync.servers import LocalServer, ServerProcess, StripeServer
from tests.app_fixtures import *  # noqa: F403 - fixtures
from tests.app_tables import AppTables


@pytest.fixture(scope="session")
def app_tables() -> AppTables:
    return AppTables(MIGRATIONS, metadata)


@pytest.fixture
def stripe() -> Iterator[StripeServer]:
    with StripeServer(rows={"customers": 250, "subscriptions": 40}) as server:
        yield server


@pytest.fixture
def make_app(
    queue: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., App]:
    """Add an app that reads a local server, with a credential of the environment."""

    def make(server: LocalServer | ServerProcess, app_key: str = "shop", **fields: Any) -> App:
        variable = f"SYNC_TEST_{app_key.upper()}"
        monkeypatch.setenv(variable, server.key)
        said: dict[str, Any] = {
            "app_key": app_key,
            "connector": "stripe",
            "credential": f"env:{variable}",
            "base_url": server.url,
            "resources": ("customers",),
        }
        app = App(**said | fields)
        apps.save(queue, database, app)
        return app

    return make
