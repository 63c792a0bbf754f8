"""One request and its answer over HTTP/1.1, without any input or output: bytes in, bytes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import h11

from leasehold.errors import BadOption
from leasehold.fetching.answers import Headers
from leasehold.fetching.decoding import Decoder
from leasehold.fetching.errors import BadAnswer, TooLarge

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from leasehold.fetching.rules import FetchRules
    from leasehold.fetching.urls import Url

_MOST_INTERIM = 8  # answers like 103 before the real one
_MOST_FIELDS = 200


@dataclass(frozen=True, slots=True)
class Start:
    """The status line and header fields of the real answer."""

    status: int
    headers: Headers


class Exchange:
    """Keeps the limits of one hop. `feed` it what comes; None means that it needs more."""

    def __init__(self, url: Url, rules: FetchRules) -> None:
        self._url = str(url)
        self._rules = rules
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=rules.header_bytes)
        self._pieces: Iterator[bytes] = iter(())  # unpacked only as they are asked for
        self._decoder = Decoder(self._url, "")
        self._interim = 0
        self._is_over = False  # more came than may be read
        self._is_done = False
        self.wire_bytes = 0
        self.decoded_bytes = 0

    def ask(self, method: str, url: Url, headers: Iterable[tuple[str, str]], body: bytes) -> bytes:
        """Return the request as it goes onto the wire."""
        try:
            request = h11.Request(method=method, target=url.target, headers=list(headers))
            written = self._http.send(request) or b""
            written += (self._http.send(h11.Data(data=body)) or b"") if body else b""
            return written + (self._http.send(h11.EndOfMessage()) or b"")
        except (h11.LocalProtocolError, UnicodeError) as error:
            raise BadOption(f"this request can't be sent: {error}") from error

    def feed(self, data: bytes) -> None:
        """Take what came; b"" is the end of the connection."""
        left = self._rules.wire_bytes - self.wire_bytes
        if len(data) > left:
            self._is_over = True
            data = data[:left]
        self.wire_bytes += len(data)
        if data or not self._is_over:
            self._receive(data)

    def start(self) -> Start | None:
        """Return the real answer's start, once it is there."""
        while (event := self._next()) is not None:
            if isinstance(event, h11.Response):
                return self._started(event)
            self._interim += 1
            if self._interim > _MOST_INTERIM:
                raise BadAnswer(self._url, f"over {_MOST_INTERIM} interim answers")
        if self.wire_bytes > self._rules.header_bytes:
            raise BadAnswer(self._url, "its headers are too large")
        return None

    def piece(self) -> bytes | None:
        """Return the next piece of the decoded body; b"" is its end."""
        while (piece := next(self._pieces, b"")) == b"":
            if self._is_done:
                return b""
            event = self._next()
            if event is None:
                return None
            if isinstance(event, h11.Data):
                self._pieces = self._bounded(self._decoder.decode(bytes(event.data)))
            elif isinstance(event, h11.EndOfMessage):
                self._pieces = self._bounded(self._decoder.finish())
                self._is_done = True
        return piece

    def _started(self, response: h11.Response) -> Start:
        if len(response.headers) > _MOST_FIELDS:
            raise BadAnswer(self._url, f"over {_MOST_FIELDS} header fields")
        raw = response.headers.raw_items()
        headers = Headers((name.decode("ascii"), _text(value)) for name, value in raw)
        self._decoder = Decoder(self._url, headers.get("content-encoding") or "")
        return Start(response.status_code, headers)

    def _next(self) -> h11.Event | None:
        try:
            event = self._http.next_event()
        except h11.RemoteProtocolError as error:
            raise BadAnswer(self._url, f"it does not speak HTTP: {error}") from error
        if isinstance(event, h11.ConnectionClosed):
            raise BadAnswer(self._url, "it hung up without an answer")
        if event is h11.NEED_DATA or event is h11.PAUSED:
            if self._is_over:
                raise TooLarge(self._url, f"over {self._rules.wire_bytes:,} bytes on the wire")
            return None
        return event  # type: ignore[return-value]  # the two markers are gone

    def _receive(self, data: bytes) -> None:
        try:
            self._http.receive_data(data)
        except h11.RemoteProtocolError as error:
            raise BadAnswer(self._url, f"it does not speak HTTP: {error}") from error

    def _bounded(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            left = self._rules.decoded_bytes - self.decoded_bytes
            self.decoded_bytes += len(piece)
            if left and piece:
                yield piece[:left]
            if len(piece) > left:
                raise TooLarge(self._url, f"over {self._rules.decoded_bytes:,} bytes decoded")


def _text(value: bytes) -> str:
    """Header fields are ASCII by the standard, and UTF-8 or Latin-1 where it is not kept."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
