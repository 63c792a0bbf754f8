"""Consent and tokens at the three clouds: where to ask, with what, and what comes back."""

from __future__ import annotations

import base64
import hashlib
import time
from typing import Any, Self
from urllib.parse import urlencode

import msgspec

from leasehold_documents.providers.errors import (
    AccessRevoked,
    BadAnswer,
    BadClient,
    ProviderFailed,
    ProviderUnavailable,
    RateLimited,
)
from leasehold_documents.providers.http import Answer, Http

_BUSY = 429
_OK = 200
_SERVER_ERRORS = 500
_USUAL_SECONDS = 3_600
_EARLY_SECONDS = 60.0  # before its end a token is not used any more
_OVER = frozenset({"invalid_grant", "interaction_required", "consent_required", "access_denied"})
_CLIENT = frozenset({"invalid_client", "unauthorized_client"})


class Endpoints(msgspec.Struct, frozen=True, kw_only=True):
    """Where a cloud is: its own addresses, or those of a server that behaves like it."""

    api: str
    content: str
    authorize: str
    token: str
    scope: str = ""
    more: dict[str, str] = {}  # that its consent page wants to know

    @classmethod
    def of(cls, provider: str, base_url: str | None) -> Self:
        """Return the provider's own, or all of them below one address."""
        real = _REAL[provider]
        if base_url is None:
            return msgspec.convert(real, cls)
        base = base_url.rstrip("/")
        moved = {name: base + "/" + real[name].split("/", 3)[3] for name in _ADDRESSES}
        return msgspec.convert({**real, **moved}, cls)


_ADDRESSES = ("api", "content", "authorize", "token")
_REAL: dict[str, dict[str, Any]] = {
    "dropbox": {
        "api": "https://api.dropboxapi.com/2",
        "content": "https://content.dropboxapi.com/2",
        "authorize": "https://www.dropbox.com/oauth2/authorize",
        "token": "https://api.dropboxapi.com/oauth2/token",
        "scope": "account_info.read files.metadata.read files.content.read",
        "more": {"token_access_type": "offline"},
    },
    "onedrive": {
        "api": "https://graph.microsoft.com/v1.0",
        "content": "https://graph.microsoft.com/v1.0",
        "authorize": "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
        "token": "https://login.microsoftonline.com/common/oauth2/v2.0/token",
        "scope": "offline_access User.Read Files.Read",
    },
    "gdrive": {
        "api": "https://www.googleapis.com/drive/v3",
        "content": "https://www.googleapis.com/drive/v3",
        "authorize": "https://accounts.google.com/o/oauth2/v2/auth",
        "token": "https://oauth2.googleapis.com/token",
        "scope": "https://www.googleapis.com/auth/drive.readonly",
        "more": {"access_type": "offline", "prompt": "consent"},
    },
}


class App(msgspec.Struct, frozen=True, kw_only=True):
    """What the operator was given by the cloud."""

    client_id: str
    client_secret: str


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """What the cloud has given for the person's consent; kept encrypted, and shown to nobody."""

    access_token: str
    refresh_token: str
    expires_at: float  # seconds since 1970

    def is_stale(self, now: float) -> bool:
        return now >= self.expires_at - _EARLY_SECONDS


def authorize_url(
    endpoints: Endpoints, app: App, *, redirect_uri: str, state: str, verifier: str
) -> str:
    """Return the page at which the person consents."""
    asked = {
        "client_id": app.client_id,
        "redirect_uri": redirect_uri,
        "response_type": "code",
        "scope": endpoints.scope,
        "state": state,
        "code_challenge": challenge_of(verifier),
        "code_challenge_method": "S256",
        **endpoints.more,
    }
    return f"{endpoints.authorize}?{urlencode(asked)}"


def exchange(
    http: Http, endpoints: Endpoints, app: App, *, code: str, redirect_uri: str, verifier: str
) -> Tokens:
    """Turn a code into tokens."""
    sent = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": verifier,
    }
    tokens = _ask(http, endpoints, app, sent, "")
    if not tokens.refresh_token:
        raise BadAnswer("no refresh token: it would end within hours")
    return tokens


def refresh(http: Http, endpoints: Endpoints, app: App, refresh_token: str) -> Tokens:
    """Get a fresh access token; where refresh tokens rotate, a new one of those as well."""
    sent = {"grant_type": "refresh_token", "refresh_token": refresh_token}
    return _ask(http, endpoints, app, sent, refresh_token)


def challenge_of(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _ask(
    http: Http, endpoints: Endpoints, app: App, sent: dict[str, str], known_refresh: str
) -> Tokens:
    form = {**sent, "client_id": app.client_id, "client_secret": app.client_secret}
    answer = http.ask_openly("POST", endpoints.token, data=form)
    if answer.status != _OK:
        raise _refusal(answer)
    said = answer.document()
    token, seconds = said.get("access_token"), said.get("expires_in", _USUAL_SECONDS)
    if not isinstance(token, str) or not token or not isinstance(seconds, int):
        raise BadAnswer("an answer without a token")
    return Tokens(
        access_token=token,
        refresh_token=str(said.get("refresh_token") or known_refresh),
        expires_at=time.time() + seconds,
    )


def _refusal(answer: Answer) -> ProviderFailed:
    """Say what it means; its own words may repeat what they refuse, so that only the code stays."""
    code = str(answer.complaint().get("error", ""))
    if answer.status == _BUSY:
        return RateLimited(answer.rest_seconds())
    if code in _OVER:
        return AccessRevoked("the consent is over; connect anew")
    if code in _CLIENT:
        return BadClient("the cloud does not know this client id and secret")
    if answer.status >= _SERVER_ERRORS:
        return ProviderUnavailable(f"{answer.status} instead of a token")
    return BadAnswer(f"{answer.status} instead of a token")
