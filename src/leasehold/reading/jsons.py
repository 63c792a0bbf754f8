"""Reads JSON of strangers: bounded in size and depth."""

from __future__ import annotations

from typing import Any, TypeVar, overload

import msgspec

from leasehold.payload import is_too_deep
from leasehold.reading.limits import JsonRefused
from leasehold.walk import DEPTH_LIMIT

T = TypeVar("T")
_MOST_BYTES = 16 * 1_048_576


@overload
def read_json(raw: bytes, kind: type[T], *, most_bytes: int = ..., depth: int = ...) -> T: ...
@overload
def read_json(raw: bytes, kind: Any = ..., *, most_bytes: int = ..., depth: int = ...) -> Any: ...
def read_json(
    raw: bytes, kind: Any = Any, *, most_bytes: int = _MOST_BYTES, depth: int = DEPTH_LIMIT
) -> Any:
    """Read JSON as plain values, or as a type; `JsonRefused` when it is too large, deep or odd."""
    if len(raw) > most_bytes:
        raise JsonRefused(f"JSON of {len(raw):,} bytes, over the limit of {most_bytes:,}")
    if is_too_deep(raw, depth):
        raise JsonRefused(f"JSON nested deeper than {depth} levels")
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise JsonRefused(f"no JSON that can be read: {error}") from error
