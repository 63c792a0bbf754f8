"""Tells alerts by a POST of JSON: no redirect, no proxy, signed where there is a secret."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from leasehold._version import __version__
from leasehold.alerting.sinks import TIMEOUT_SECONDS, SinkFailed
from leasehold.errors import BadOption

if TYPE_CHECKING:
    from leasehold.alerting.events import Event

SIGNATURE = "Leasehold-Signature"
_FINE = range(200, 300)
_LATER = frozenset({408, 425, 429, *range(500, 600)})


@dataclass(frozen=True, slots=True, repr=False)
class WebhookSink:
    """The URL may hold a token, so neither it nor an answer's text is ever shown."""

    url: str
    secret: str | None = None
    timeout_seconds: float = TIMEOUT_SECONDS

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise BadOption("a webhook's url must be http:// or https:// with a host")

    def send(self, event: Event) -> None:
        body = msgspec.json.encode(event)
        try:
            status = self._post(body, self._headers(event, body))
        except (OSError, http.client.HTTPException) as error:
            raise SinkFailed(f"the webhook can't be reached: {type(error).__name__}") from error
        if status not in _FINE:
            reason = f"the webhook answered {status}"
            raise SinkFailed(reason, may_retry=status in _LATER)

    def _headers(self, event: Event, body: bytes) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"leasehold/{__version__}",
            "Leasehold-Event": event.id.encode("ascii", "backslashreplace").decode(),
        }
        if self.secret is not None:
            headers[SIGNATURE] = sign(self.secret, body, int(time.time()))
        return headers

    def _post(self, body: bytes, headers: dict[str, str]) -> int:
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        connection = (
            http.client.HTTPSConnection(
                host, parts.port, timeout=self.timeout_seconds, context=ssl.create_default_context()
            )
            if parts.scheme == "https"
            else http.client.HTTPConnection(host, parts.port, timeout=self.timeout_seconds)
        )
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("POST", target, body, headers)
            return connection.getresponse().status  # a redirect is an answer like any other
        finally:
            connection.close()


def sign(secret: str, body: bytes, at: int) -> str:
    """Return what proves to a receiver who sent it, and when: HMAC-SHA256 of `at.body`."""
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"
