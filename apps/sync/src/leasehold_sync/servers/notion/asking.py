"""What Notion takes as a request, and what it says of others."""

from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime
from typing import Any, NoReturn

import msgspec

from leasehold.kit.servers import Refused
from leasehold.kit.servers.wire import Reply, Request
from leasehold_sync.servers.notion.objects import MINUTE
from leasehold_sync.servers.rows import is_within

VERSION = "2025-09-03"
MOST = 100
_UUID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}")
_TIMES = ("created_time", "last_edited_time")
_DIRECTIONS = ("ascending", "descending")


def error(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Reply:
    said = {
        "object": "error",
        "status": status,
        "code": code,
        "message": message,
        "request_id": str(uuid.uuid4()),
    }
    return Reply(status=status, body=msgspec.json.encode(said), headers=headers or {})


def invalid(message: str) -> NoReturn:
    raise Refused(error(400, "validation_error", message))


def check_key(request: Request, key: str) -> None:
    if request.headers.get("authorization", "") != f"Bearer {key}":
        raise Refused(error(401, "unauthorized", "API token is invalid."))


def check_version(request: Request) -> None:
    version = request.headers.get("notion-version")
    said = "Notion-Version header failed validation: Notion-Version header should be"
    if version is None:
        message = f"{said} defined, instead was `undefined`."
        raise Refused(error(400, "missing_version", message))
    if version != VERSION:
        invalid(f'{said} `"{VERSION}"`, instead was `"{version}"`.')


class Bounds(msgspec.Struct, kw_only=True):
    """From when to when, both included, in seconds since 1970."""

    since: int | None = None
    until: int | None = None

    def has(self, moment: int) -> bool:
        return is_within(moment, self.since, self.until)

    def narrow(self, since: int | None, until: int | None) -> None:
        if since is not None:
            self.since = since if self.since is None else max(self.since, since)
        if until is not None:
            self.until = until if self.until is None else min(self.until, until)


class Asked(msgspec.Struct, kw_only=True):
    """What a query or a search is asked."""

    size: int = MOST
    cursor: str | None = None
    created: Bounds = msgspec.field(default_factory=Bounds)
    edited: Bounds = msgspec.field(default_factory=Bounds)
    sort: str = "created_time"
    is_ascending: bool = False
    what: str | None = None  # of a search: page or data_source
    mark: int = 0  # which query it is: its filter and its sort


def body_of(request: Request, allowed: set[str]) -> dict[str, Any]:
    """Return the members of a body that has no others."""
    try:
        body = msgspec.json.decode(request.body or b"{}")
    except msgspec.DecodeError:
        raise Refused(error(400, "invalid_json", "Error parsing JSON body.")) from None
    if not isinstance(body, dict):
        invalid("body failed validation: body should be an object.")
    _refuse_others("body", body, allowed)
    return body


def query_of(request: Request) -> dict[str, Any]:
    """Return the parameters of a list."""
    query: dict[str, Any] = dict(request.query)
    _refuse_others("query", query, {"start_cursor", "page_size"})
    size = query.get("page_size", "")
    if size and re.fullmatch(r"-?\d{1,9}", size):
        query["page_size"] = int(size)
    return query


def _refuse_others(where: str, members: dict[str, Any], allowed: set[str]) -> None:
    for name, value in members.items():
        if name not in allowed:
            said = msgspec.json.encode(value).decode()
            invalid(
                f"{where} failed validation: {where}.{name} should be not present, "
                f"instead was `{said}`."
            )


def read_paging(where: str, members: dict[str, Any], asked: Asked) -> None:
    """Read the size of the page, and where it begins."""
    size = members.get("page_size", MOST)
    name = f"{where} failed validation: {where}.page_size should be"
    if not isinstance(size, int) or isinstance(size, bool):
        invalid(f"{name} a number, instead was `{msgspec.json.encode(size).decode()}`.")
    if size > MOST:
        invalid(f"{name} ≤ `{MOST}`, instead was `{size}`.")
    if size < 1:
        invalid(f"{name} ≥ `1`, instead was `{size}`.")
    cursor = members.get("start_cursor")
    if cursor is not None and not (isinstance(cursor, str) and _UUID.fullmatch(cursor)):
        said = msgspec.json.encode(cursor).decode()
        invalid(
            f"{where} failed validation: {where}.start_cursor should be a valid uuid, "
            f"instead was `{said}`."
        )
    asked.size, asked.cursor = size, cursor


def read_query(body: dict[str, Any]) -> Asked:
    """Read a data source's query."""
    asked = Asked()
    read_paging("body", body, asked)
    if body.get("filter") is not None:
        _read_filter(body["filter"], asked, "body.filter")
    sorts = body.get("sorts") or []
    if not isinstance(sorts, list) or len(sorts) > 1:
        invalid("body failed validation: this server takes one sort, by a timestamp.")
    for sort in sorts:
        _read_sort(sort, asked, "body.sorts[0]", _TIMES)
    asked.mark = _mark(body, "filter", "sorts")
    return asked


def read_search(body: dict[str, Any]) -> Asked:
    asked = Asked(sort="last_edited_time")
    read_paging("body", body, asked)
    if body.get("sort") is not None:
        _read_sort(body["sort"], asked, "body.sort", _TIMES[1:])
    wanted = body.get("filter")
    if wanted is not None:
        is_known = isinstance(wanted, dict) and wanted.get("property") == "object"
        if not is_known or wanted.get("value") not in {"page", "data_source"}:
            said = msgspec.json.encode(wanted).decode()
            invalid(
                'body failed validation: body.filter.value should be `"page"` or '
                f'`"data_source"`, instead was `{said}`.'
            )
        asked.what = wanted["value"]
    asked.mark = _mark(body, "filter", "sort", "query")
    return asked


def _mark(body: dict[str, Any], *names: str) -> int:
    """Return a number for a query: a cursor is good for its own query only."""
    said = msgspec.json.encode([body.get(name) for name in names], order="deterministic")
    return int.from_bytes(said, "big") % 0xFFFD


def _read_filter(wanted: Any, asked: Asked, where: str) -> None:
    if isinstance(wanted, dict) and set(wanted) == {"and"} and isinstance(wanted["and"], list):
        for position, part in enumerate(wanted["and"]):
            _read_filter(part, asked, f"{where}.and[{position}]")
        return
    name = wanted.get("timestamp") if isinstance(wanted, dict) else None
    if name not in _TIMES or set(wanted) != {"timestamp", name}:
        invalid(
            f"body failed validation: {where} should be a timestamp filter with its condition; "
            "this server knows no other."
        )
    condition = wanted[name]
    if not isinstance(condition, dict) or len(condition) != 1:
        invalid(f"body failed validation: {where}.{name} should have one condition.")
    bounds = asked.created if name == "created_time" else asked.edited
    for operator, value in condition.items():
        bounds.narrow(*_between(operator, value, f"{where}.{name}"))


def _between(operator: str, value: Any, where: str) -> tuple[int | None, int | None]:
    """Return the seconds of those rows whose minute fulfils a condition."""
    moment = _moment(value, f"{where}.{operator}")
    begin = moment - moment % MINUTE  # of the minute that it is in
    match operator:
        case "equals":
            return begin, begin + MINUTE - 1
        case "on_or_after":
            return -(-moment // MINUTE) * MINUTE, None
        case "after":
            return begin + MINUTE, None
        case "on_or_before":
            return None, begin + MINUTE - 1
        case "before":
            return None, -(-moment // MINUTE) * MINUTE - 1
        case _:
            invalid(f"body failed validation: {where}.{operator} should be not present.")


def _moment(value: Any, where: str) -> int:
    try:
        moment = datetime.fromisoformat(value)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (TypeError, ValueError):
        said = msgspec.json.encode(value).decode()
        invalid(
            f"body failed validation: {where} should be a valid ISO 8601 date string, "
            f"instead was `{said}`."
        )


def _read_sort(sort: Any, asked: Asked, where: str, names: tuple[str, ...]) -> None:
    is_sort = isinstance(sort, dict) and set(sort) == {"timestamp", "direction"}
    if not is_sort or sort["timestamp"] not in names or sort["direction"] not in _DIRECTIONS:
        invalid(
            f"body failed validation: {where} should have a timestamp ({' or '.join(names)}) "
            "and a direction (ascending or descending)."
        )
    asked.sort, asked.is_ascending = sort["timestamp"], sort["direction"] == "ascending"
