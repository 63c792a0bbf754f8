"""What a source answered, read with care: bounded in size, and clean enough for any database."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPResponse
from typing import Any, NamedTuple, NoReturn

import msgspec

from leasehold_sync.connectors.errors import BadAnswer, PageTooLarge

MOST_BYTES = 20 * 1_048_576
_PIECE = 65_536


class Content(NamedTuple):
    """A document; the texts of its objects, where it has no more than their heads."""

    document: dict[str, Any]
    texts: Sequence[msgspec.Raw] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Status, headers (names in lower case), the document, and when it was true."""

    status: int
    headers: Mapping[str, str]
    document: dict[str, Any]
    #: By the source's own clock where it sends one.
    moment: datetime
    #: Of the objects that were not read, as they were written.
    texts: Sequence[msgspec.Raw] = ()

    def header(self, name: str) -> str:
        return self.headers.get(name, "")

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the list of objects that stands under a name."""
        rows = self.document.get(name)
        if not isinstance(rows, list) or not set(map(type, rows)) <= {dict}:
            raise BadAnswer(f"{name!r} is not a list of objects")
        return rows


def read_body(response: HTTPResponse, most_bytes: int = MOST_BYTES) -> bytes:
    """Read all of it, or raise once it is more than a page may be, packed or not."""
    unpack = _unpacking(response.headers.get("content-encoding", ""))
    whole = bytearray()
    while piece := response.read(_PIECE):
        try:
            whole += unpack(piece, most_bytes + 1 - len(whole))
        except zlib.error as error:
            raise BadAnswer("what is called gzip is none") from error
        if len(whole) > most_bytes:
            raise PageTooLarge(f"a page of more than {most_bytes / 2**20:g} MB")
    return bytes(whole)


def _unpacking(encoding: str) -> Callable[[bytes, int], bytes]:
    match encoding.strip().lower():
        case "" | "identity":
            return lambda piece, _most: piece
        case "gzip":
            return zlib.decompressobj(wbits=31).decompress
        case other:
            raise BadAnswer(f"an encoding that was not asked for: {other[:40]!r}")


def read_whole(body: bytes, content_type: str) -> Content:
    """Read all that there is."""
    return Content(read_document(body, content_type))


def wants_care(body: bytes, content_type: str) -> bool:
    """Whether this is to be cleaned, or refused."""
    return _is_html(content_type) or _may_be_dirty(body)


def read_document(body: bytes, content_type: str) -> dict[str, Any]:
    """Read a JSON object, without NUL, which PostgreSQL can't store."""
    if _is_html(content_type):
        raise BadAnswer("an HTML page instead of JSON")
    try:
        document = _decode(body)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(f"no JSON that can be read, of {len(body):,} bytes") from error
    if not isinstance(document, dict):
        raise BadAnswer("JSON, but not an object")
    return _cleaned(document) if _may_be_dirty(body) else document


def moment_of(date: str, now: datetime) -> datetime:
    """Read a Date header; a source without one is as late as we are."""
    try:
        return parsedate_to_datetime(date).astimezone(UTC)
    except (ValueError, OverflowError):
        return now


def _is_html(content_type: str) -> bool:
    return content_type.strip().lower().startswith("text/html")


def _decode(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.MsgspecError:
        # It is stricter than many writers are: half a surrogate pair must not cost the page.
        return json.loads(body.decode("utf-8", "replace"), parse_constant=_refuse)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _may_be_dirty(body: bytes) -> bool:
    """Look for NUL and for halves of characters, which can only be written so."""
    if b"\\" not in body or b"\\u" not in body:  # a single byte is found at once
        return False
    return b"\\u0000" in body or b"\\ud" in body or b"\\uD" in body


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\0", "").encode("utf-8", "replace").decode()
        case dict():
            return {_cleaned(name): _cleaned(each) for name, each in value.items()}
        case list():
            return [_cleaned(each) for each in value]
        case _:
            return value
