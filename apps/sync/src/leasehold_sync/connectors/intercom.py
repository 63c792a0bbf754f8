"""Intercom: contacts and conversations by search, companies by scroll, the rest by plain lists.

A scroll can't be taken up: there is one per app, it dies after a minute without a request, and then
it begins at zero. So a scan whose scroll is lost begins anew, within itself: what it had seen stays
seen, and only a scroll that came to its end says that nothing else is there.

And it only goes forward: whoever asks twice gets two pages. If an answer may have been lost (a
request failed, or another process asked last), a page may have been passed over, and nobody can
tell. Such a scroll is read to its end, then once more from the beginning; if that pass is in doubt,
too, the scan has seen what it has seen and is not called complete.
"""

from __future__ import annotations

import dataclasses
from datetime import datetime, timedelta
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from leasehold_sync.connectors.answers import Answer
from leasehold_sync.connectors.errors import (
    BadAnswer,
    EmptyPageLoop,
    RateLimited,
    RequestRefused,
    ScanLost,
    SourceUnavailable,
)
from leasehold_sync.connectors.http import Api, Http, check_access
from leasehold_sync.connectors.reading import (
    Items,
    decode_place,
    encode_place,
    items_of,
    made_since,
    moment,
    resource_of,
    text_at,
)
from leasehold_sync.connectors.refusing import Complaint, rest_before_next
from leasehold_sync.model.pages import Config, Item, Page, Resource

PER_PAGE = 150
MOST_RESTARTS = 5
SCROLL_LASTS_SECONDS = 60.0
#: Contacts are found by whole days of the workspace's own time zone, and `>` means from the next
#: day on. A day earlier is the day before everywhere; the hour is for days that have 25.
LOOK_BACK = timedelta(days=1, hours=1)
#: Where each resource's objects stand in an answer.
_ROWS = {
    "contacts": "data",
    "conversations": "conversations",
    "companies": "data",
    "admins": "admins",
    "tags": "data",
    "teams": "teams",
}
_SEARCHED = frozenset({"contacts", "conversations"})


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a scan stands: after a page of a search, or in a scroll."""

    after: str = ""
    scroll: str = ""
    pages: int = 0
    restarts: int = 0
    #: A page of this scroll may have been passed over.
    is_doubtful: bool = False
    is_second_pass: bool = False


class IntercomConnector:
    """Reads Intercom."""

    name: ClassVar = "intercom"
    version: ClassVar = "2.14"
    resources: ClassVar = tuple(Resource(name=name) for name in _ROWS)

    def __init__(self, http: Http) -> None:
        self._http = http
        #: Where a scroll stands for sure: the last answer came, and it came to us.
        self._certain: str | None = None

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
        name = resource_of(self.resources, resource).name
        if name in _SEARCHED:
            page = self._searched(api, name, place, since)
        elif name == "companies":
            page = self._scrolled(api, cursor)
        else:
            page = self._seen(name, api.get(f"/{name}"), api)
        return page

    def _searched(self, api: Api, name: str, place: Place, since: datetime | None) -> Page:
        answer = api.post(f"/{name}/search", _asked(api.config, place, since))
        page = self._seen(name, answer, api, is_full=since is None)
        if not (after := _next(answer)):
            return page
        if not answer.rows(_ROWS[name]):
            raise EmptyPageLoop("a next page, and nothing on this one")
        return dataclasses.replace(
            page, next_cursor=encode_place(Place(after=after)), complete=False
        )

    def _scrolled(self, api: Api, cursor: str | None) -> Page:
        place = decode_place(cursor, Place)
        is_certain, self._certain = not place.scroll or cursor == self._certain, None
        place = replace(place, is_doubtful=place.is_doubtful or not is_certain)
        answer, place = _scroll(api, place)
        page = self._seen("companies", answer, api)
        if not answer.rows("data"):
            return self._ended(page, place)
        if not (scroll := text_at(answer.document, "scroll_param")):
            raise BadAnswer("a page of a scroll without scroll_param")
        # The parameter is often the same for all pages; how many there were tells them apart.
        self._certain = encode_place(replace(place, scroll=scroll, pages=place.pages + 1))
        return dataclasses.replace(page, next_cursor=self._certain, complete=False)

    def _ended(self, page: Page, place: Place) -> Page:
        """Say what the end of a scroll means; the scroll itself is gone with it."""
        if not place.is_doubtful:
            return page
        if place.is_second_pass:
            return dataclasses.replace(page, complete=False)
        again = encode_place(Place(restarts=place.restarts, is_second_pass=True))
        return dataclasses.replace(page, next_cursor=again, complete=False)

    def _seen(self, name: str, answer: Answer, api: Api, *, is_full: bool = True) -> Page:
        """Make a last page; whoever knows more says so."""
        found = _items(name, answer)
        if is_full:
            found = made_since(found, api.config.sync_from)
        return Page(
            items=found.items,
            nameless=found.nameless,
            complete=is_full,
            version=self.version,
            rest_seconds=rest_before_next(answer),
        )

    def _api(self, config: Config) -> Api:
        return Api(
            http=self._http,
            config=config,
            base_url="https://api.intercom.io",
            headers={"Intercom-Version": self.version},
            complaint=_complaint,
        )


def _complaint(document: dict[str, Any]) -> Complaint:
    first = document["errors"][0]
    return Complaint(first.get("code") or "", first.get("message") or "", first.get("field") or "")


def _asked(config: Config, place: Place, since: datetime | None) -> dict[str, Any]:
    field, begins = ("created_at", config.sync_from) if since is None else ("updated_at", since)
    value = int((begins - LOOK_BACK).timestamp()) if begins else 0
    pagination: dict[str, Any] = {"per_page": PER_PAGE}
    if place.after:
        pagination["starting_after"] = place.after
    return {
        "query": {"field": field, "operator": ">", "value": max(value, 0)},
        # What changes meanwhile must not move to where the scan has been.
        "sort": {"field": field, "order": "ascending"},
        "pagination": pagination,
    }


def _next(answer: Answer) -> str:
    pages = answer.document.get("pages")
    following = pages.get("next") if isinstance(pages, dict) else None
    return text_at(following, "starting_after") if isinstance(following, dict) else ""


def _scroll(api: Api, place: Place) -> tuple[Answer, Place]:
    """Read the scroll's next page, or the first one of a new scroll."""
    if place.scroll:
        try:
            query = [("scroll_param", place.scroll)]
            return api.get("/companies/scroll", query, is_repeatable=False), place
        except (RequestRefused, SourceUnavailable) as error:
            if not _is_lost(error):
                raise
            place = Place(restarts=place.restarts + 1, is_second_pass=place.is_second_pass)
    if place.restarts > MOST_RESTARTS:
        raise ScanLost(f"the scroll of companies died {place.restarts} times on its way")
    try:
        return api.get("/companies/scroll", is_repeatable=False), place
    except RequestRefused as refused:
        if refused.error != "scroll_exists":
            raise
        # Ours, dying, or another program's: it goes away by itself.
        raise RateLimited(SCROLL_LASTS_SECONDS, "another scroll of this app is open") from refused


def _is_lost(error: RequestRefused | SourceUnavailable) -> bool:
    """Say whether a scroll can't go on: unknown by now, or broken by a server error."""
    if isinstance(error, RequestRefused):
        return error.error == "not_found"
    return "restart the scroll" in str(error)


def _items(name: str, answer: Answer) -> Items:
    def item(external_id: str, row: dict[str, Any]) -> Item:
        return Item(
            collection=name,
            external_id=external_id,
            payload=row,
            as_of=moment(row.get("updated_at")) or answer.moment,
            created_at=moment(row.get("created_at")),
        )

    return items_of(answer.rows(_ROWS[name]), item)
