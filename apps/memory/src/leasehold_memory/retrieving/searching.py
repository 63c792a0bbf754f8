"""One question on one state of the file: its vector is compared once, for whatever is wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from leasehold_memory.data.matrix import Scores
from leasehold_memory.data.text_ranking import search, terms_of
from leasehold_memory.retrieving.fusing import fuse
from leasehold_memory.retrieving.hits import Hit, Why
from leasehold_memory.retrieving.reading import read_hits
from leasehold_memory.retrieving.wanting import Wanted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from leasehold_memory.opening import Memory

_DEPTH = 50  # of each order, and more where more is wanted
_WIDER = 8  # times as many are looked at when many of them may not be shown
_WIDEST = 10_000


class Search:
    """What a file says to a question."""

    def __init__(
        self,
        memory: Memory,
        connection: Connection,
        text: str,
        vector: NDArray[np.float32] | None,
    ) -> None:
        self._connection = connection
        self._terms = terms_of(text)
        self._weight = memory.embedder.weight
        self._scores: Scores | None = None
        if vector is not None:
            self._scores = memory.vectors.compare(connection, vector)

    def hits(self, wanted: Wanted, limit: int) -> list[Hit]:
        """Return the best that is wanted."""
        words, near = self._words(wanted, limit), self._near(wanted, limit)
        fused = fuse([(1.0, words), (self._weight, near)])[:limit]
        if not fused:
            return []
        led = {Why.WORDS: set(words), Why.MEANING: set(near)}
        return read_hits(self._connection, fused, led)

    def _words(self, wanted: Wanted, limit: int) -> list[int]:
        def look(many: int) -> list[int]:
            return search(self._connection, self._terms, kinds=wanted.kinds, limit=many)

        return self._enough(look, wanted, limit)

    def _near(self, wanted: Wanted, limit: int) -> list[int]:
        if (scores := self._scores) is None:
            return []
        return self._enough(lambda many: scores.best(many, wanted.kinds), wanted, limit)

    def _enough(self, look: Callable[[int], list[int]], wanted: Wanted, limit: int) -> list[int]:
        """Look at more, as long as too many of those found may not be shown."""
        depth = max(_DEPTH, 2 * limit)
        many = depth + depth // 2
        while True:
            found = look(many)
            shown = wanted.among(self._connection, found)
            if len(shown) >= depth or len(found) < many or many >= _WIDEST:
                return shown[:depth]
            many = min(many * _WIDER, _WIDEST)
