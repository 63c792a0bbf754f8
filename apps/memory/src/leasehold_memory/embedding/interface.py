"""What every embedder does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float32]
PATIENCE_SECONDS: Final = 30.0


class Embedder(Protocol):
    """Makes vectors of texts. Any thread may ask."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def weight(self) -> float:
        """What being near counts beside sharing words, which counts one."""
        ...

    def embed(self, texts: Sequence[str], *, seconds: float = PATIENCE_SECONDS) -> Matrix:
        """Return a row of length one for each text; `BadEmbedding` if there is none for one.

        A server may take so many `seconds` for a batch; a process of ours has a patience of its
        own.
        """
        ...

    def close(self) -> None:
        """Give back what it holds; safe twice. It may be asked again."""
        ...
