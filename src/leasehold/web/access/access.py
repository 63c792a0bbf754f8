"""Finds out who asks, for one service and all its stores.

What a credential is good for is asked of the store at most once a second, so that many requests
cost one look, and a revoked token is good for no longer than that.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

import anyio
import anyio.to_thread

from leasehold.acting import acting_as, recorded
from leasehold.model.access import Holder
from leasehold.model.audit import Actor
from leasehold.tokens import digest_of
from leasehold.web.access.identity import OPEN, Identity, Manner, from_holder
from leasehold.web.access.rates import Rates

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.client import Client
    from leasehold.web.access.jwt import JwtChecker
    from leasehold.web.settings import WebSettings

LOOK_EVERY_SECONDS = 1.0
MOST_KNOWN = 10_000
SESSION_SECONDS = 12 * 3_600.0
_SESSION_BYTES = 32
_COOKIE = b"cookie"  # what was shown as one is good as nothing else
_logger = logging.getLogger("leasehold.web")


class TooMany(Exception):
    """So many wrong credentials came from an address that no other one is looked at."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class _Known(NamedTuple):
    identity: Identity
    looked_at: float


class Access:
    """Who may use a service. The tokens are those of its own store."""

    def __init__(
        self,
        client: Client,
        settings: WebSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self.settings = settings
        self._clock = clock
        self._is_on = settings.auth == "required" or settings.jwt is not None
        self._looked_at: float | None = None
        self._looking = anyio.Lock()
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        wrong = settings.wrong_per_minute
        self._wrong = Rates(wrong / 60, wrong, clock=clock)
        self.rates = Rates(settings.rate, settings.burst, clock=clock)
        self._jwt = self._make_jwt()

    def _make_jwt(self) -> JwtChecker | None:
        if self.settings.jwt is None:
            return None
        from leasehold.web.access.jwt import JwtChecker

        return JwtChecker(self.settings.jwt)

    async def is_on(self) -> bool:
        """Whether anybody is asked who they are. Once that is so it stays so."""
        if self._is_on or self.settings.auth == "off":
            return self._is_on
        async with self._looking:  # nobody gets in while somebody else is just looking
            if self._is_look_due():
                self._is_on = await anyio.to_thread.run_sync(self._client.store.has_tokens)
                self._looked_at = self._clock()
        return self._is_on

    def _is_look_due(self) -> bool:
        if self._is_on:
            return False
        return self._looked_at is None or self._clock() - self._looked_at >= LOOK_EVERY_SECONDS

    async def by_bearer(self, credential: str, address: str) -> Identity | None:
        """Say whom a token or a JWT speaks for; None when it is good for nothing."""
        key = b"bearer" + digest_of(credential)
        return await self._find(key, address, lambda: self._check(credential))

    async def by_cookie(self, cookie: str, address: str) -> Identity | None:
        """Say whose session a cookie names; None when it is over."""
        digest = digest_of(cookie)

        def look() -> Identity | None:
            holder = self._client.store.session(digest)
            return None if holder is None else self._in_session(holder, cookie)

        # A page that is open for too long shows an old one: that is no reason to refuse a login.
        return await self._find(_COOKIE + digest, f"cookie {address}", look)

    async def _find(
        self, key: bytes, address: str, look: Callable[[], Identity | None]
    ) -> Identity | None:
        known = self._known.get(key)
        if known is not None and self._clock() - known.looked_at < LOOK_EVERY_SECONDS:
            return known.identity
        if known is not None:
            self._known[key] = _Known(known.identity, self._clock())  # the others need not look
        elif (wait := self._wrong.take(address)) > 0:  # before it is known: many may come at once
            raise TooMany(wait)
        identity = await anyio.to_thread.run_sync(look)
        if identity is None:
            self._known.pop(key, None)
            _logger.warning("credential refused", extra={"address": address})
            return None
        if known is None:
            self._wrong.give_back(address)
        self._remember(key, identity)
        return identity

    def _remember(self, key: bytes, identity: Identity) -> None:
        self._known[key] = _Known(identity, self._clock())
        self._known.move_to_end(key)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)

    def _check(self, credential: str) -> Identity | None:
        holder = self._client.tokens.check(credential)
        if holder is not None:
            return from_holder(holder, Manner.TOKEN)
        if self._jwt is None:
            return None
        claimed = self._jwt.check(credential)
        return None if claimed is None else from_holder(claimed, Manner.JWT)

    # -- sessions --------------------------------------------------------------------------------
    def _in_session(self, holder: Holder, cookie: str) -> Identity:
        csrf = hashlib.sha256(b"leasehold csrf\0" + cookie.encode()).hexdigest()
        return from_holder(holder, Manner.SESSION, csrf=csrf, session=digest_of(cookie))

    async def log_in(self, identity: Identity, address: str) -> tuple[str, float]:
        """Open a session; returns its cookie, and for how many seconds it is good."""
        cookie = secrets.token_urlsafe(_SESSION_BYTES)
        seconds = SESSION_SECONDS
        if identity.expires_at is not None:
            left = identity.expires_at.timestamp() - time.time()
            seconds = max(1.0, min(seconds, left))
        holder = Holder(
            name=identity.name,
            right=identity.right,
            tenant=identity.tenant,
            token=identity.token,
        )

        somebody = Actor(name=identity.name, via="dashboard", address=address, is_certain=True)

        def write() -> None:
            store, tenant = self._client.store, identity.tenant or ""
            with acting_as(somebody), recorded(store, "session.open", tenant=tenant):
                store.open_session(digest_of(cookie), holder, seconds=seconds)

        await anyio.to_thread.run_sync(write)
        return cookie, seconds

    async def log_out(self, identity: Identity) -> None:
        """End a session, wherever it is open."""
        self._known.pop(_COOKIE + identity.session, None)

        def write() -> None:
            store, tenant = self._client.store, identity.tenant or ""
            with recorded(store, "session.close", tenant=tenant):
                store.close_session(identity.session)

        await anyio.to_thread.run_sync(write)

    async def stands(self, identity: Identity, credential: Credential) -> bool:
        """Whether somebody who was let in would be let in now, with the same rights."""
        if identity.manner is Manner.OPEN:
            return not await self.is_on()
        find = self.by_cookie if credential.is_cookie else self.by_bearer
        found = await find(credential.secret, credential.address)
        return found is not None and found.sight == identity.sight


class Credential(NamedTuple):
    """What somebody showed."""

    secret: str
    is_cookie: bool
    address: str

    def __repr__(self) -> str:
        return "<Credential>"


NOTHING_SHOWN = Credential("", is_cookie=False, address="")
__all__ = ["NOTHING_SHOWN", "OPEN", "Access", "Credential", "TooMany"]
