"""Words that only this service can have said, for as long as they hold: links, and OAuth's state.

A token is what it says as JSON, and a keyed hash of it, both as base64. It is signed, not secret.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec

from leasehold_documents.errors import Rejected
from leasehold_documents.settings import SIGNED_SECONDS, Settings


def sign(
    settings: Settings,
    purpose: str,
    said: dict[str, Any],
    *,
    lifetime: timedelta = timedelta(seconds=SIGNED_SECONDS),
    now: datetime | None = None,
) -> str:
    """Sign something for one purpose: a token of another one is none here."""
    until = (now or datetime.now(UTC)) + lifetime
    text = msgspec.json.encode({"said": said, "until": int(until.timestamp())})
    return f"{_to_text(text)}.{_to_text(_digest(settings, purpose, text))}"


def read(
    settings: Settings, purpose: str, token: str, *, now: datetime | None = None
) -> dict[str, Any]:
    """Return what was signed; `Rejected` with LINK_INVALID or LINK_EXPIRED."""
    text, digest = (_to_bytes(part) for part in (token.partition(".")[::2]))
    if not hmac.compare_digest(digest, _digest(settings, purpose, text)):
        raise Rejected("LINK_INVALID", "this link was not made here, or was changed")
    found = msgspec.json.decode(text)
    if (now or datetime.now(UTC)).timestamp() >= found["until"]:
        raise Rejected("LINK_EXPIRED", "this link has ended: ask for a new one")
    said: dict[str, Any] = found["said"]
    return said


def _digest(settings: Settings, purpose: str, text: bytes) -> bytes:
    secret = settings.secret.encode() or _secret_of_process()
    key = hmac.digest(secret, b"leasehold-documents " + purpose.encode(), "sha256")
    return hmac.digest(key, text, "sha256")


@lru_cache(maxsize=1)
def _secret_of_process() -> bytes:
    """Draw one where the operator has said none: what it signs ends with the process."""
    return secrets.token_bytes(32)


def _to_text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _to_bytes(text: str) -> bytes:
    """Read base64; what is none is empty, which no digest is."""
    try:
        return urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))
    except ValueError:
        return b""
