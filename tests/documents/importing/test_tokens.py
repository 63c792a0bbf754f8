"""Tokens are refreshed once, whoever needs them at the same time, and lost by no death."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest
from sqlalchemy import MetaData, select

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.access import Service
from leasehold_documents.data import connectors
from leasehold_documents.importing.tokens import TURN, TokenKeeper
from leasehold_documents.providers import Tokens
from leasehold_documents.providers.errors import AccessRevoked
from tests.documents.flow.kit import Office
from tests.documents.importing.kit import Cloud, cloud_of, fill


@pytest.fixture
def onedrive(office: Office) -> Iterator[Cloud]:
    """Where a refresh token is good once, and a second use of it ends the consent."""
    with cloud_of("onedrive", office) as cloud:
        cloud.connect()
        yield cloud


def keeper(cloud: Cloud, *, later: timedelta = timedelta()) -> TokenKeeper:
    service = Service(cloud.office.client, cloud.office.database)
    return TokenKeeper(service, cloud.connector(), now=lambda: datetime.now(UTC) + later)


def refreshes(cloud: Cloud) -> int:
    sent = [each.body for each in cloud.server.seen() if each.path == cloud.server.token_path]
    return sum(b"grant_type=refresh_token" in body for body in sent)


def test_an_access_token_that_has_run_out_is_refreshed_on_the_way(cloud: Cloud) -> None:
    names = fill(cloud.server, 3)
    cloud.server.expire()
    cloud.run()
    assert cloud.names() == names
    assert refreshes(cloud) == 1
    cloud.server.expire()
    cloud.run()
    assert refreshes(cloud) == 2  # with the token that the first refresh has brought


def test_many_that_find_the_token_refused_refresh_it_once(onedrive: Cloud) -> None:
    onedrive.server.expire()
    stale = keeper(onedrive).current()
    onedrive.server.delay(0.2, onedrive.server.token_path)
    with ThreadPoolExecutor(6) as pool:
        fresh = list(pool.map(lambda _: keeper(onedrive).renew(stale), range(6)))
    assert len(set(fresh)) == 1
    assert refreshes(onedrive) == 1
    assert onedrive.server.accounts.state_of(fresh[0]) == "good"


def test_whoever_dies_after_the_refresh_leaves_its_tokens_to_the_next(onedrive: Cloud) -> None:
    stale = keeper(onedrive).current()
    onedrive.server.expire()
    dies = patch.object(connectors, "end_turn", side_effect=KeyboardInterrupt)
    with dies, pytest.raises(KeyboardInterrupt):
        keeper(onedrive).renew(stale)
    assert refreshes(onedrive) == 1
    assert onedrive.connector()["refresh_until"] is not None  # as its death has left it
    fresh = keeper(onedrive, later=TURN * 2).renew(stale)
    assert refreshes(onedrive) == 1
    assert onedrive.server.accounts.state_of(fresh) == "good"
    assert onedrive.connector()["status"] == "active"


def test_whoever_was_too_slow_does_not_overwrite_newer_tokens(onedrive: Cloud) -> None:
    late = keeper(onedrive)
    service = Service(onedrive.office.client, onedrive.office.database)
    with service.write() as session:
        ticket = connectors.take_turn(
            session.connection(), onedrive.connector()["id"], datetime.now(UTC), -TURN
        )
    assert ticket is not None
    stale = keeper(onedrive).current()
    onedrive.server.expire()
    fresh = keeper(onedrive).renew(stale)  # the turn of the first one has run out
    late._store(ticket, Tokens(access_token="old", refresh_token="old", expires_at=9e9))
    assert keeper(onedrive).current() == fresh


def test_a_refused_refresh_expires_the_connector_and_is_not_tried_again(onedrive: Cloud) -> None:
    stale = keeper(onedrive).current()
    onedrive.server.revoke()
    for _ in range(3):
        with pytest.raises(AccessRevoked):
            keeper(onedrive).renew(stale)
    assert onedrive.connector()["status"] == "expired"
    assert refreshes(onedrive) == 1


def test_a_token_server_that_fails_expires_nothing(onedrive: Cloud) -> None:
    stale = keeper(onedrive).current()
    onedrive.server.expire()
    for how in (500, 429, 503):
        onedrive.server.fail(how, path=onedrive.server.token_path, retry_after=5)
        with pytest.raises(Exception, match="PROVIDER_"):
            keeper(onedrive).renew(stale)
    assert onedrive.connector()["status"] == "active"
    assert onedrive.server.accounts.state_of(keeper(onedrive).renew(stale)) == "good"


def test_no_token_stands_in_the_database_as_it_is(
    onedrive: Cloud, queue: lh.Client, database: Database
) -> None:
    fill(onedrive.server, 2)
    onedrive.server.expire()
    onedrive.run()
    secrets = [*onedrive.server.accounts._access, *onedrive.server.accounts._refresh]
    assert secrets
    dumped = repr(list(_everything(database)))
    assert not [each for each in secrets if each in dumped]


def _everything(database: Database) -> Iterator[Any]:
    """Read all rows of the queue and of the application."""
    with database.read() as connection:
        for schema in [None] if database.is_sqlite else [None, "leasehold"]:
            found = MetaData()
            found.reflect(connection, schema=schema, only=lambda name, _: "_fts" not in name)
            for table in found.tables.values():
                yield connection.execute(select(table)).all()
