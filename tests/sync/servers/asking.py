"""Asking a local server as any program would."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from leasehold_sync.servers import LocalServer, ServerProcess

_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # for nothing: to make one is slow
HEADERS: dict[str, dict[str, str]] = {
    "stripe": {"Stripe-Version": "2025-09-30.clover"},
    "notion": {"Notion-Version": "2025-09-03"},
    "intercom": {"Intercom-Version": "2.14"},
    "plain": {},
}


@contextmanager
def asking(server: LocalServer | ServerProcess, **headers: str) -> Iterator[httpx.Client]:
    """Give a client with all that a good request has, but for what `headers` say."""
    given = {"Authorization": f"Bearer {server.key}"} | HEADERS[server.name] | headers
    with httpx.Client(base_url=server.url, headers=given, timeout=10, verify=_TLS) as client:
        yield client


def problem(answer: httpx.Response) -> tuple[int, Any]:
    """Return a status with what was said."""
    return answer.status_code, answer.json()
