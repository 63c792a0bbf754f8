"""HTTP to a cloud: bounded in size and time, and its tokens go to nobody else."""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple, NoReturn, Protocol, Self
from urllib.parse import urlsplit

import httpx
import msgspec

from leasehold_documents.providers.errors import (
    AccessRevoked,
    BadAnswer,
    ProviderUnavailable,
    TokenExpired,
)
from leasehold_documents.providers.saving import Target

PAGE_BYTES = 20 * 1_048_576
USUAL_REST_SECONDS = 30.0  # where a cloud asks for patience and says not how much
LEAST_REST_SECONDS = 0.5
LONGEST_REST_SECONDS = 3_600.0
_UNAUTHORISED = 401
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 5


class Patience(NamedTuple):
    """For how many seconds nothing may come, and how many a page and a file may take in all."""

    silence: float = 30.0
    page: float = 60.0
    file: float = 600.0


USUAL = Patience()


class Bearer(Protocol):
    """Who knows the access token."""

    def current(self) -> str:
        """Return the token as it stands."""
        ...

    def renew(self, stale: str) -> str:
        """Return a fresh one in place of one that was refused; `AccessRevoked` if none is left."""
        ...


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A status, headers (names in lower case), and the body, if it was to be read."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    def document(self) -> dict[str, Any]:
        """Read a JSON object."""
        found = _decoded(self.body)
        if found is None:
            raise BadAnswer(f"{self.status} without a JSON object in it")
        return found

    def complaint(self) -> dict[str, Any]:
        """Read what an error says of itself, as far as it says anything."""
        return _decoded(self.body) or {}

    def rest_seconds(self) -> float:
        """Say for how long it asks for patience."""
        asked = _retry_after(self.headers)
        seconds = USUAL_REST_SECONDS if asked is None else asked
        return min(max(seconds, LEAST_REST_SECONDS), LONGEST_REST_SECONDS)


class Http:
    """Connections to one cloud, from `with` to its end; not for several threads."""

    def __init__(self, bearer: Bearer | None = None, patience: Patience = USUAL) -> None:
        self._bearer = bearer
        self._patience = patience
        self._client = httpx.Client(
            timeout=patience.silence,
            follow_redirects=False,
            trust_env=False,
            verify=_trust(),
            headers={"User-Agent": "leasehold-documents"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def ask(self, method: str, url: str, **sent: Any) -> Answer:
        """Ask with the token, once more with a fresh one if it is refused."""
        return self._with_token(
            lambda headers: self._whole(method, url, {**sent, "headers": headers}), sent
        )

    def ask_openly(self, method: str, url: str, **sent: Any) -> Answer:
        """Ask without any token."""
        return self._whole(method, url, sent)

    def save(
        self, method: str, url: str, into: BinaryIO, most_bytes: int, digest: str = "", **sent: Any
    ) -> Answer:
        """Write what comes into a file. A redirect is followed without the token.

        An answer that is not 200 comes back with its body, and nothing is written. `BadAnswer` when
        the content is not what its digest says.
        """
        target = Target(into, most_bytes, digest)
        answer = self._with_token(
            lambda headers: self._saved(method, url, {**sent, "headers": headers}, target), sent
        )
        for _ in range(_MOST_REDIRECTS):
            if answer.status not in _REDIRECTS:
                return answer
            url = _elsewhere(url, answer.headers.get("location", ""))
            answer = self._saved("GET", url, {"headers": {}}, target)
        raise BadAnswer("it redirects without end")

    def _with_token(self, send: Any, sent: dict[str, Any]) -> Answer:
        if self._bearer is None:
            raise TokenExpired("there is no token")
        own = sent.pop("headers", {})
        token = self._bearer.current()
        answer: Answer = send({**own, "Authorization": f"Bearer {token}"})
        if answer.status == _UNAUTHORISED:
            token = self._bearer.renew(token)
            answer = send({**own, "Authorization": f"Bearer {token}"})
        if answer.status == _UNAUTHORISED:
            raise AccessRevoked("a fresh token is refused as well")
        return answer

    def _whole(self, method: str, url: str, sent: dict[str, Any]) -> Answer:
        with self._opened(method, url, sent) as response:
            return _read(response, self._patience.page)

    def _saved(self, method: str, url: str, sent: dict[str, Any], target: Target) -> Answer:
        headers = {**sent["headers"], "Accept-Encoding": "identity"}
        with self._opened(method, url, {**sent, "headers": headers}) as response:
            if response.status_code != httpx.codes.OK:
                return _read(response, self._patience.page)
            target.take(_pieces(response, self._patience.file))
            return Answer(status=response.status_code, headers=_headers(response))

    @contextmanager
    def _opened(self, method: str, url: str, sent: dict[str, Any]) -> Iterator[httpx.Response]:
        try:
            with self._client.stream(method, url, **sent) as response:
                yield response
        except (httpx.DecodingError, httpx.InvalidURL) as error:
            raise BadAnswer(f"what came can't be read: {type(error).__name__}") from None
        except httpx.HTTPError as error:  # its text may name the address with what is in it
            raise ProviderUnavailable(f"it could not be read: {type(error).__name__}") from None


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """Read the authorities that this machine trusts once: it takes longer than most requests."""
    return ssl.create_default_context()


def _read(response: httpx.Response, seconds: float) -> Answer:
    whole = bytearray()
    for piece in _pieces(response, seconds):
        whole += piece
        if len(whole) > PAGE_BYTES:
            raise BadAnswer(f"a page of more than {PAGE_BYTES // 1_048_576} MB")
    return Answer(status=response.status_code, headers=_headers(response), body=bytes(whole))


def _pieces(response: httpx.Response, seconds: float) -> Iterator[bytes]:
    """Yield what comes, as long as there is time for all of it."""
    ends_at = time.monotonic() + seconds
    for piece in response.iter_bytes():  # as it comes: a larger piece would be waited for
        if time.monotonic() > ends_at:
            raise ProviderUnavailable(f"it took longer than {seconds:g} s")
        yield piece


def _decoded(body: bytes) -> dict[str, Any] | None:
    """Read a JSON object, also where half a letter stands in it: one name must not cost a page."""
    try:
        found = msgspec.json.decode(body)
    except msgspec.MsgspecError:
        try:
            found = json.loads(body.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return None
    return found if isinstance(found, dict) else None


def _headers(response: httpx.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _elsewhere(url: str, location: str) -> str:
    """Return where a redirect leads; from https only to https."""
    target = httpx.URL(url).join(location)
    if not location or target.scheme not in {"http", "https"}:
        _refuse_redirect()
    if urlsplit(url).scheme == "https" and target.scheme != "https":
        _refuse_redirect()
    return str(target)


def _refuse_redirect() -> NoReturn:
    raise BadAnswer("it redirects to where nobody should go")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    said = headers.get("retry-after", "")
    if said.replace(".", "", 1).isascii() and said.replace(".", "", 1).isdigit():
        return float(said)
    try:
        now = parsedate_to_datetime(headers.get("date", ""))
        return (parsedate_to_datetime(said) - now).total_seconds()
    except (ValueError, TypeError):
        return None
