"""The one way out: requests with a deadline, answers with a limit, and typed errors.

Nothing here ever follows a redirect, so a credential goes to the host that the app names and to
nobody else; and no error has a credential in it, even where the source repeats it.
"""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self, TypeAlias
from urllib.parse import urlencode, urlsplit

import msgspec

from leasehold_sync.connectors.answers import (
    MOST_BYTES,
    Answer,
    Content,
    moment_of,
    read_body,
    read_whole,
)
from leasehold_sync.connectors.errors import BadAnswer, BadConfig, SourceUnavailable
from leasehold_sync.connectors.line import Line
from leasehold_sync.connectors.refusing import Complaint, refusal
from leasehold_sync.model.pages import Config

_OK = 200
Reader: TypeAlias = Callable[[bytes, str], Content]  # of a body and its type


class Http:
    """Keeps one connection open for the pages of one task; not for several threads."""

    def __init__(
        self,
        time_left: Callable[[], float] = lambda: 30.0,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        most_bytes: int = MOST_BYTES,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        self.now = now
        self._time_left = time_left
        self._most_bytes = most_bytes
        self._trust = trust
        self._line: Line | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def ask(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        body: bytes,
        *,
        is_repeatable: bool = True,
        read: Reader = read_whole,
    ) -> Answer:
        """Ask within the time that is left; any status is an answer.

        A connection that was kept open may be dead, and then the request is sent again over a new
        one. What must not be asked twice has a connection of its own from the start.
        """
        if not is_repeatable:
            self.close()
        try:
            return self._read(self._send(method, url, headers, body), read)
        except (http.client.InvalidURL, UnicodeEncodeError) as error:
            self.close()
            raise BadAnswer("it goes on at a path that no request can have") from error
        except http.client.IncompleteRead as error:
            self.close()
            raise BadAnswer(f"the answer broke off after {len(error.partial):,} bytes") from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise SourceUnavailable(
                f"{_host_of(url)}: {str(error) or type(error).__name__}"
            ) from error
        except BaseException:
            # Half an answer may still be on its way: the next one must not begin with it.
            self.close()
            raise

    def _send(
        self, method: str, url: str, headers: dict[str, str], body: bytes
    ) -> http.client.HTTPResponse:
        parts = urlsplit(url)
        if self._line is None or self._line.origin != (parts.scheme, parts.netloc):
            self.close()
            self._line = Line(parts, self._trust)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        return self._line.ask(method, target, headers, body, self._time_left())

    def _read(self, response: http.client.HTTPResponse, read: Reader) -> Answer:
        headers = {name.lower(): value for name, value in response.getheaders()}
        body = read_body(response, self._most_bytes)
        if response.will_close:
            self.close()
        is_fine = response.status == _OK
        document, texts = (read if is_fine else _complaint)(body, headers.get("content-type", ""))
        return Answer(
            status=response.status,
            headers=headers,
            document=document,
            texts=texts,
            moment=moment_of(headers.get("date", ""), self.now()),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """One app's way to its source: where it is, who asks, in which version."""

    http: Http
    config: Config
    base_url: str
    headers: Mapping[str, str]
    #: Finds in an error's document what this API writes there.
    complaint: Callable[[dict[str, Any]], Complaint]

    def get(
        self,
        path: str,
        query: Sequence[tuple[str, str]] = (),
        *,
        is_repeatable: bool = True,
        read: Reader = read_whole,
    ) -> Answer:
        joint = "&" if "?" in path else "?"
        target = path + (joint + urlencode(query) if query else "")
        return self._ask("GET", target, b"", is_repeatable=is_repeatable, read=read)

    def post(self, path: str, asked: Mapping[str, Any]) -> Answer:
        return self._ask("POST", path, msgspec.json.encode(asked))

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes,
        *,
        is_repeatable: bool = True,
        read: Reader = read_whole,
    ) -> Answer:
        base = (self.config.base_url or self.base_url).rstrip("/")
        answer = self.http.ask(
            method, base + path, self._headers(body), body, is_repeatable=is_repeatable, read=read
        )
        if answer.status == _OK:
            return answer
        raise refusal(answer, self.complaint, self.config.credential.reveal())

    def _headers(self, body: bytes) -> dict[str, str]:
        kind = {"Content-Type": "application/json"} if body else {}
        return {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "Authorization": f"Bearer {self.config.credential.reveal()}",
            "User-Agent": "leasehold-sync",
            **kind,
            **self.headers,
        }


def check_access(config: Config) -> None:
    """Raise `BadConfig` for an address or a credential that no request can be made with."""
    credential = config.credential.reveal()
    if not credential:
        raise BadConfig(f"{config.app_key} has no credential")
    if not (credential.isascii() and credential.isprintable()):
        raise BadConfig(
            f"the credential of {config.app_key} has characters that no header may have"
        )
    parts = urlsplit(config.base_url or "https://api.invalid")
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.username:
        raise BadConfig(f"{config.base_url!r} is no address of a source; write https://host[/path]")


def _complaint(body: bytes, content_type: str) -> Content:
    """Read an error's document; what is none is a complaint without words."""
    try:
        return read_whole(body, content_type)
    except BadAnswer:
        return Content({})


def _host_of(url: str) -> str:
    return urlsplit(url).hostname or "the source"
