"""A source with some rows, an app that names it, and the application inside of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold_sync.servers import StripeServer
from tests.sync.web.kit import SyncAsker, save_app, serve_inside

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold.kit.data import Database
    from leasehold_sync.model.apps import App


@pytest.fixture
def server() -> Iterator[StripeServer]:
    with StripeServer(rows={"customers": 250, "products": 30}) as server:
        yield server


@pytest.fixture
def app(
    queue: lh.Client, database: Database, server: StripeServer, monkeypatch: pytest.MonkeyPatch
) -> App:
    return save_app(queue, database, server, monkeypatch)


@pytest.fixture
def asker(queue: lh.Client, database: Database) -> Iterator[SyncAsker]:
    """Somebody who is asked nothing."""
    with serve_inside(queue) as asker:
        yield asker
