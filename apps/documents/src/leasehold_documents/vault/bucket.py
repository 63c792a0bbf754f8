"""Signed requests to a bucket, tried again where it was chance that they failed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import BinaryIO, NamedTuple

import httpx

from leasehold_documents.errors import NotInVault, VaultFailed
from leasehold_documents.vault.sigv4 import EMPTY_SHA256, Signer, encode_path, encode_query

_TRIES = 4
_FIRST_PAUSE_SECONDS = 0.2
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)
_PIECE_BYTES = 1 << 20
_NOT_FOUND = 404
_REFUSED = 400
_BY_CHANCE = frozenset({408, 429, 500, 502, 503, 504})


class Place(NamedTuple):
    """Where a bucket is, and whose key opens it."""

    name: str
    endpoint: str
    region: str
    key_id: str
    key: str
    session: str = ""

    @property
    def base(self) -> str:
        """An endpoint of one's own has the bucket in the path; Amazon's has it in the name."""
        if self.endpoint:
            return f"{self.endpoint}/{encode_path(self.name)}"
        return f"https://{self.name}.s3.{self.region}.amazonaws.com"


class Sent(NamedTuple):
    """A body: where it begins in its file, how long it is, and its hash."""

    file: BinaryIO
    start: int
    size: int
    sha256: str


class Bucket:
    """One bucket over HTTP. Safe in threads."""

    def __init__(self, place: Place, *, pause: Callable[[float], None] = time.sleep) -> None:
        self._base = httpx.URL(place.base)
        self._signer = Signer(place.key_id, place.key, place.region, place.session)
        self._http = httpx.Client(timeout=_TIMEOUT, follow_redirects=False, trust_env=False)
        self._pause = pause

    def close(self) -> None:
        self._http.close()

    def ask(
        self,
        method: str,
        key: str = "",
        *,
        query: Mapping[str, str] | None = None,
        sent: Sent | None = None,
        into: BinaryIO | None = None,
    ) -> bytes:
        """Return the answer, or write it into a file; `NotInVault` if there is no such key."""
        for tries_left in reversed(range(_TRIES)):
            try:
                return self._ask_once(method, key, query or {}, sent, into)
            except (_ByChance, httpx.TransportError) as error:
                if not tries_left:
                    raise VaultFailed(_reason(error)) from error
            self._pause(_FIRST_PAUSE_SECONDS * 2 ** (_TRIES - tries_left) * random.uniform(0.5, 1))
        raise AssertionError("the last try returns or raises")

    def _ask_once(
        self,
        method: str,
        key: str,
        query: Mapping[str, str],
        sent: Sent | None,
        into: BinaryIO | None,
    ) -> bytes:
        request = self._request(method, key, query, sent)
        response = self._http.send(request, stream=True)
        try:
            _check(response, key)
            if into is None:
                return response.read()
            into.seek(0)
            into.truncate()
            for piece in response.iter_bytes(_PIECE_BYTES):
                into.write(piece)
            into.seek(0)
            return b""
        finally:
            response.close()

    def _request(
        self, method: str, key: str, query: Mapping[str, str], sent: Sent | None
    ) -> httpx.Request:
        path = f"{self._base.path.rstrip('/')}/{encode_path(key)}"
        headers = {"host": self._base.netloc.decode(), "accept-encoding": "identity"}
        if sent is not None:
            headers["content-length"] = str(sent.size)
        signed = self._signer.headers(
            method,
            path,
            query,
            headers,
            body_sha256=EMPTY_SHA256 if sent is None else sent.sha256,
            now=datetime.now(UTC),
        )
        target = path + (f"?{encode_query(query)}" if query else "")
        url = self._base.copy_with(raw_path=target.encode())
        return httpx.Request(
            method, url, headers=signed, content=None if sent is None else _pieces(sent)
        )


class _ByChance(Exception):
    """An answer that another try may change."""


def _pieces(sent: Sent) -> Iterator[bytes]:
    sent.file.seek(sent.start)
    while piece := sent.file.read(_PIECE_BYTES):
        yield piece


def _check(response: httpx.Response, key: str) -> None:
    """Refuse what is no success; what the storage writes about it may name files."""
    status = response.status_code
    if status == _NOT_FOUND and key:
        raise NotInVault(key)
    if status in _BY_CHANCE:
        raise _ByChance(f"the storage answered {status}")
    if not response.is_success:
        raise VaultFailed(f"the storage answered {status}")


def _reason(error: Exception) -> str:
    return (
        str(error) if isinstance(error, _ByChance) else f"{type(error).__name__} on the way there"
    )
