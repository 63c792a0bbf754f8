"""The values that requests and answers are made of, each with its limits."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints

# No control characters but tabs and line ends: no database takes a NUL.
TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
LINE = r"^[^\x00-\x1f\x7f]+$"


class Document(BaseModel):
    """What is answered."""

    model_config = ConfigDict(from_attributes=True)


class Command(BaseModel):
    """What is asked for; a field that is not known here is refused, as it may be a misspelt one."""

    model_config = ConfigDict(extra="forbid")


def a_text(longest: int) -> Any:
    """Accept a text of no more characters than that, which may be empty."""
    return StringConstraints(strict=True, max_length=longest, pattern=TEXT)


def a_line(longest: int) -> Any:
    """Accept a line of no more characters than that, and at least one."""
    return StringConstraints(strict=True, min_length=1, max_length=longest, pattern=LINE)


def _only_text(value: Any) -> Any:
    """Refuse numbers where an id is meant."""
    if isinstance(value, str):
        return value
    raise ValueError("must be text")


IdText: TypeAlias = Annotated[UUID, BeforeValidator(_only_text)]
