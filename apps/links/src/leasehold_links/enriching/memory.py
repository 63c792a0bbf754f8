"""The rules of sites, read once and kept while a process fetches from them."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from leasehold_links.model.outcomes import Verdict
from leasehold_links.pages.robots import Rules

MOST_CHARACTERS = 8_000_000  # of all rules together
UNREACHABLE_SECONDS = 240.0  # less than until a link that failed is tried again


class _Kept(NamedTuple):
    rules: Rules | Verdict  # or why they could not be had
    until: float
    size: int


class RulesMemory:
    """Forgets what is old, and what was not asked for longest once it holds too much."""

    def __init__(
        self,
        most_characters: int = MOST_CHARACTERS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most_characters
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._size = 0

    def get(self, origin: str) -> Rules | None:
        """Return the rules of a site; None when they are not known, or could not be had."""
        kept = self._find(origin)
        return kept.rules if kept is not None and isinstance(kept.rules, Rules) else None

    def why_unreachable(self, origin: str) -> Verdict | None:
        """Say what came of it when they were asked for a moment ago, in vain."""
        kept = self._find(origin)
        return kept.rules if kept is not None and isinstance(kept.rules, Verdict) else None

    def keep(self, origin: str, rules: Rules | Verdict, seconds: float) -> None:
        self._drop(origin)
        size = len(origin) + (rules.size if isinstance(rules, Rules) else 0)
        self._kept[origin] = _Kept(rules, self._clock() + seconds, size)
        self._size += size
        while self._size > self._most and len(self._kept) > 1:
            self._drop(next(iter(self._kept)))

    def _find(self, origin: str) -> _Kept | None:
        kept = self._kept.get(origin)
        if kept is None:
            return None
        if kept.until <= self._clock():
            self._drop(origin)
            return None
        self._kept.move_to_end(origin)
        return kept

    def _drop(self, origin: str) -> None:
        kept = self._kept.pop(origin, None)
        self._size -= 0 if kept is None else kept.size
