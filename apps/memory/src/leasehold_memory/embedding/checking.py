"""What a vector must be before it is kept: whole, finite, and pointing somewhere."""

from __future__ import annotations

import numpy as np

from leasehold_memory.embedding.interface import Matrix
from leasehold_memory.errors import BadEmbedding

_SMALLEST = 1e-12  # a shorter one points nowhere


def checked(vectors: Matrix, *, count: int, dimension: int) -> Matrix:
    """Return the vectors with length one, or raise `BadEmbedding` for the first bad one."""
    if vectors.shape != (count, dimension):
        raise BadEmbedding("of the wrong size", f"{vectors.shape}, not {(count, dimension)}")
    if not np.isfinite(vectors).all():
        raise BadEmbedding("not a number", "NaN or infinite")
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if (lengths < _SMALLEST).any():
        raise BadEmbedding("zero", "the text has nothing that the model knows")
    return np.ascontiguousarray(vectors / lengths, dtype=np.float32)
