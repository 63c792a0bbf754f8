"""A local Notion: data sources and their pages, search, blocks and users."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar
from uuid import UUID

import msgspec

from leasehold.kit.servers import Refused, take
from leasehold.kit.servers.trouble import Shape
from leasehold.kit.servers.wire import Reply, Request
from leasehold_sync.servers.notion import asking
from leasehold_sync.servers.notion.asking import Asked
from leasehold_sync.servers.notion.objects import (
    BOT,
    DATABASE_IDS,
    SOURCE_IDS,
    Pages,
    block_count_of,
    block_of,
    database_object,
    database_of,
    kinds,
)
from leasehold_sync.servers.notion.places import Place
from leasehold_sync.servers.notion.walking import after, place_of, walk
from leasehold_sync.servers.rows import FIRST
from leasehold_sync.servers.server import LocalServer

MOST_RESULTS = 10_000  # of a query, whoever asks
_ROOT = "/v1/"
_PAGING = {"start_cursor", "page_size"}
_QUERY = _PAGING | {"filter", "sorts", "in_trash", "archived", "result_type"}
_SEARCH = _PAGING | {"filter", "sort", "query"}
_COMPLETE = {"type": "complete"}
_INCOMPLETE = {"type": "incomplete", "incomplete_reason": "query_result_limit_reached"}
_SAID = {
    401: ("unauthorized", "API token is invalid."),
    403: ("restricted_resource", "API token does not have access to this resource."),
    429: ("rate_limited", "You have been rate limited. Please try again in a few minutes."),
    500: ("internal_server_error", "Unexpected error occurred."),
    502: ("bad_gateway", "Notion encountered an issue while attempting to complete this request."),
    503: ("service_unavailable", "Notion is unavailable. Please try again later."),
    504: ("gateway_timeout", "Notion timed out while attempting to complete this request."),
    529: ("service_overload", "Notion is overloaded. Please try again later."),
}


def _say_more(page: dict[str, Any]) -> None:
    page["has_more"] = True
    page["next_cursor"] = (
        page["next_cursor"] or Place(shown=1, mark=0, moment=FIRST, group=0, number=1).text()
    )


class NotionServer(LocalServer):
    """Notion, as far as reading goes. Pages take turns in its data sources."""

    name: ClassVar[str] = "notion"
    shape = Shape(items=("results",), more=_say_more)
    default_key = "ntn_local"

    def __init__(self, *, rows: Mapping[str, int] | None = None, **options: Any) -> None:
        """`rows` may say how many `data_sources` there are: two, two of which are a database."""
        counts = {"data_sources": 2, "users": 3} | dict(rows or {})
        self._pages = Pages(max(1, counts["data_sources"]))
        self.kinds = kinds(self._pages)
        super().__init__(rows=counts, **options)

    def answer(self, request: Request) -> Reply:
        asking.check_key(request, self.key)
        asking.check_version(request)
        if not request.path.startswith(_ROOT):
            raise Refused(_invalid_url())
        parts = [request.method, *request.path.removeprefix(_ROOT).split("/")]
        return Reply(body=self._body(request, parts))

    def problem(self, status: int, retry_after: float | None = None) -> Reply:
        headers = {} if retry_after is None else {"Retry-After": str(math.ceil(retry_after))}
        code, message = _SAID.get(status, ("validation_error", "It is not as it should be."))
        return asking.error(status, code, message, headers)

    def _body(self, request: Request, parts: list[str]) -> bytes:
        match parts:
            case ["POST", "search"]:
                return self._search(asking.read_search(asking.body_of(request, _SEARCH)))
            case ["POST", "data_sources", source, "query"]:
                return self._query(source, asking.read_query(asking.body_of(request, _QUERY)))
            case ["GET", "users"]:
                return self._users(_paging(request))
            case ["GET", "blocks", page, "children"]:
                return self._blocks(page, _paging(request))
            case ["GET", collection, identifier]:
                return self._one(collection, identifier)
            case _:
                raise Refused(_invalid_url())

    def _one(self, collection: str, identifier: str) -> bytes:
        match collection:
            case "users" if identifier == "me":
                return msgspec.json.encode(BOT)
            case "databases":
                return self._database(identifier)
            case "pages" | "data_sources" | "users":
                return self._object(collection, identifier)
            case _:
                raise Refused(_invalid_url())

    def _object(self, collection: str, identifier: str) -> bytes:
        """Return an object; a page that was deleted is in the trash, and still there."""
        rows = self.rows[collection]
        number = rows.kind.ids.number(_dashed(identifier))
        if collection == "pages" and number is not None and rows.had(number):
            return msgspec.json.encode(rows.get(number) | {"in_trash": True, "archived": True})
        return rows.encode(self._find(collection, identifier))

    def _find(self, collection: str, identifier: str) -> int:
        number = self.rows[collection].find(_dashed(identifier))
        if number is None:
            what = collection.removesuffix("s")
            message = (
                f"Could not find {what} with ID: {identifier}. Make sure the relevant pages and "
                "databases are shared with your integration."
            )
            raise Refused(asking.error(404, "object_not_found", message))
        return number

    def _database(self, identifier: str) -> bytes:
        rows = self.rows["data_sources"]
        number = DATABASE_IDS.number(_dashed(identifier))
        inside = [n for n in rows.oldest_first(1, rows.last) if database_of(n) == number]
        if not inside or number is None:
            message = f"Could not find database with ID: {identifier}."
            raise Refused(asking.error(404, "object_not_found", message))
        return msgspec.json.encode(database_object(number, [rows.get(n) for n in inside]))

    def _query(self, identifier: str, asked: Asked) -> bytes:
        source = self._find("data_sources", identifier)
        rows, place = self.rows["pages"], place_of(asked)
        is_inside = self._inside(source)
        wanted = (each for each in walk(rows, asked, place) if is_inside(each[1]))
        shown = place.shown if place else 0
        found, has_more = take(wanted, min(asked.size, MOST_RESULTS - shown))
        is_capped = has_more and shown + len(found) >= MOST_RESULTS
        cursor = None
        if has_more and not is_capped:
            cursor = after(found[-1], asked, shown + len(found), 0)
        status = _INCOMPLETE if is_capped else _COMPLETE
        more = {"type": "page_or_data_source", "request_status": status}
        return _list(rows.page([number for _, number in found]), cursor, more)

    def _inside(self, source: int) -> Callable[[int], bool]:
        """Say whether a page is in a data source, if it was moved there too."""
        rows, identifier = self.rows["pages"], SOURCE_IDS.text(source)

        def is_inside(number: int) -> bool:
            parent = rows.changes(number).get("parent")
            if parent is not None:
                return bool(parent.get("data_source_id") == identifier)
            return self._pages.source_of(number) == source

        return is_inside

    def _search(self, asked: Asked) -> bytes:
        """Search what has no words: all pages, all data sources, or these and then those."""
        names = {"page": ["pages"], "data_source": ["data_sources"]}
        groups = names.get(asked.what or "", ["data_sources", "pages"])
        place = place_of(asked)
        found, has_more = take(self._through(groups, asked, place), asked.size)
        shown = (place.shown if place else 0) + len(found)
        cursor = after(found[-1][1], asked, shown, found[-1][0]) if has_more else None
        texts = [self.rows[groups[group]].encode(number) for group, (_, number) in found]
        return _list(b"[" + b",".join(texts) + b"]", cursor, {"type": "page_or_data_source"})

    def _through(
        self, groups: list[str], asked: Asked, place: Place | None
    ) -> Iterator[tuple[int, tuple[int, int]]]:
        first = place.group if place else 0
        for group, name in list(enumerate(groups))[first:]:
            begun = place if group == first else None
            for each in walk(self.rows[name], asked, begun):
                yield group, each

    def _users(self, asked: Asked) -> bytes:
        rows, place = self.rows["users"], place_of(asked)
        users = ((0, n) for n in rows.oldest_first(place.number + 1 if place else 1, rows.last))
        found, has_more = take(users, asked.size)
        cursor = after(found[-1], asked, 0, 0) if has_more else None
        return _list(rows.page([number for _, number in found]), cursor, {"type": "user"})

    def _blocks(self, identifier: str, asked: Asked) -> bytes:
        rows, place = self.rows["pages"], place_of(asked)
        page = rows.row(self._find("pages", identifier))
        positions = range(place.number + 1 if place else 1, block_count_of(page.number) + 1)
        found, has_more = take(((0, position) for position in positions), asked.size)
        cursor = after(found[-1], asked, 0, 0) if has_more else None
        blocks = [block_of(page, position) for _, position in found]
        return _list(msgspec.json.encode(blocks), cursor, {"type": "block"})


def _dashed(identifier: str) -> str:
    """Return an id as it is shown; it may be asked for without dashes."""
    try:
        return str(UUID(identifier))
    except ValueError:
        return identifier


def _paging(request: Request) -> Asked:
    asked = Asked()
    asking.read_paging("query", asking.query_of(request), asked)
    return asked


def _list(results: bytes, cursor: str | None, more: dict[str, Any]) -> bytes:
    head: dict[str, Any] = {"object": "list", "next_cursor": cursor, "has_more": cursor is not None}
    kind = more["type"]
    tail = msgspec.json.encode(head | more | {kind: {}})[1:]
    return b'{"results":%b,%b' % (results, tail)


def _invalid_url() -> Reply:
    return asking.error(400, "invalid_request_url", "Invalid request URL.")
