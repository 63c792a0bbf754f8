"""Accepts what can be used, and says of the rest why it can't."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from leasehold.errors import BadOption
from leasehold.model.ids import JobId
from leasehold.model.values import PRIORITY_LIMIT

NAME_LIMIT = 200


def read_job_id(value: UUID | str, *, name: str = "id") -> JobId:
    """Accept a UUID, or the text of one."""
    if isinstance(value, UUID):
        return JobId(value)
    try:
        return JobId(UUID(value))
    except (ValueError, AttributeError, TypeError):
        raise BadOption(f"{name}: {value!r} is not a UUID") from None


def check_name(name: str, value: object) -> str:
    """Accept text that is fit for a name: not empty, no control characters, not too long."""
    if not isinstance(value, str) or not value or not value.isprintable():
        raise BadOption(f"{name}: {value!r} is not a name; write printable text")
    if len(value) > NAME_LIMIT:
        raise BadOption(f"{name}: {value[:40]!r}… is longer than {NAME_LIMIT} characters")
    return value


def check_priority(value: object) -> int:
    """Accept a whole number that fits the priority column; higher runs first."""
    return check_whole("priority", value, -PRIORITY_LIMIT, PRIORITY_LIMIT)


def check_whole(name: str, value: object, least: int, greatest: int) -> int:
    """Accept a whole number between these, both included."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= greatest:
        raise BadOption(f"{name}: {value!r} is not a whole number from {least:,} to {greatest:,}")
    return value


def read_callback(name: str, value: Any) -> bytes | None:
    """Accept a task that can be a callback, with its options."""
    if value is None:
        return None
    if not hasattr(value, "as_callback"):
        raise BadOption(f"{name}: {value!r} is not a task; make it one with @task")
    document: bytes = value.as_callback()
    return document
