"""JSON web tokens of an issuer that is configured: read only as strictly as they can be.

The algorithms are ours to choose, never the token's; issuer and audience have to be the very ones;
a key is found by its id alone.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

import jwt

from leasehold.errors import BadOption
from leasehold.model.access import Holder, Right

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.web.settings import JwtSettings

T = TypeVar("T")
ASYMMETRIC = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}) | frozenset(
    {"ES256", "ES384", "ES512", "EdDSA"}
)
PREFIX = "leasehold:"
ALL_TENANTS = f"{PREFIX}all-tenants"
LEEWAY_SECONDS = 10
FRESH_SECONDS = 600.0  # the keys are read again after this, so that one that was withdrawn goes
LEAST_SECONDS = 10.0  # … and not more often than this, whatever key ids are made up
LONGEST_TOKEN = 8_192
_FETCH_SECONDS = 5.0
_MOST_BYTES = 262_144
_NAME_LIMIT = 200
_logger = logging.getLogger("leasehold.web")


class JwtReader:
    """Reads what tokens of an issuer claim. Safe to use from many threads."""

    def __init__(
        self, settings: JwtSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        _check_settings(settings)
        self._settings = settings
        self._clock = clock
        self._reading = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._read_at = -FRESH_SECONDS

    def claims(self, token: str) -> dict[str, Any] | None:
        """Return what it claims; None when it is not to be believed, which the log explains."""
        return _unless_refused(token, self.read)

    def read(self, token: str) -> dict[str, Any]:
        """Do the same; raises for what is not to be believed."""
        key = self._key(jwt.get_unverified_header(token).get("kid"))
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[each for each in self._settings.algorithms if _fits(key, each)],
            issuer=self._settings.issuer,
            audience=self._settings.audience,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud"], "strict_aud": False},
        )
        return claims

    def _key(self, key_id: object) -> jwt.PyJWK:
        if not isinstance(key_id, str):
            raise _Unfit("it does not say which key signed it")
        with self._reading:
            age = self._clock() - self._read_at
            if age >= FRESH_SECONDS or (key_id not in self._keys and age >= LEAST_SECONDS):
                self._read_at = self._clock()
                self._read_keys()
            key = self._keys.get(key_id)
        if key is None:
            raise _Unfit("nobody knows the key that signed it")
        return key

    def _read_keys(self) -> None:
        """Read the issuer's keys; when that fails, those that are known stay."""
        try:
            document = json.loads(_load(self._settings.jwks))
            found = jwt.PyJWKSet.from_dict(document).keys
        except (OSError, ValueError, jwt.PyJWTError) as error:
            _logger.warning(
                "JWKS not read", extra={"jwks": self._settings.jwks, "error": str(error)}
            )
            return
        self._keys = {key.key_id: key for key in found if key.key_id is not None}


class JwtChecker:
    """Says whom a token speaks for. Safe to use from many threads."""

    def __init__(
        self, settings: JwtSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._reader = JwtReader(settings, clock=clock)

    def check(self, token: str) -> Holder | None:
        """Return whom it speaks for; None when it is not to be believed, which the log explains."""
        return _unless_refused(token, lambda token: self._hold(self._reader.read(token)))

    def _hold(self, claims: dict[str, Any]) -> Holder:
        settings = self._settings
        scopes = _words(claims.get(settings.scope_claim))
        rights = [right for right in Right if f"{PREFIX}{right}" in scopes]
        if not rights:
            raise _Unfit(f"its {settings.scope_claim} names no right of leasehold")
        tenant = None
        if settings.tenant_claim is not None and ALL_TENANTS not in scopes:
            tenant = _name(claims, settings.tenant_claim)
        return Holder(
            name=_name(claims, settings.name_claim),
            right=rights[-1],
            tenant=tenant,
            expires_at=datetime.fromtimestamp(float(claims["exp"]), UTC),
        )


def _unless_refused(token: str, read: Callable[[str], T]) -> T | None:
    if len(token) > LONGEST_TOKEN or token.count(".") != 2:  # noqa: PLR2004 - three parts
        return None
    try:
        return read(token)
    except (jwt.PyJWTError, _Unfit) as error:
        _logger.info("JWT refused", extra={"reason": f"{type(error).__name__}: {error}"})
        return None


class _Unfit(Exception):
    """A token that is genuine, and no use here."""


def _check_settings(settings: JwtSettings) -> None:
    weak = set(settings.algorithms) - ASYMMETRIC
    if weak or not settings.algorithms:
        raise BadOption(
            f"JWT algorithms: {', '.join(sorted(weak)) or 'none'} can't be trusted; "
            f"use some of {', '.join(sorted(ASYMMETRIC))}"
        )
    if not settings.issuer or not settings.audience:
        raise BadOption("JWT: give the issuer and the audience that tokens must have")
    address = urlsplit(settings.jwks)
    if address.scheme == "http" and not _is_local(address.hostname or ""):
        raise BadOption(f"JWKS: {settings.jwks} is not https: anybody on the way could forge keys")


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _load(place: str) -> bytes:
    if urlsplit(place).scheme not in {"http", "https"}:
        return Path(place).read_bytes()
    # The operator names it, and no proxy of the environment stands between.
    with build_opener(ProxyHandler({})).open(place, timeout=_FETCH_SECONDS) as answer:
        body: bytes = answer.read(_MOST_BYTES + 1)
    if len(body) > _MOST_BYTES:
        raise ValueError("it is too large for a set of keys")
    return body


def _fits(key: jwt.PyJWK, algorithm: str) -> bool:
    """Whether this key is for this algorithm: what the token says does not matter."""
    return key.algorithm_name == algorithm


def _words(claim: object) -> frozenset[str]:
    """Read a scope: words in one text, or a list of them."""
    if isinstance(claim, str):
        return frozenset(claim.split())
    if isinstance(claim, list):
        return frozenset(each for each in claim if isinstance(each, str))
    return frozenset()


def _name(claims: dict[str, Any], claim: str) -> str:
    found = claims.get(claim)
    if not isinstance(found, str) or not found or not found.isprintable():
        raise _Unfit(f"its {claim} is no name")
    if len(found) > _NAME_LIMIT:
        raise _Unfit(f"its {claim} is too long")
    return found
