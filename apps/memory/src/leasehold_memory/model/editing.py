"""What a person may change of a memory, and to what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from leasehold_memory.errors import BadEdit
from leasehold_memory.model.units import UnitKind

LONGEST_TEXT = 100_000  # characters


def check_edit(kind: UnitKind, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes as they are stored; `BadEdit` names the first that can't be."""
    fields = EDITABLE[kind]
    return {name: _checked(fields, name, value) for name, value in changes.items()}


def _checked(fields: Mapping[str, Callable[[Any], Any]], name: str, value: Any) -> Any:
    if name not in fields:
        raise BadEdit(name, f"can't be changed; can be: {', '.join(sorted(fields))}")
    try:
        return fields[name](value)
    except (TypeError, ValueError) as error:
        raise BadEdit(name, str(error)) from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("must be a text")
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"must have at most {LONGEST_TEXT} characters")
    if "\0" in value or not _is_unicode(value):
        raise ValueError("must be Unicode without NUL")
    return value


def _words(value: Any) -> str:
    if not _text(value).strip():
        raise ValueError("must not be empty")
    return _text(value)


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError("must be a number from 0 to 1")
    return float(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("must be true or false")
    return value


def _moment(value: Any) -> str | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        return str(moment.astimezone(UTC).isoformat(timespec="microseconds"))
    except (AttributeError, ValueError, OverflowError):
        raise ValueError("must be a moment like 2026-01-31T09:00:00Z") from None


def _is_unicode(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


EDITABLE: Mapping[UnitKind, Mapping[str, Callable[[Any], Any]]] = {
    UnitKind.EPISODE: {"user_text": _words, "reply_text": _text},
    UnitKind.FACT: {
        "object_text": _words,
        "confidence": _share,
        "valid_from": _moment,
        "valid_to": _moment,
    },
    UnitKind.SUMMARY: {"summary_text": _words},
    UnitKind.CAPSULE: {"capsule_text": _words},
    UnitKind.LOOP: {"loop_text": _words, "due_at": _moment, "is_open": _flag},
}
