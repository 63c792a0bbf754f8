"""The values that requests and answers are made of, each with its limits."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias
from uuid import UUID

from fastapi import Path, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from leasehold_links.model.addresses import LONGEST

MOST_IN_PAGE = 200
DEFAULT_PAGE = 50
# No control characters but tabs and line ends: no database takes a NUL.
_TEXT = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
_LINE = r"^[^\x00-\x1f\x7f]+$"


class Document(BaseModel):
    """What is answered."""

    model_config = ConfigDict(from_attributes=True)


class Command(BaseModel):
    """What is asked for; a field that is not known here is refused, as it may be a misspelt one."""

    model_config = ConfigDict(extra="forbid")


def _only_text(value: Any) -> Any:
    """Refuse numbers where a text is meant."""
    if isinstance(value, str):
        return value
    raise ValueError("must be text")


def text(longest: int) -> Any:
    """Say how long a text may be."""
    return StringConstraints(strict=True, max_length=longest, pattern=_TEXT)


Id: TypeAlias = Annotated[UUID, BeforeValidator(_only_text)]
Title: TypeAlias = Annotated[str, text(1_000)]
Description: TypeAlias = Annotated[str, text(4_000)]
Tag: TypeAlias = Annotated[
    str, StringConstraints(strict=True, min_length=1, max_length=200, pattern=_LINE)
]
Tags: TypeAlias = Annotated[list[Tag], Field(max_length=50)]
Address: TypeAlias = Annotated[
    str, StringConstraints(strict=True, min_length=1, max_length=LONGEST, pattern=_LINE)
]
IdPath: TypeAlias = Annotated[UUID, Path(description="Its id; another user's is not there.")]
LimitQuery: TypeAlias = Annotated[int, Query(ge=1, le=MOST_IN_PAGE)]
CursorQuery: TypeAlias = Annotated[
    UUID | None, Query(description="Go on after this id: `next` of the page before.")
]
DomainName: TypeAlias = Annotated[
    str, StringConstraints(strict=True, min_length=1, max_length=300, pattern=_LINE)
]
DomainPath: TypeAlias = Annotated[
    str, Path(min_length=1, max_length=300, pattern=_LINE, description="Like `example.com`.")
]


def said(request: BaseModel) -> dict[str, Any]:
    """Return what a request says, without what it left out."""
    return {name: getattr(request, name) for name in request.model_fields_set}
