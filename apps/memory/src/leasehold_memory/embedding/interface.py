"""What every embedder does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float32]


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

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return a row of length one for each text; `BadEmbedding` if there is none for one."""
        ...

    def close(self) -> None:
        """Give back what it holds; safe twice. It may be asked again."""
        ...
