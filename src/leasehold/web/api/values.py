"""The values that requests are made of, each with its limits, so that OpenAPI knows them too."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from fastapi import Body, Path, Query
from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)
from starlette.convertors import Convertor, register_url_convertor

from leasehold.checking import NAME_LIMIT
from leasehold.model.values import PRIORITY_LIMIT

MOST_IN_PAGE = 500
DEFAULT_PAGE = 100
_PRINTABLE = r"^[^\x00-\x1f\x7f]+$"
DURATION_PATTERN = r"^([0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h|d|w))+$"
_LONGEST_SECONDS = 100 * 365 * 86_400.0


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]")
# The last words of paths below a name: `/api/queues/{name}/pause`.
VERBS = ("aging", "drain", "limit", "pause", "preview", "refill", "reset", "resume", "run")


class AnyName(Convertor[str]):
    """A name, with slashes and whatever else in it: what it may not have is said by 422."""

    regex = r"[\s\S]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


class BareName(AnyName):
    """A name alone, without one of our verbs at its end.

    Else a PUT to `/api/schedules/x/pause` would make a schedule of that name.
    """

    regex = AnyName.regex + "".join(f"(?<!/{verb})" for verb in VERBS)


register_url_convertor("any", AnyName())
register_url_convertor("bare", BareName())


def _only_text(value: Any) -> Any:
    """Refuse numbers where a text is meant."""
    if isinstance(value, str):
        return value
    raise ValueError("must be text")


def _only_moment(value: Any) -> Any:
    """Refuse what is not written as a time: it is never so many seconds since 1970."""
    if isinstance(value, str) and _MOMENT.match(value):
        return value
    raise ValueError("must be a time with its zone, like 2030-01-31T08:00:00Z")


class Document(BaseModel):
    """What is answered, read from the library's own values."""

    model_config = ConfigDict(from_attributes=True)


class Command(BaseModel):
    """What is asked for; a field that is not known here is refused, as it may be a misspelt one."""

    model_config = ConfigDict(extra="forbid")


Whole: TypeAlias = Annotated[int, Field(strict=True)]
Flag: TypeAlias = Annotated[bool, Field(strict=True)]
Amount: TypeAlias = Annotated[float, Field(strict=True, ge=0, le=1e15, allow_inf_nan=False)]
Name: TypeAlias = Annotated[
    str, StringConstraints(strict=True, min_length=1, max_length=NAME_LIMIT, pattern=_PRINTABLE)
]
Remark: TypeAlias = Annotated[
    str, StringConstraints(strict=True, max_length=1_000, pattern=r"^[^\x00-\x08\x0e-\x1f]*$")
]
Tenant: TypeAlias = Annotated[
    str, StringConstraints(strict=True, max_length=NAME_LIMIT, pattern=r"^[^\x00-\x1f\x7f]*$")
]
Priority: TypeAlias = Annotated[int, Field(strict=True, ge=-PRIORITY_LIMIT, le=PRIORITY_LIMIT)]
Id: TypeAlias = Annotated[UUID, BeforeValidator(_only_text)]
Moment: TypeAlias = Annotated[
    AwareDatetime,
    BeforeValidator(_only_moment),
    Field(description="With its time zone, like `2030-01-31T08:00:00Z`."),
]
Duration: TypeAlias = Annotated[
    Annotated[float, Field(strict=True, ge=0, le=_LONGEST_SECONDS, allow_inf_nan=False)]
    | Annotated[str, StringConstraints(strict=True, max_length=40, pattern=DURATION_PATTERN)],
    Field(description="Seconds, or text like `90s` or `1h30m`.", examples=["90s", 5]),
]
Json: TypeAlias = dict[str, Any]
By: TypeAlias = Annotated[Name | None, Field(description="Who did it; it is written down.")]


class WhoRequest(Command):
    """Who does it; it is written down."""

    by: By = None


# A body that may be left out: not null, which generated clients would send.
Who: TypeAlias = Annotated[WhoRequest, Body(default_factory=WhoRequest)]


JobIdPath: TypeAlias = Annotated[UUID, Path(description="The job's id.")]
BatchIdPath: TypeAlias = Annotated[UUID, Path(description="The batch's id.")]
NamePath: TypeAlias = Annotated[
    str, Path(min_length=1, max_length=NAME_LIMIT, pattern=_PRINTABLE, description="Its name.")
]
TenantQuery: TypeAlias = Annotated[
    str, Query(max_length=NAME_LIMIT, pattern=r"^[^\x00-\x1f\x7f]*$", description="Whose it is.")
]
NameQuery: TypeAlias = Annotated[
    str | None, Query(min_length=1, max_length=NAME_LIMIT, pattern=_PRINTABLE)
]
IdQuery: TypeAlias = Annotated[UUID | None, Query()]
MomentQuery: TypeAlias = Annotated[AwareDatetime | None, BeforeValidator(_only_moment), Query()]
LimitQuery: TypeAlias = Annotated[int, Query(ge=1, le=MOST_IN_PAGE)]
BeforeQuery: TypeAlias = Annotated[
    UUID | None, Query(description="Go on below this id: `next` of the page before.")
]


def said(request: BaseModel) -> dict[str, Any]:
    """Return what a request says, without what it left out."""
    return {name: getattr(request, name) for name in request.model_fields_set}
