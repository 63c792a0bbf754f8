"""Looks for units by meaning and by words, and fuses what both find."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import TYPE_CHECKING

from leasehold_memory.errors import BadEmbedding, EmbedderLost, ModelFailed
from leasehold_memory.retrieving.hits import Hit
from leasehold_memory.retrieving.searching import Search
from leasehold_memory.retrieving.wanting import Wanted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from leasehold_memory.model.units import UnitKind
    from leasehold_memory.opening import Memory

logger = logging.getLogger(__name__)

_PATIENCE_SECONDS = 3.0  # of a question: who chats waits for it, and words find the most


def retrieve(
    memory: Memory,
    text: str,
    *,
    limit: int = 10,
    kinds: Collection[UnitKind] = (),
    may_be_secret: bool = False,
    is_current: bool = False,
) -> list[Hit]:
    """Return what is nearest to a text and what shares words with it, the best first.

    Of no `kinds` means of all. `is_current` leaves out facts that hold no more and closed loops.
    While the embedder can't be asked, words alone decide.
    """
    wanted = Wanted(kinds=kinds, may_be_secret=may_be_secret, is_current=is_current)
    vector = vector_of(memory, text)
    with memory.database.read() as connection:
        return Search(memory, connection, text, vector).hits(wanted, limit)


def vector_of(memory: Memory, text: str) -> NDArray[np.float32] | None:
    """Embed a question; None when that can't be done now, which no chat should wait for.

    Where there is nothing to compare it with, nobody is asked: a first chat begins at once.
    """
    if not text.strip() or memory.vectors.is_empty(memory.database):
        return None
    try:
        vector: NDArray[np.float32] = memory.embedder.embed([text], seconds=_PATIENCE_SECONDS)[0]
    except (ModelFailed, BadEmbedding, EmbedderLost) as error:
        logger.warning("question not embedded", extra={"error": type(error).__name__})
        return None
    return vector
