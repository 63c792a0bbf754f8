"""Payloads as they are kept: JSON in one spelling, which both databases take, and its hash."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

import msgspec

_encode = msgspec.json.Encoder(order="sorted").encode
_NUL = b"\\u0000"


class Payload(NamedTuple):
    """JSON, and 16 bytes that are the same for the same JSON."""

    raw: bytes
    hash: bytes


def write_payload(value: dict[str, Any] | msgspec.Raw) -> Payload:
    """Write it in one spelling, whatever order its fields came in. NUL goes: no database has it."""
    known = read_object(value)
    raw = _write(known)
    if _NUL in raw:
        raw = _write(_without_nul(known))
    return Payload(raw, hash_of(raw))


def read_object(value: dict[str, Any] | msgspec.Raw) -> dict[str, Any]:
    """Read what a source wrote, if nobody has yet."""
    if isinstance(value, dict):
        return value
    document: dict[str, Any] = msgspec.json.decode(value)
    return document


def hash_of(raw: bytes | msgspec.Raw) -> bytes:
    return hashlib.blake2b(raw, digest_size=16).digest()


def _write(value: Any) -> bytes:
    try:
        return _encode(value)
    except (OverflowError, UnicodeEncodeError):  # whole numbers over 64 bits, halves of characters
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return text.encode(errors="replace")


def _without_nul(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\0", "")
        case dict():
            # In order: of two names that are one then, always the same one stays.
            return {_without_nul(key): _without_nul(each) for key, each in sorted(value.items())}
        case list():
            return [_without_nul(each) for each in value]
        case _:
            return value
