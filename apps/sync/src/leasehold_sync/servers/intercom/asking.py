"""What Intercom takes as a request, and what it says of others."""

from __future__ import annotations

import base64
import binascii
import re
import uuid
from typing import Any, NoReturn

import msgspec

from leasehold.kit.servers import Refused
from leasehold.kit.servers.wire import Reply, Request

VERSION = "2.14"
MOST = 150
DAY = 86_400
_DATES = ("created_at", "updated_at")
_DEEPEST = 2
_ORDERS = ("ascending", "descending")
_WHOLE = re.compile(r"\d{1,12}")


def error(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Reply:
    said = {
        "type": "error.list",
        "request_id": str(uuid.uuid4()),
        "errors": [{"code": code, "message": message}],
    }
    return Reply(status=status, body=msgspec.json.encode(said), headers=headers or {})


def refuse(message: str, code: str = "parameter_invalid") -> NoReturn:
    raise Refused(error(400, code, message))


def check_key(request: Request, key: str) -> None:
    if request.headers.get("authorization", "") != f"Bearer {key}":
        raise Refused(error(401, "unauthorized", "Access Token Invalid"))


def check_version(request: Request) -> None:
    """Intercom would take an app's own version; here it must be said, and be this one."""
    if request.headers.get("intercom-version") != VERSION:
        refuse("The requested version could not be found", "intercom_version_invalid")


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """The last row of a page, and that page's number; it is sent in base 64."""

    moment: int
    number: int
    page: int

    def text(self) -> str:
        return base64.b64encode(msgspec.json.encode(self)).decode()

    @classmethod
    def read(cls, text: Any) -> Cursor:
        try:
            return msgspec.json.decode(base64.b64decode(text, validate=True), type=cls)
        except (TypeError, ValueError, binascii.Error, msgspec.MsgspecError):
            refuse(
                "Invalid starting_after param. Please try again using a starting_after value "
                "from a paginated response",
                "client_error",
            )


class Asked(msgspec.Struct, kw_only=True):
    """What a list or a search is asked. Bounds are seconds since 1970, both included."""

    per_page: int
    cursor: Cursor | None = None
    bounds: dict[str, tuple[int | None, int | None]] = msgspec.field(default_factory=dict)
    equal: dict[str, Any] = msgspec.field(default_factory=dict)
    sort: str = "created_at"
    is_ascending: bool = False

    @property
    def page(self) -> int:
        return 1 if self.cursor is None else self.cursor.page + 1

    def narrow(self, field: str, since: int | None, until: int | None) -> None:
        known = self.bounds.get(field, (None, None))
        lowest = [bound for bound in (known[0], since) if bound is not None]
        highest = [bound for bound in (known[1], until) if bound is not None]
        self.bounds[field] = (max(lowest, default=None), min(highest, default=None))


def read_list(request: Request, per_page: int) -> Asked:
    """Read the parameters of a plain list."""
    given = dict(request.query)
    for name in given:
        if name not in {"per_page", "starting_after"}:
            refuse(f"unknown parameter {name}")
    asked = Asked(per_page=_per_page(given.get("per_page", per_page)))
    if "starting_after" in given:
        asked.cursor = Cursor.read(given["starting_after"])
    return asked


def _per_page(value: Any) -> int:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST:
        refuse(f"per_page must be between 1 and {MOST}")
    return value


def read_search(request: Request, per_page: int, *, by_day: bool) -> Asked:
    """Read a search; `by_day`: its dates are whole days, as those of contacts are."""
    try:
        body = msgspec.json.decode(request.body)
    except msgspec.DecodeError:
        refuse("JSON cannot be parsed", "bad_request")
    if not isinstance(body, dict) or "query" not in body:
        refuse("query is required")
    for name in body:
        if name not in {"query", "pagination", "sort"}:
            refuse(f"unknown parameter {name}")
    asked = Asked(per_page=per_page)
    _read_pagination(body.get("pagination") or {}, asked)
    _read_query(body["query"], asked, by_day=by_day, depth=0)
    _read_sort(body.get("sort"), asked)
    return asked


def _read_pagination(pagination: Any, asked: Asked) -> None:
    if not isinstance(pagination, dict) or not set(pagination) <= {"per_page", "starting_after"}:
        refuse("pagination has per_page and starting_after")
    asked.per_page = _per_page(pagination.get("per_page", asked.per_page))
    if pagination.get("starting_after") is not None:
        asked.cursor = Cursor.read(pagination["starting_after"])


def _read_query(query: Any, asked: Asked, *, by_day: bool, depth: int) -> None:
    match query:
        case {"operator": "AND", "value": [*parts]} if "field" not in query and depth < _DEEPEST:
            for part in parts:
                _read_query(part, asked, by_day=by_day, depth=depth + 1)
        case {"field": str(field), "operator": str(operator), "value": value}:
            _read_filter(asked, field, operator, value, by_day=by_day)
        case _:
            refuse("this server takes one filter, or some under AND, two deep", "invalid_query")


def _read_filter(asked: Asked, field: str, operator: str, value: Any, *, by_day: bool) -> None:
    if field in _DATES:
        moment = _moment(field, value)
        between = _days(operator, moment) if by_day else _seconds(operator, moment)
        asked.narrow(field, *between)
    elif field in {"id", "role", "email", "external_id", "state"} and operator == "=":
        asked.equal[field] = value
    else:
        refuse(f"field {field} with operator {operator} is not searchable here", "invalid_field")


def _moment(field: str, value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    refuse(f"value of {field} must be a UNIX timestamp")


def _days(operator: str, moment: int) -> tuple[int | None, int | None]:
    """Return the seconds meant where a date is a day: after it is from the next one on."""
    day = moment // DAY * DAY
    match operator:
        case "=":
            return day, day + DAY - 1
        case ">":
            return day + DAY, None
        case "<":
            return None, day - 1
        case _:
            refuse(f"operator {operator} is not supported on Date fields", "invalid_operator")


def _seconds(operator: str, moment: int) -> tuple[int | None, int | None]:
    match operator:
        case "=":
            return moment, moment
        case ">":
            return moment, None  # or equal, says the reference
        case "<":
            return None, moment
        case _:
            refuse(f"operator {operator} is not supported on Date fields", "invalid_operator")


def _read_sort(sort: Any, asked: Asked) -> None:
    if sort is None:
        return
    if not isinstance(sort, dict) or sort.get("field", asked.sort) not in _DATES:
        refuse("this server sorts by created_at or updated_at", "invalid_sort_field")
    order = sort.get("order", "descending")
    if order not in _ORDERS:
        refuse(
            f"Invalid sort order '{order}'. Must be one of: ascending, descending",
            "invalid_sort_order",
        )
    asked.sort, asked.is_ascending = sort.get("field", asked.sort), order == "ascending"
