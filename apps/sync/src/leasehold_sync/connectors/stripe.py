"""Stripe: lists of objects, newest first, each page after the last object of the one before.

That object may be gone by then. The scan then takes up at the moment it was made: some objects come
twice, none is left out. Lists inside of objects have an end of their own; what does not fit is read
by further pages, one list at a time, before the scan goes on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from leasehold_sync.connectors.answers import Answer, read_whole
from leasehold_sync.connectors.errors import (
    BadAnswer,
    EmptyPageLoop,
    RequestRefused,
    Unauthorised,
)
from leasehold_sync.connectors.http import Api, Http, Reader, check_access
from leasehold_sync.connectors.reading import (
    Items,
    decode_place,
    encode_place,
    id_of,
    items_of,
    moment,
    resource_of,
    text_at,
)
from leasehold_sync.connectors.refusing import Complaint
from leasehold_sync.connectors.stripe_resources import LISTINGS, Listing
from leasehold_sync.connectors.unread import read_heads
from leasehold_sync.model.pages import Config, Item, Page

LIMIT = "100"
EVENTS_LAST = timedelta(days=29)  # Stripe keeps them for 30
_MISSING = "resource_missing"
_BY_NAME = {listing.name: listing for listing in LISTINGS}


class Nested(msgspec.Struct, frozen=True, array_like=True):
    """A list inside of an object that goes on elsewhere."""

    collection: str
    parent: str
    path: str
    after: str


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a scan stands."""

    after: str = ""
    #: When the last object seen was made: where to take up if it is gone.
    created: int = 0
    #: Set once the scan was taken up so: it shows nothing that was made later.
    until: int = 0
    of_events: bool = False
    has_more: bool = True
    nested: tuple[Nested, ...] = ()


class StripeConnector:
    """Reads Stripe."""

    name: ClassVar = "stripe"
    version: ClassVar = "2025-09-30.clover"
    resources: ClassVar = tuple(listing.resource for listing in LISTINGS)

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
        until: datetime | None,  # noqa: ARG002  # lists are newest first: what is later comes next time
    ) -> Page:
        api = self._api(config)
        listing = _BY_NAME[resource_of(self.resources, resource).name]
        place = decode_place(cursor, Place)
        if place.nested:
            return self._nested_page(api, place)
        if cursor is None and since is not None and self._has_events_since(listing, since):
            try:
                return self._events_page(api, listing, Place(of_events=True), since)
            except (RequestRefused, Unauthorised):
                pass  # a stand-in, or a key that may not read events: everything is read instead
        if place.of_events and since is not None:
            return self._events_page(api, listing, place, since)
        return self._list_page(api, listing, place)

    def _has_events_since(self, listing: Listing, since: datetime) -> bool:
        return bool(listing.events) and since > self._http.now() - EVENTS_LAST

    def _list_page(self, api: Api, listing: Listing, place: Place) -> Page:
        query = [("limit", LIMIT), *listing.query]
        if api.config.sync_from is not None:
            query.append(("created[gte]", str(int(api.config.sync_from.timestamp()))))
        read = read_whole if listing.nested else read_heads
        answer, place = _list(api, f"/v1/{listing.name}", query, place, read)
        found = _listed(answer, listing.name)
        return self._page(found.items, found.nameless, listing, _moved(answer, place))

    def _events_page(self, api: Api, listing: Listing, place: Place, since: datetime) -> Page:
        query = [("limit", LIMIT), ("created[gte]", str(int(since.timestamp())))]
        query += [("types[]", event) for event in listing.events]
        answer, place = _list(api, "/v1/events", query, place)
        newest: dict[str, Item] = {}
        for event in answer.rows("data"):  # newest first: what an earlier one says is outdated
            if (item := _told(event, listing, answer.moment)) is not None:
                newest.setdefault(item.external_id, item)
        return self._page(tuple(newest.values()), 0, listing, _moved(answer, place))

    def _page(self, items: tuple[Item, ...], nameless: int, listing: Listing, place: Place) -> Page:
        """Make a page of objects and of what is nested in them."""
        children: list[Item] = []
        unfinished: list[Nested] = []
        for item in items:
            for field, collection in listing.nested:
                inside = _inside(item, field, collection)
                children += inside.items
                nameless += inside.nameless
                unfinished += inside.unfinished
        place = replace(place, nested=tuple(unfinished))
        return self._seen(place, items=items, children=tuple(children), nameless=nameless)

    def _nested_page(self, api: Api, place: Place) -> Page:
        """Read on in the first list that did not fit into its object."""
        first, *others = place.nested
        try:
            answer = _nested(api, first)
        except RequestRefused as refused:
            if refused.error != _MISSING:
                raise
            return self._seen(replace(place, nested=tuple(others)))  # gone, with its parent
        rows = answer.rows("data")
        found = items_of(
            rows,
            lambda name, row: _item(
                first.collection, name, row, answer.moment, parent=first.parent
            ),
        )
        if _has_more(answer.document):
            others.insert(0, replace(first, after=_last(rows)))
        place = replace(place, nested=tuple(others))
        return self._seen(place, children=found.items, nameless=found.nameless)

    def _seen(
        self,
        place: Place,
        *,
        items: tuple[Item, ...] = (),
        children: tuple[Item, ...] = (),
        nameless: int = 0,
    ) -> Page:
        goes_on = place.has_more or bool(place.nested)
        return Page(
            items=items,
            children=children,
            nameless=nameless,
            next_cursor=encode_place(place) if goes_on else None,
            complete=not goes_on and not place.of_events,
            version=self.version,
        )

    def _api(self, config: Config) -> Api:
        return Api(
            http=self._http,
            config=config,
            base_url="https://api.stripe.com",
            headers={"Stripe-Version": self.version},
            complaint=_complaint,
        )


def _complaint(document: dict[str, Any]) -> Complaint:
    error = document["error"]
    return Complaint(
        error.get("code") or error.get("type") or "",
        error.get("message") or "",
        error.get("param") or "",
    )


def _list(
    api: Api,
    path: str,
    query: list[tuple[str, str]],
    place: Place,
    read: Reader = read_whole,
) -> tuple[Answer, Place]:
    try:
        return api.get(path, query + _bounds(place), read=read), place
    except RequestRefused as refused:
        if refused.error != _MISSING or refused.param != "starting_after":
            raise
    # The last object seen is gone. What was made with it or before it has not been seen yet.
    place = replace(place, after="", until=place.created)
    return api.get(path, query + _bounds(place), read=read), place


def _bounds(place: Place) -> list[tuple[str, str]]:
    bounds = []
    if place.until:
        bounds.append(("created[lte]", str(place.until)))
    if place.after:
        bounds.append(("starting_after", place.after))
    return bounds


def _nested(api: Api, nested: Nested) -> Answer:
    query = [("limit", LIMIT)]
    try:
        return api.get(nested.path, [*query, ("starting_after", nested.after)])
    except RequestRefused as refused:
        if refused.error != _MISSING or refused.param != "starting_after":
            raise
    return api.get(nested.path, query)  # its last one is gone: the list is short, read it anew


def _moved(answer: Answer, place: Place) -> Place:
    """Say where the scan stands after a page."""
    if not _has_more(answer.document):
        return replace(place, has_more=False)
    rows = answer.rows("data")
    created = moment(rows[-1].get("created")) if rows else None
    return replace(
        place, after=_last(rows), created=int(created.timestamp()) if created else place.created
    )


def _has_more(listed: dict[str, Any]) -> bool:
    if not isinstance(more := listed.get("has_more"), bool):
        raise BadAnswer("a list that does not say whether it has more")
    return more


def _last(rows: list[dict[str, Any]]) -> str:
    """Return the id that the next page begins after."""
    if not rows:
        raise EmptyPageLoop("has_more, and nothing on the page")
    if last := next((name for row in reversed(rows) if (name := id_of(row))), ""):
        return last
    raise BadAnswer("has_more, and no object with an id to go on from")


def _listed(answer: Answer, collection: str) -> Items:
    """Make items of objects that were read, or of their heads and texts."""
    rows = answer.rows("data")
    payloads: Sequence[dict[str, Any] | msgspec.Raw] = answer.texts or rows
    items = tuple(
        _item(collection, name, row, answer.moment, payload=payload)
        for row, payload in zip(rows, payloads, strict=True)
        if (name := id_of(row))
    )
    return Items(items=items, nameless=len(rows) - len(items))


def _item(
    collection: str,
    name: str,
    row: dict[str, Any],
    as_of: datetime,
    *,
    parent: str | None = None,
    payload: dict[str, Any] | msgspec.Raw | None = None,
) -> Item:
    return Item(
        collection=collection,
        external_id=name,
        payload=payload or row,
        as_of=as_of,
        created_at=moment(row.get("created")),
        is_deleted=row.get("deleted") is True,
        parent_id=parent,
    )


def _told(event: dict[str, Any], listing: Listing, now: datetime) -> Item | None:
    """Return the object that an event tells of, as it was then."""
    told = event.get("data")
    row = told.get("object") if isinstance(told, dict) else None
    if not isinstance(row, dict) or row.get("object") != listing.object or not id_of(row):
        return None
    item = _item(listing.name, id_of(row), row, moment(event.get("created")) or now)
    return replace(
        item,
        is_deleted=item.is_deleted or event.get("type") == listing.gone,
        version=text_at(event, "api_version"),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Inside:
    """What was nested in an object, and how it goes on."""

    items: tuple[Item, ...] = ()
    nameless: int = 0
    unfinished: tuple[Nested, ...] = ()


def _inside(item: Item, field: str, collection: str) -> _Inside:
    listed = item.read_payload().get(field)
    if not isinstance(listed, dict) or not isinstance(rows := listed.get("data"), list):
        return _Inside()
    found = items_of(
        (row for row in rows if isinstance(row, dict)),
        lambda name, row: replace(
            _item(collection, name, row, item.as_of, parent=item.external_id),
            is_deleted=item.is_deleted,
            version=item.version,
        ),
    )
    if item.is_deleted or not rows or listed.get("has_more") is not True:
        return _Inside(found.items, found.nameless)
    path = text_at(listed, "url")
    if not path.startswith("/v1/"):
        raise BadAnswer(f"{field} of {item.external_id} goes on at no path of this API")
    nested = Nested(collection, item.external_id, path, _last(rows))
    return _Inside(found.items, found.nameless, (nested,))
