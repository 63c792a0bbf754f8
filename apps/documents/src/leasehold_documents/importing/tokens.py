"""A connector's tokens: encrypted, and refreshed by one at a time, whoever else wants to.

Where refresh tokens rotate, two that refresh at once would end the consent. So each takes a turn,
which has a number and an end. The tokens that a turn brings are kept under its number before the
connector is told that they are the good ones: who dies in between has lost nothing, since whoever
comes next finds them. Only an answer that is lost on its way costs the consent, and only where a
refresh token is good once: that is the cloud's own rule.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

import leasehold as lh
from leasehold_documents.data import connectors
from leasehold_documents.importing.clients import app_of, endpoints_of
from leasehold_documents.providers import Http, Tokens
from leasehold_documents.providers.errors import AccessRevoked, ProviderUnavailable
from leasehold_documents.providers.oauth import refresh

if TYPE_CHECKING:
    from uuid import UUID

    from leasehold_documents.access import Service

TURN = timedelta(seconds=90)  # longer than one request may take
_WAIT_SECONDS = 120.0
_LOOK_SECONDS = 0.1
_MOST_LEFT = 8  # turns whose ends are looked for


class TokenKeeper:
    """Knows the access token of one connector; it is a `Bearer`."""

    def __init__(
        self,
        service: Service,
        connector: dict[str, Any],
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._service = service
        self._now = now
        self._id: UUID = connector["id"]
        self._tenant = str(connector["tenant_id"])
        self._connector = connector

    def current(self) -> str:
        tokens = self._good()
        if tokens.is_stale(self._now().timestamp()):
            return self.renew(tokens.access_token)
        return tokens.access_token

    def renew(self, stale: str) -> str:
        """Refresh, or wait for who does."""
        for ticket in self._tickets():
            if ticket is not None:
                self._use_turn(ticket, stale)
            tokens = self._good()
            if tokens.access_token != stale:
                return tokens.access_token
        raise AssertionError("tickets end by an error")

    def keep(self, tokens: Tokens) -> None:
        """Keep the tokens of a fresh consent, whatever there was before."""
        ticket = next(ticket for ticket in self._tickets() if ticket is not None)
        self._store(ticket, tokens)

    def forget(self) -> None:
        """Forget all tokens."""
        newest = self._read()["refresh_ticket"]
        for version in range(max(0, newest - _MOST_LEFT), newest + 1):
            self._service.client.credentials.remove(self._name(version), tenant=self._tenant)

    def expire(self) -> None:
        """Say that the consent is over."""
        version: int = self._connector["token_version"]
        with self._service.write() as session:
            connectors.expire(session.connection(), self._id, version, self._now())

    def _tickets(self) -> Iterator[int | None]:
        """Try to have the turn, again and again; None as long as it is somebody else's."""
        ends_at = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < ends_at:
            with self._service.write() as session:
                ticket = connectors.take_turn(session.connection(), self._id, self._now(), TURN)
            yield ticket
            if ticket is None:
                self._read()  # it may be removed
                time.sleep(_LOOK_SECONDS)
        raise ProviderUnavailable("somebody else refreshes the tokens, and does not end")

    def _use_turn(self, ticket: int, stale: str) -> None:
        try:
            found = self._left_behind(ticket) or self._good()
            if found.access_token != stale:
                self._store(ticket, found)  # somebody has refreshed, and died before it was told
                return
            app, endpoints = app_of(self._connector["provider"]), endpoints_of(self._connector)
            with Http() as http:
                fresh = refresh(http, endpoints, app, found.refresh_token)
            self._store(ticket, fresh)
        except AccessRevoked:
            self._end_turn(ticket, status=connectors.EXPIRED, updated_at=self._now())
            raise
        except BaseException:
            self._end_turn(ticket)
            raise

    def _store(self, ticket: int, tokens: Tokens) -> None:
        """Keep them, then say that they are the good ones; who is too late says nothing."""
        before = self._read()["token_version"]
        text = msgspec.json.encode(tokens).decode()
        credentials = self._service.client.credentials
        credentials.set(self._name(ticket), text, tenant=self._tenant)
        active = {"status": connectors.ACTIVE, "updated_at": self._now()}
        is_mine = self._end_turn(ticket, token_version=ticket, **active)
        credentials.remove(self._name(before if is_mine else ticket), tenant=self._tenant)

    def _end_turn(self, ticket: int, **values: Any) -> bool:
        with self._service.write() as session:
            return connectors.end_turn(session.connection(), self._id, ticket, **values)

    def _good(self) -> Tokens:
        """Return the tokens that are good, as the connector says now."""
        for _ in range(_MOST_LEFT):  # they may be changed between both looks
            self._connector = self._read()
            if self._connector["status"] != connectors.ACTIVE:
                raise AccessRevoked("the consent is over; connect anew")
            found = self._stored(self._connector["token_version"])
            if found is not None:
                return found
        raise AccessRevoked("there are no tokens; connect anew")

    def _left_behind(self, ticket: int) -> Tokens | None:
        """Find the tokens of a turn that was not ended."""
        first = max(self._read()["token_version"] + 1, ticket - _MOST_LEFT)
        found = (self._stored(version) for version in range(ticket - 1, first - 1, -1))
        return next((tokens for tokens in found if tokens is not None), None)

    def _stored(self, version: int) -> Tokens | None:
        with suppress(lh.CredentialNotFound):
            secret = self._service.client.credentials.get(self._name(version), tenant=self._tenant)
            return msgspec.json.decode(secret.reveal(), type=Tokens)
        return None

    def _read(self) -> dict[str, Any]:
        with self._service.read() as connection:
            found = connectors.get_of_anyone(connection, self._id)
        if found is None:
            raise AccessRevoked("the connector was removed")
        return found

    def _name(self, version: int) -> str:
        return f"documents.connector.{self._id}.{version}"
