"""How far a scan is: what a task keeps as its cursor, so that any process can take it up."""

from __future__ import annotations

from datetime import datetime

import msgspec

from leasehold_sync.model.counts import Counts
from leasehold_sync.model.pages import Page


class Scan(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One way through a resource, from its start; it always begins there."""

    started_at: datetime
    since: datetime | None = None  # None: everything
    cursor: str | None = None
    pages: int = 0
    entities: int = 0
    nameless: int = 0
    is_read: bool = False  # to its end
    is_complete: bool = False  # what it has not seen is gone
    is_capped: bool = False
    is_finished: bool = False  # and what is gone is marked so
    landmark: str | None = None  # an earlier cursor: whoever meets it again goes in circles
    landmark_at: int = 1

    @property
    def until(self) -> datetime | None:
        """Changes are read up to the scan's start: the next one goes on from there."""
        return None if self.since is None else self.started_at

    def is_circling(self, page: Page) -> bool:
        """Whether the source leads back to where we were: to this page, or to the landmark."""
        return page.next_cursor is not None and page.next_cursor in {self.cursor, self.landmark}

    def after(self, page: Page) -> Scan:
        """Go on behind this page.

        The landmark moves on to each page whose number is a power of two, so a circle of any length
        is noticed, and no list of cursors grows with the scan.
        """
        pages = self.pages + 1
        moves = pages >= self.landmark_at
        return msgspec.structs.replace(
            self,
            cursor=page.next_cursor,
            pages=pages,
            nameless=self.nameless + page.nameless,
            is_read=page.next_cursor is None,
            is_complete=page.complete,
            is_capped=self.is_capped or page.capped,
            landmark=page.next_cursor if moves else self.landmark,
            landmark_at=self.landmark_at * 2 if moves else self.landmark_at,
        )

    def counting(self, counts: Counts) -> Scan:
        """Take in what became of the page; what could not be kept is as good as nameless."""
        return msgspec.structs.replace(
            self,
            entities=self.entities + counts.entities,
            nameless=self.nameless + counts.nameless,
        )

    def why_not_delete(self) -> str | None:
        """Say what is missing for what was not seen to be gone; None: it is gone."""
        if not self.is_complete:
            return "the scan read changes only" if self.since else "the scan did not see everything"
        if self.is_capped:
            return "the source would not show everything"
        if self.nameless:
            return f"{self.nameless} objects had no id"
        return None
