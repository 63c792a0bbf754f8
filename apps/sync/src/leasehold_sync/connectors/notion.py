"""Notion: users, data sources, and the pages that are rows of data sources.

One query shows 10,000 rows at most and then ends as if that were all; only `request_status` tells.
So rows are read by when they were made, oldest first, and a query that was cut is followed by
another one that begins where it ended. Moments are rounded to the minute: the rows of one minute
come twice, and of a minute with more than 10,000 rows some can't be seen by anybody (`capped`).
"""

from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from leasehold_sync.connectors.answers import Answer
from leasehold_sync.connectors.errors import BadAnswer, EmptyPageLoop, RequestRefused
from leasehold_sync.connectors.http import Api, Http, check_access
from leasehold_sync.connectors.reading import (
    Items,
    decode_place,
    encode_place,
    id_of,
    items_of,
    made_since,
    moment,
    resource_of,
    text_at,
)
from leasehold_sync.connectors.refusing import Complaint
from leasehold_sync.model.pages import Config, Item, Page, Resource

PAGE_SIZE = 100
SOURCES_AT_ONCE = 25  # their ids stand in the cursor until they have been read
_MINUTE = timedelta(minutes=1)


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a scan stands."""

    #: The source's own cursor in the query that is being read.
    next: str = ""
    #: The data source that is being read, and those that come after it.
    source: str = ""
    waiting: tuple[str, ...] = ()
    #: How the list of data sources goes on; None: all have been listed.
    listing: str | None = ""
    #: The query shows what was made from here on (empty: all) and has come as far as there.
    begins: str = ""
    reached: str = ""
    is_cut: bool = False
    #: Rows that exist were not seen: because of the cap, or a data source that went away.
    is_capped: bool = False
    is_torn: bool = False


class NotionConnector:
    """Reads Notion."""

    name: ClassVar = "notion"
    version: ClassVar = "2025-09-03"
    resources: ClassVar[tuple[Resource, ...]] = (
        Resource(name="pages"),
        Resource(name="data_sources"),
        Resource(name="users"),
    )

    def __init__(self, http: Http) -> None:
        self._http = http

    def validate(self, config: Config) -> None:
        check_access(config)

    def page(
        self,
        config: Config,
        resource: str,
        cursor: str | None,
        since: datetime | None,
        until: datetime | None,  # noqa: ARG002  # what changes meanwhile may come along
    ) -> Page:
        api = self._api(config)
        place = decode_place(cursor, Place)
        match resource_of(self.resources, resource).name:
            case "users":
                return self._listed(resource, _users(api, place), api, place)
            case "data_sources":
                return self._listed(resource, _search(api, place.next, PAGE_SIZE), api, place)
            case _:
                return self._rows(api, place, since)

    def _listed(self, resource: str, answer: Answer, api: Api, place: Place) -> Page:
        """Make a page of a plain list. It tells no changes: all of it is read each time."""
        place = replace(place, next=_next(answer), is_capped=place.is_capped or _is_cut(answer))
        found = _items(resource, answer)
        return self._seen(place, made_since(found, api.config.sync_from), goes_on=bool(place.next))

    def _rows(self, api: Api, place: Place, since: datetime | None) -> Page:
        if not place.source:
            return self._sources(api, place)
        try:
            answer, place = _query(api, place, since)
        except RequestRefused as refused:
            if refused.error != "object_not_found":
                raise
            # It was unshared or deleted meanwhile. The next scan will not list it; this one must
            # not conclude anything from rows that it could not look for.
            return self._turned(_finished(replace(place, is_torn=True)), since)
        return self._turned(_moved(place, answer), since, _items("pages", answer))

    def _sources(self, api: Api, place: Place) -> Page:
        """List some data sources: each of them has rows, whatever database it belongs to."""
        answer = _search(api, place.listing or "", SOURCES_AT_ONCE)
        place = replace(
            place,
            waiting=tuple(name for row in answer.rows("results") if (name := id_of(row))),
            listing=_next(answer) or None,
            is_capped=place.is_capped or _is_cut(answer),
        )
        return self._turned(_finished(place))

    def _turned(
        self, place: Place, since: datetime | None = None, found: Items | None = None
    ) -> Page:
        goes_on = bool(place.source) or place.listing is not None
        page = self._seen(place, found or Items(items=(), nameless=0), goes_on=goes_on)
        return page if since is None else dataclasses.replace(page, complete=False)

    def _seen(self, place: Place, found: Items, *, goes_on: bool) -> Page:
        return Page(
            items=found.items,
            nameless=found.nameless,
            next_cursor=encode_place(place) if goes_on else None,
            complete=not (goes_on or place.is_torn or place.is_capped),
            capped=place.is_capped,
            version=self.version,
        )

    def _api(self, config: Config) -> Api:
        return Api(
            http=self._http,
            config=config,
            base_url="https://api.notion.com",
            headers={"Notion-Version": self.version},
            complaint=lambda said: Complaint(said.get("code") or "", said.get("message") or ""),
        )


def _users(api: Api, place: Place) -> Answer:
    query = [("page_size", str(PAGE_SIZE))]
    return api.get("/v1/users", [*query, ("start_cursor", place.next)] if place.next else query)


def _search(api: Api, cursor: str, size: int) -> Answer:
    asked: dict[str, Any] = {
        "filter": {"property": "object", "value": "data_source"},
        # The other way round, one that is edited meanwhile would move to where we have been.
        "sort": {"direction": "ascending", "timestamp": "last_edited_time"},
        "page_size": size,
    }
    return api.post("/v1/search", asked | ({"start_cursor": cursor} if cursor else {}))


def _query(api: Api, place: Place, since: datetime | None) -> tuple[Answer, Place]:
    path = f"/v1/data_sources/{place.source}/query"
    try:
        return api.post(path, _asked(api, place, since)), place
    except RequestRefused as refused:
        if refused.error != "validation_error" or not place.next:
            raise
    # Its cursor is no longer known, perhaps because the row is gone: a new query from there on.
    place = replace(place, next="", begins=place.reached or place.begins)
    return api.post(path, _asked(api, place, since)), place


def _asked(api: Api, place: Place, since: datetime | None) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "page_size": PAGE_SIZE,
        "sorts": [{"timestamp": "created_time", "direction": "ascending"}],
    }
    conditions = []
    if begins := place.begins or _text(None if since else api.config.sync_from):
        conditions.append({"timestamp": "created_time", "created_time": {"on_or_after": begins}})
    if since is not None:
        edited = {"on_or_after": _text(since.replace(second=0, microsecond=0))}
        conditions.append({"timestamp": "last_edited_time", "last_edited_time": edited})
    if conditions:
        asked["filter"] = {"and": conditions} if len(conditions) > 1 else conditions[0]
    if place.next:
        asked["start_cursor"] = place.next
    return asked


def _moved(place: Place, answer: Answer) -> Place:
    """Say where the scan stands after a page of a query."""
    made = [made for row in answer.rows("results") if (made := text_at(row, "created_time"))]
    place = replace(
        place,
        next=_next(answer),
        reached=max([place.reached, *made]),
        is_cut=place.is_cut or _is_cut(answer),
    )
    if place.next:
        return place
    return _next_window(place) if place.is_cut else _finished(place)


def _next_window(place: Place) -> Place:
    """Begin another query where the one that was cut has ended."""
    if place.reached != place.begins:
        return replace(place, begins=place.reached, is_cut=False)
    # More rows in one minute than a query shows: go past it, and say that some were not seen.
    stuck = moment(place.reached)
    if stuck is None:
        raise BadAnswer("a query that was cut, of rows that do not say when they were made")
    past = _text(stuck + _MINUTE)
    return replace(place, begins=past, reached=past, is_cut=False, is_capped=True)


def _finished(place: Place) -> Place:
    """Go to the next data source, if there is one."""
    return Place(
        source=place.waiting[0] if place.waiting else "",
        waiting=place.waiting[1:],
        listing=place.listing,
        is_capped=place.is_capped,
        is_torn=place.is_torn,
    )


def _next(answer: Answer) -> str:
    """Return the cursor of the next page; empty if this is the last."""
    if answer.document.get("has_more") is not True:
        return ""
    if not answer.rows("results"):
        raise EmptyPageLoop("has_more, and nothing on the page")
    if cursor := text_at(answer.document, "next_cursor"):
        return cursor
    raise BadAnswer("has_more, and no next_cursor")


def _is_cut(answer: Answer) -> bool:
    return text_at(answer.document, "request_status", "type") == "incomplete"


def _items(collection: str, answer: Answer) -> Items:
    def item(name: str, row: dict[str, Any]) -> Item:
        return Item(
            collection=collection,
            external_id=name,
            payload=row,
            as_of=moment(row.get("last_edited_time")) or answer.moment,
            created_at=moment(row.get("created_time")),
            is_deleted=row.get("in_trash") is True or row.get("archived") is True,
        )

    kind = collection.removesuffix("s")
    # A wiki has data sources among its rows; those are listed by themselves.
    rows = (row for row in answer.rows("results") if row.get("object", kind) == kind)
    return items_of(rows, item)


def _text(value: datetime | None) -> str:
    return value.strftime("%Y-%m-%dT%H:%M:%S.000Z") if value else ""
