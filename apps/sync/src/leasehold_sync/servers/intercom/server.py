"""A local Intercom: searches, plain lists and the scroll of companies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, ClassVar

import msgspec

from leasehold.kit.servers import Refused, take
from leasehold.kit.servers.trouble import Shape
from leasehold.kit.servers.wire import Reply, Request
from leasehold_sync.servers.intercom import asking
from leasehold_sync.servers.intercom.asking import Asked, Cursor
from leasehold_sync.servers.intercom.objects import KINDS, ME
from leasehold_sync.servers.intercom.scrolling import Scroll
from leasehold_sync.servers.rows import Rows, is_within
from leasehold_sync.servers.server import LocalServer

WINDOW_SECONDS = 10
_WINDOW = 10_000  # requests: more than any test, the real one has 1,667
# How many rows a page has unless somebody says so.
_PER_PAGE = {"contacts": 50, "conversations": 20, "tickets": 20}
# Where rows stand, and what their list is called.
_LISTS = {
    "contacts": ("data", "list"),
    "conversations": ("conversations", "conversation.list"),
    "tickets": ("tickets", "ticket.list"),
    "admins": ("admins", "admin.list"),
    "tags": ("data", "list"),
    "teams": ("teams", "team.list"),
}
_SAID = {
    401: ("unauthorized", "Access Token Invalid"),
    403: ("api_plan_restricted", "Active subscription needed."),
    500: ("server_error", "Server Error"),
    503: ("service_unavailable", "Sorry, the API service is temporarily unavailable"),
}
SCROLL_LOST = (
    "Request failed due to an internal network error. Please restart the scroll operation."
)


def _say_more(page: dict[str, Any]) -> None:
    if page.get("pages"):
        page["pages"]["next"] = {"page": 2, "starting_after": Cursor(1, 1, 1).text()}


class IntercomServer(LocalServer):
    """Intercom, as far as reading goes."""

    name: ClassVar[str] = "intercom"
    kinds = KINDS
    shape = Shape(items=("data", "conversations", "tickets", "admins", "teams"), more=_say_more)
    default_key = "intercom_local"

    def __init__(self, *, rows: Mapping[str, int] | None = None, **options: Any) -> None:
        super().__init__(rows={"admins": 2, "tags": 3, "teams": 1} | dict(rows or {}), **options)
        self.window.set(_WINDOW, WINDOW_SECONDS)
        self._scroll = Scroll(self.clock)

    def merge(self, contact: str, into: str) -> None:
        """Let a contact vanish into another one."""
        self.do("merge", contact=contact, into=into)

    def do_merge(self, contact: str, into: str) -> None:
        self.do_update("contacts", into, {})
        self.do_delete("contacts", [contact])

    def do_limit(self, requests: int, seconds: float) -> None:
        """Set the window; there is always one."""
        super().do_limit(requests or _WINDOW, seconds or WINDOW_SECONDS)

    def answer(self, request: Request) -> Reply:
        asking.check_key(request, self.key)
        asking.check_version(request)
        return Reply(body=self._body(request), headers=self._budget(self.window.left))

    def problem(self, status: int, retry_after: float | None = None) -> Reply:
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            ends = None if retry_after is None else self.clock.now() + retry_after
            message = (
                f"Exceeded rate limit of {self.window.requests} in {self.window.seconds:g}_seconds"
            )
            return asking.error(429, "rate_limit_exceeded", message, self._budget(0, ends))
        code, message = _SAID.get(status, ("server_error", "Server Error"))
        return asking.error(status, code, message)

    def own_trouble(self, how: str) -> Reply | None:
        return asking.error(500, "server_error", SCROLL_LOST) if how == "scroll_lost" else None

    def _budget(self, left: int, ends: float | None = None) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.window.requests),
            "X-RateLimit-Remaining": str(left),
            "X-RateLimit-Reset": str(math.ceil(self.window.ends if ends is None else ends)),
        }

    def _body(self, request: Request) -> bytes:
        match [request.method, *request.path.strip("/").split("/")]:
            case ["GET", "me"]:
                return msgspec.json.encode(ME)
            case ["GET", "companies", "scroll"]:
                return self._scroll.page(self.rows["companies"], _scroll_param(request))
            case ["GET", "contacts" | "conversations" as collection]:
                asked = asking.read_list(request, _PER_PAGE[collection])
                return self._page(collection, asked)
            case ["POST", "contacts" | "conversations" | "tickets" as collection, "search"]:
                is_contacts = collection == "contacts"
                asked = asking.read_search(request, _PER_PAGE[collection], by_day=is_contacts)
                return self._page(collection, asked)
            case ["GET", "admins" | "tags" | "teams" as collection]:
                return self._all(collection)
            case ["GET", collection, identifier] if collection in self.rows:
                return self._one(collection, identifier)
        raise Refused(asking.error(404, "not_found", "Requested resource not found"))

    def _one(self, collection: str, identifier: str) -> bytes:
        number = self.rows[collection].find(identifier)
        if number is None:
            raise Refused(asking.error(404, "not_found", "Resource Not Found"))
        return self.rows[collection].encode(number)

    def _all(self, collection: str) -> bytes:
        rows, (name, kind) = self.rows[collection], _LISTS[collection]
        data = rows.page(list(rows.oldest_first(1, rows.last)))
        return b'{"type":"%b","%b":%b}' % (kind.encode(), name.encode(), data)

    def _page(self, collection: str, asked: Asked) -> bytes:
        rows, (name, kind) = self.rows[collection], _LISTS[collection]
        found, has_more = take(_walk(rows, asked), asked.per_page)
        total = _count(rows, asked)
        pages: dict[str, Any] = {
            "type": "pages",
            "page": asked.page,
            "per_page": asked.per_page,
            "total_pages": -(-total // asked.per_page),
        }
        if has_more:
            after = Cursor(*found[-1], asked.page).text()
            pages["next"] = {"page": asked.page + 1, "starting_after": after}
        tail = msgspec.json.encode({"type": kind, "total_count": total, "pages": pages})[1:]
        data = rows.page([number for _, number in found])
        return b'{"%b":%b,%b' % (name.encode(), data, tail)


def _scroll_param(request: Request) -> str | None:
    given = dict(request.query)
    if not set(given) <= {"scroll_param"}:
        asking.refuse("companies/scroll takes scroll_param only")
    return given.get("scroll_param")


def _walk(rows: Rows, asked: Asked) -> Iterator[tuple[int, int]]:
    """Iterate over what was asked for, behind the cursor: when, and its number."""
    walk = _by_creation(rows, asked) if asked.sort == "created_at" else _by_update(rows, asked)
    for field, moment in (("created_at", rows.created), ("updated_at", rows.updated)):
        if field in asked.bounds:
            walk = _within(walk, moment, *asked.bounds[field])
    if asked.equal:
        walk = (each for each in walk if _has(rows.get(each[1]), asked.equal))
    return walk


def _within(
    walk: Iterator[tuple[int, int]],
    moment: Callable[[int], int],
    since: int | None,
    until: int | None,
) -> Iterator[tuple[int, int]]:
    return (each for each in walk if is_within(moment(each[1]), since, until))


def _by_creation(rows: Rows, asked: Asked) -> Iterator[tuple[int, int]]:
    first, last = rows.between(*asked.bounds.get("created_at", (None, None)))
    if asked.cursor is not None and asked.is_ascending:
        first = max(first, asked.cursor.number + 1)
    elif asked.cursor is not None:
        last = min(last, asked.cursor.number - 1)
    if "updated_at" in asked.bounds:  # few: so do not look at all the others
        changed = (number for _, number in rows.by_update(*asked.bounds["updated_at"]))
        numbers = sorted(changed, reverse=not asked.is_ascending)
        return ((rows.created(n), n) for n in numbers if first <= n <= last)
    walk = rows.oldest_first if asked.is_ascending else rows.newest_first
    return ((rows.created(number), number) for number in walk(first, last))


def _by_update(rows: Rows, asked: Asked) -> Iterator[tuple[int, int]]:
    since, until = asked.bounds.get("updated_at", (None, None))
    walk = rows.by_update(since, until, newest_first=not asked.is_ascending)
    if asked.cursor is None:
        return walk
    last = (asked.cursor.moment, asked.cursor.number)
    if asked.is_ascending:
        return (each for each in walk if each > last)
    return (each for each in walk if each < last)


def _has(row: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return all(row.get(field) == value for field, value in wanted.items())


def _count(rows: Rows, asked: Asked) -> int:
    """Count what is found in all, without looking at each row where that can be had."""
    if asked.equal or len(asked.bounds) > 1:
        everything = msgspec.structs.replace(asked, cursor=None)
        return sum(1 for _ in _walk(rows, everything))
    if "updated_at" in asked.bounds:
        return rows.count_updated(*asked.bounds["updated_at"])
    return rows.count(*rows.between(*asked.bounds.get("created_at", (None, None))))
