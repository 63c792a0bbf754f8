"""The values that requests and answers are made of, each with its limits."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias
from uuid import UUID

from fastapi import Path, Query
from pydantic import BaseModel, Field

from leasehold.kit.web import a_line, a_text
from leasehold.kit.web.values import LINE
from leasehold_links.model.addresses import LONGEST

MOST_IN_PAGE = 200
DEFAULT_PAGE = 50

Title: TypeAlias = Annotated[str, a_text(1_000)]
Description: TypeAlias = Annotated[str, a_text(4_000)]
Tag: TypeAlias = Annotated[str, a_line(200)]
Tags: TypeAlias = Annotated[list[Tag], Field(max_length=50)]
Address: TypeAlias = Annotated[str, a_line(LONGEST)]
IdPath: TypeAlias = Annotated[UUID, Path(description="Its id; another user's is not there.")]
LimitQuery: TypeAlias = Annotated[int, Query(ge=1, le=MOST_IN_PAGE)]
CursorQuery: TypeAlias = Annotated[
    UUID | None, Query(description="Go on after this id: `next` of the page before.")
]
DomainName: TypeAlias = Annotated[str, a_line(300)]
DomainPath: TypeAlias = Annotated[
    str, Path(min_length=1, max_length=300, pattern=LINE, description="Like `example.com`.")
]


def said(request: BaseModel) -> dict[str, Any]:
    """Return what a request says, without what it left out."""
    return {name: getattr(request, name) for name in request.model_fields_set}
