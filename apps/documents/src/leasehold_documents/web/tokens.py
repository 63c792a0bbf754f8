"""People's tokens: JSON web tokens with the person in `sub`, of an issuer that is configured.

With a JWKS its keys sign them; else our own secret does (HS256), which `leasehold-documents token`
uses, too. Where there is neither, nobody is asked.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

import jwt

from leasehold.web import JwtSettings
from leasehold.web.access.jwt import JwtReader
from leasehold_documents.settings import Settings

LEEWAY_SECONDS = 10
LONGEST_TOKEN = 8_192


@dataclass(frozen=True)
class Claimed:
    """Whom a token speaks for, and until when, in seconds since 1970."""

    user_id: UUID
    until: float


@dataclass(frozen=True)
class Tokens:
    """Reads the tokens that these settings believe."""

    settings: Settings

    @property
    def is_asking(self) -> bool:
        """Whether people have to say who they are."""
        return bool(self.settings.secret or self.settings.jwks_url)

    def read(self, token: str) -> Claimed | None:
        """Say whom a token speaks for; None when it is not to be believed."""
        if not self.is_asking or len(token) > LONGEST_TOKEN:
            return None
        claims = self._signed() if self._reader is None else self._reader.claims
        found = claims(token)
        return None if found is None else _claimed(found)

    def is_service(self, token: str) -> bool:
        """Whether this is the token of the cron job that lets workers tick."""
        known = self.settings.service_token
        return bool(known) and hmac.compare_digest(token.encode(), known.encode())

    @cached_property
    def _reader(self) -> JwtReader | None:
        said = self.settings
        if not said.jwks_url:
            return None
        return JwtReader(
            JwtSettings(jwks=said.jwks_url, issuer=said.jwt_issuer, audience=said.jwt_audience)
        )

    def _signed(self) -> Any:
        """Return what reads a token that our own secret has signed."""
        said = self.settings

        def claims(token: str) -> dict[str, Any] | None:
            try:
                found: dict[str, Any] = jwt.decode(
                    token,
                    said.secret,
                    algorithms=["HS256"],
                    issuer=said.jwt_issuer or None,
                    audience=said.jwt_audience or None,
                    leeway=LEEWAY_SECONDS,
                    options={"require": ["exp", "sub"], "verify_aud": bool(said.jwt_audience)},
                )
            except (jwt.PyJWTError, ValueError):
                return None
            return found

        return claims


def _claimed(claims: dict[str, Any]) -> Claimed | None:
    try:
        return Claimed(UUID(claims["sub"]), float(claims["exp"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
