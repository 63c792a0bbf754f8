"""Consent and tokens, as OAuth 2 has them: codes, PKCE, tokens that run out, and rotation."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

import msgspec

from leasehold.kit.servers.clock import Clock

CLIENT_ID = "local-client"
CLIENT_SECRET = "local-secret"  # noqa: S105  # nosec B105  # of a server on this machine
CODE_SECONDS = 600.0


class Denied(Exception):
    """The token endpoint says no; `error` is the word of the standard."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(error)
        self.error = error
        self.description = description


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """What the person's consent came to, and who may exchange it."""

    redirect_uri: str
    challenge: str
    until: float


class Accounts:
    """One account. With `rotates`, a refresh token is good once; used again, all of them end."""

    def __init__(self, clock: Clock, *, seconds: int, rotates: bool, renews: bool) -> None:
        """`renews`: whether a refresh gives a refresh token at all."""
        self._clock = clock
        self.seconds = seconds
        self._rotates = rotates
        self._renews = renews
        self._codes: dict[str, Code] = {}
        self._access: dict[str, float] = {}
        self._refresh: set[str] = set()
        self._used: set[str] = set()
        self.says_no = False

    def consent(self, asked: Mapping[str, str]) -> str:
        """Let the person say yes; returns the code."""
        code = secrets.token_urlsafe(16)
        self._codes[code] = Code(
            redirect_uri=asked.get("redirect_uri", ""),
            challenge=asked.get("code_challenge", ""),
            until=self._clock.now() + CODE_SECONDS,
        )
        return code

    def answer(self, form: Mapping[str, str]) -> dict[str, Any]:
        """Do what a token endpoint does; `Denied` when it would not."""
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            raise Denied("invalid_client", "the client is not known, or its secret is wrong")
        match form.get("grant_type"):
            case "authorization_code":
                self._take_code(form)
                return self.grant()
            case "refresh_token":
                return self._renew(form.get("refresh_token", ""))
            case _:
                raise Denied("unsupported_grant_type", "neither a code nor a refresh token")

    def grant(self) -> dict[str, Any]:
        """Make an access token and a refresh token."""
        refresh = secrets.token_urlsafe(24)
        self._refresh.add(refresh)
        return {**self._make_access(), "refresh_token": refresh}

    def state_of(self, token: str) -> str:
        """Say whether a token is `good`, `expired` or `unknown`."""
        until = self._access.get(token)
        if until is None:
            return "unknown"
        return "good" if self._clock.now() < until else "expired"

    def expire(self) -> None:
        self._access = dict.fromkeys(self._access, 0.0)

    def revoke(self) -> None:
        self._access.clear()
        self._refresh.clear()

    def _take_code(self, form: Mapping[str, str]) -> None:
        code = self._codes.pop(form.get("code", ""), None)  # good once
        if code is None or code.until < self._clock.now():
            raise Denied("invalid_grant", "the code is not known, was used, or is too old")
        if code.redirect_uri != form.get("redirect_uri"):
            raise Denied("invalid_grant", "redirect_uri is another one than was asked with")
        if code.challenge and code.challenge != challenge_of(form.get("code_verifier", "")):
            raise Denied("invalid_grant", "code_verifier does not fit the challenge")

    def _renew(self, token: str) -> dict[str, Any]:
        if self._rotates and token in self._used:
            self.revoke()  # somebody has it who should not
        if token not in self._refresh:
            raise Denied("invalid_grant", "the refresh token is invalid, expired or revoked")
        if not self._renews:
            return self._make_access()
        if self._rotates:
            self._refresh.discard(token)
            self._used.add(token)
        return self.grant()

    def _make_access(self) -> dict[str, Any]:
        token = f"at.{secrets.token_urlsafe(24)}"
        self._access[token] = self._clock.now() + self.seconds
        return {"access_token": token, "token_type": "Bearer", "expires_in": self.seconds}


def challenge_of(verifier: str) -> str:
    """Return the S256 challenge of a verifier."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
