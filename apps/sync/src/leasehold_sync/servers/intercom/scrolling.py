"""The scroll of companies: one at a time, only forward, dead after a minute without a request."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

import msgspec

from leasehold.kit.servers import Refused, take
from leasehold_sync.servers.intercom import asking

if TYPE_CHECKING:
    from leasehold.kit.servers.clock import Clock
    from leasehold_sync.servers.rows import Rows

LASTS_SECONDS = 60.0
PAGE = 100


class Scroll:
    """What is open, if anything: it shows what was there when it began."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._param = ""
        self._used = 0.0
        self._next = 0
        self._last = 0

    def page(self, rows: Rows, param: str | None) -> bytes:
        """Open one, or go on with it. The page after the last one is empty, and ends it."""
        if param is None:
            self._open(rows)
        elif not self._is_open or param != self._param:
            raise Refused(asking.error(404, "not_found", "scroll parameter not found"))
        self._used = self._clock.now()
        numbers, _ = take(rows.oldest_first(self._next, self._last), PAGE)
        self._next = numbers[-1] + 1 if numbers else self._next
        shown = self._shown(rows.page(numbers))
        if not numbers:
            self._param = ""
        return shown

    @property
    def _is_open(self) -> bool:
        return bool(self._param) and self._clock.now() - self._used < LASTS_SECONDS

    def _open(self, rows: Rows) -> None:
        if self._is_open:
            message = "scroll already exists for this workspace"
            raise Refused(asking.error(400, "scroll_exists", message))
        self._param = str(uuid.uuid4())
        self._next, self._last = 1, rows.last

    def _shown(self, data: bytes) -> bytes:
        tail = {"type": "list", "pages": None, "total_count": None, "scroll_param": self._param}
        return b'{"data":%b,%b' % (data, msgspec.json.encode(tail)[1:])
