"""What a connector brings back: one page of a source, as plain values.

A connector reads; it decides nothing. What is new, what has changed and what is gone is for the
runner to find out, in the transaction that also keeps the cursor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

import leasehold as lh
from leasehold_sync.model.payloads import read_object


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One kind of object that a source has, and that one task of a sync reads whole."""

    name: str
    #: Collections that come along with it, nested in its objects: a complete scan of the resource
    #: has seen all of theirs, too.
    children: tuple[str, ...] = ()

    @property
    def collections(self) -> tuple[str, ...]:
        """All collections that a complete scan has seen whole, its own first."""
        return (self.name, *self.children)


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One object of a source, as it was at a moment."""

    collection: str
    external_id: str
    #: Plain JSON, without NUL; whole numbers of any size are kept. Or its text as the source wrote
    #: it, which is read only if that is not how it was written the last time.
    payload: dict[str, Any] | msgspec.Raw
    #: When this was true, by the source's word where it gives one (`updated_at`, an event's
    #: moment), else when the page was asked for. A row from a later moment is never overwritten.
    as_of: datetime
    #: When the object was made, if the source says so: `sync_from` is about this moment.
    created_at: datetime | None = None
    #: The source says that it is gone (an event, the trash). The payload is the last it showed.
    is_deleted: bool = False
    #: The version of the API that the payload is written in, where it is not the page's.
    version: str = ""
    #: For a child: the external id of the object that it was nested in.
    parent_id: str | None = None

    def read_payload(self) -> dict[str, Any]:
        """Return the object, however it came."""
        return read_object(self.payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What one call of a connector saw."""

    items: tuple[Item, ...] = ()
    children: tuple[Item, ...] = ()
    #: Give it back to get the next page; None: the scan has ended. Opaque, and never the same
    #: twice in one scan while the scan gets on.
    next_cursor: str | None = None
    #: On the last page: the scan has seen everything there is (of the resource and its children,
    #: made since `sync_from`), so what it did not see is gone. Never so for a scan of changes.
    complete: bool = False
    #: The source would not show more, and there was no way around it.
    capped: bool = False
    #: Objects without an id: they can't be kept, and nothing may be deleted after them.
    nameless: int = 0
    #: The version of the API that the payloads are written in.
    version: str
    #: The source asks for so much patience before the next page (its window is used up).
    rest_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What a connector is told of an app."""

    app_key: str
    #: Shows itself to nobody but the connector's request: never in a repr, log or error.
    credential: lh.Secret[str] = field(default_factory=lambda: lh.Secret(""))
    #: Where the source is; empty for the real one.
    base_url: str = ""
    #: A full scan brings nothing that was made before.
    sync_from: datetime | None = None
    #: The connector's own options, as they stand in the app's table or TOML.
    options: Mapping[str, Any] = field(default_factory=dict)
