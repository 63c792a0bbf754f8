"""Walking through a value to name the place that JSON or a database can't hold."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterator
from datetime import datetime
from enum import Enum
from typing import Any, TypeAlias

import msgspec

DEPTH_LIMIT = 100
LEAST_INT, GREATEST_INT = -(2**63), 2**63 - 1

Encode: TypeAlias = Callable[[object], object]
Children: TypeAlias = Iterator[tuple[str, Any]]


def find_fault(root: object, name: str, encode: Encode) -> str | None:
    """Return "path: reason" for the first value that can't be stored, None when all can.

    `encode` is asked about leaves of types that are not known here, and raises for the bad ones.
    """
    # One iterator per open container: the depth is bounded, so a cycle ends as "too deep".
    levels: list[Children] = [iter([(name, root)])]
    while levels:
        found = next(levels[-1], None)
        if found is None:
            levels.pop()
            continue
        path, value = found
        leaf = _LEAVES.get(type(value))
        children = None if leaf else _open(path, value)
        fault = _keys_fault(value) if children else (leaf or _unusual_fault)(value)
        if fault is None and children is None and leaf is None:
            fault = _unknown_fault(value, encode)
        if fault is None and len(levels) > DEPTH_LIMIT and children:
            path, fault = _shorten(path), f"nested deeper than {DEPTH_LIMIT} levels"
        if fault is not None:
            return f"{path}: {fault}"
        if children is not None:
            levels.append(children)
    return None


def _fine(_value: Any) -> None:
    return None


def _int_fault(number: int) -> str | None:
    is_fit = LEAST_INT <= number <= GREATEST_INT
    return None if is_fit else "an integer outside of 64 bits; pass it as text"


def _float_fault(number: float) -> str | None:
    return None if math.isfinite(number) else f"{number} has no form in JSON"


def _moment_fault(moment: datetime) -> str | None:
    return None if moment.tzinfo is not None else "a datetime without a time zone"


def _text_fault(text: str) -> str | None:
    if "\x00" in text:
        return "a NUL character, which PostgreSQL can't store"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "a lone surrogate, which is not valid Unicode"
    return None


_LEAVES: dict[type, Callable[[Any], str | None]] = {
    bool: _fine,
    type(None): _fine,
    bytes: _fine,
    int: _int_fault,
    float: _float_fault,
    str: _text_fault,
    datetime: _moment_fault,
}


def _unusual_fault(value: object) -> str | None:
    """Look at leaves whose class is derived from a plain one."""
    for plain in (str, int, float, datetime):
        if isinstance(value, plain):
            return _LEAVES[plain](value)
    return None


def _unknown_fault(value: object, encode: Encode) -> str | None:
    if inspect.iscoroutine(value):
        value.close()  # else Python warns that nobody awaited it, which the message says better
        return "a coroutine that nobody awaited; make the outermost function `async def`"
    try:
        encode(value)
    except (TypeError, ValueError, AttributeError):
        return f"a {type(value).__qualname__} can't be stored as JSON"
    return None


def _keys_fault(value: object) -> str | None:
    """Refuse keys that can't be text, and different keys that would be the same text."""
    if not isinstance(value, dict):
        return None
    texts = set()
    for key in value:
        try:
            text = key if type(key) is str else _to_text(key)
        except (TypeError, ValueError):
            return f"the key {key!r} can't be a key in JSON"
        fault = _unusual_fault(key) or _text_fault(text)
        if fault is not None:
            return f"in the key {key!r}: {fault}"
        texts.add(text)
    return "two keys are the same text in JSON" if len(texts) < len(value) else None


def _to_text(key: object) -> str:
    (text,) = msgspec.to_builtins({key: None}, str_keys=True)
    return str(text)


def _open(path: str, value: Any) -> Children | None:
    """Name what stands inside of a container; None when it is not one."""
    match value:
        case dict():
            return ((path + _step(key), child) for key, child in value.items())
        case list() | tuple() | set() | frozenset():
            return ((f"{path}[{index}]", child) for index, child in enumerate(value))
        case msgspec.Raw():
            return iter([(path, _read(value))])
        case Enum():
            return iter([(path, value.value)])
        case _:
            names = _field_names(value)
            if names is None:
                return None
            return ((f"{path}.{name}", getattr(value, name)) for name in names)


def _read(raw: msgspec.Raw) -> Any:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None  # malformed text is found by whoever decodes the whole


def _field_names(value: Any) -> list[str] | None:
    kind = type(value)
    if issubclass(kind, msgspec.Struct):
        names = kind.__struct_fields__
        return [name for name in names if getattr(value, name) is not msgspec.UNSET]
    if dataclasses.is_dataclass(kind):
        return [field.name for field in dataclasses.fields(kind) if hasattr(value, field.name)]
    if hasattr(kind, "__attrs_attrs__"):
        return [field.name for field in kind.__attrs_attrs__]
    if hasattr(kind, "model_fields") and hasattr(kind, "model_dump"):  # pydantic
        return list(kind.model_fields)
    return None


def _step(key: object) -> str:
    is_plain = isinstance(key, str) and key.isidentifier()
    return f".{key}" if is_plain else f"[{key!r}]"


def _shorten(path: str, longest: int = 80) -> str:
    return path if len(path) <= longest else path[:longest] + "…"
