"""Lists that are asked for by position: `?offset=&limit=` or `?page=&per_page=`.

Positions shift. When a row before the next page is deleted, the first row of that page moves up and
would never be seen: a scan that takes what it did not see for deleted would delete a living row. So
each page begins some rows before the last one that was seen, and has to show some of them again.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from leasehold_sync.connectors.answers import Answer
from leasehold_sync.connectors.errors import BadConfig, EmptyPageLoop
from leasehold_sync.connectors.http import Api, Http, check_access
from leasehold_sync.connectors.reading import (
    decode_place,
    encode_place,
    id_of,
    items_of,
    made_since,
    moment,
    resource_of,
)
from leasehold_sync.connectors.refusing import Complaint, rest_before_next
from leasehold_sync.model.pages import Config, Item, Page, Resource

MOST = 100
LEAST = 80  # a page number needs some choice of sizes to begin where it is wanted
OVERLAP = 5


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many rows have been seen, and which were the last of them."""

    seen: int = 0
    last: tuple[str, ...] = ()
    #: None of them was found again: rows may have been passed over.
    is_torn: bool = False
    has_stepped_back: bool = False


class _Positions:
    """What both kinds have in common: where the rows are, and when the list has ended."""

    name: ClassVar[str]
    version: ClassVar = "1"
    resources: ClassVar[tuple[Resource, ...]] = (Resource(name="records"),)

    def __init__(self, http: Http) -> None:
        self._http = http

    def validate(self, config: Config) -> None:
        check_access(config)
        if not config.base_url:
            raise BadConfig(f"{config.app_key} needs a base_url: where its list is")
        if not str(config.options.get("path", "/records")).startswith("/"):
            raise BadConfig("path has to begin with /: it is joined to base_url")

    def page(
        self,
        config: Config,
        resource: str,
        cursor: str | None,
        since: datetime | None,  # noqa: ARG002  # such lists tell no changes: all is read
        until: datetime | None,  # noqa: ARG002
    ) -> Page:
        collection = resource_of(self.resources, resource).name
        place = decode_place(cursor, Place)
        start, size, query = self._window(max(0, place.seen - OVERLAP))
        answer = self._api(config).get(str(config.options.get("path", "/records")), query)
        rows = answer.rows("data")
        place, goes_on = _moved(place, rows, start, size, answer.document.get("has_more"))
        found = made_since(items_of(rows, _making(collection, answer)), config.sync_from)
        return Page(
            items=found.items,
            nameless=found.nameless,
            next_cursor=encode_place(place) if goes_on else None,
            complete=not goes_on and not place.is_torn,
            version=self.version,
            rest_seconds=rest_before_next(answer),
        )

    def _window(self, wanted: int) -> tuple[int, int, list[tuple[str, str]]]:
        """Choose a page that begins at a position or before: its begin, its size, how to ask."""
        raise NotImplementedError

    def _api(self, config: Config) -> Api:
        return Api(http=self._http, config=config, base_url="", headers={}, complaint=_complaint)


class OffsetConnector(_Positions):
    """Reads a list by offset and limit."""

    name: ClassVar = "offset"

    def _window(self, wanted: int) -> tuple[int, int, list[tuple[str, str]]]:
        return wanted, MOST, [("offset", str(wanted)), ("limit", str(MOST))]


class NumberedConnector(_Positions):
    """Reads a list by page number and size, with the size that makes pages meet best."""

    name: ClassVar = "numbered"

    def _window(self, wanted: int) -> tuple[int, int, list[tuple[str, str]]]:
        size = max(range(LEAST, MOST + 1), key=lambda each: each - wanted % each)
        number = wanted // size
        return number * size, size, [("page", str(number + 1)), ("per_page", str(size))]


def _moved(
    place: Place, rows: list[dict[str, Any]], start: int, size: int, more: object
) -> tuple[Place, bool]:
    """Say where the scan stands after a page, and whether it goes on."""
    names = tuple(name for row in rows if (name := id_of(row)))
    is_torn = place.is_torn
    if place.last and not set(place.last) & set(names):
        if start and not place.has_stepped_back:
            return replace(place, seen=max(0, place.seen - size), has_stepped_back=True), True
        is_torn = True  # even further back they are not there: they are gone, and who knows what
    if more is True and not rows:
        raise EmptyPageLoop("has_more, and nothing on the page")
    goes_on = len(rows) >= size if more is None else more is True
    place = Place(start + len(rows), names[-OVERLAP:] or place.last, is_torn)
    return place, goes_on


def _making(collection: str, answer: Answer) -> Any:
    def item(name: str, row: dict[str, Any]) -> Item:
        return Item(
            collection=collection,
            external_id=name,
            payload=row,
            as_of=moment(row.get("updated_at")) or answer.moment,
            created_at=moment(row.get("created_at")),
        )

    return item


def _complaint(document: dict[str, Any]) -> Complaint:
    error = document.get("error")
    if isinstance(error, dict):
        return Complaint(str(error.get("code") or ""), str(error.get("message") or ""))
    return Complaint(str(document.get("code") or ""), str(error or document.get("message") or ""))
