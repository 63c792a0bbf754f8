"""Which embedder a preset means."""

from __future__ import annotations

from leasehold_memory.embedding.http import HttpEmbedder
from leasehold_memory.embedding.interface import Embedder
from leasehold_memory.embedding.local import LocalEmbedder
from leasehold_memory.errors import BadEmbedding
from leasehold_memory.model.presets import EmbeddingPreset, Provider


def embedder_of(preset: EmbeddingPreset) -> Embedder:
    """Make the embedder of a preset; who made it closes it."""
    if preset.provider is Provider.HTTP:
        return HttpEmbedder(preset)
    if preset.dimension != LocalEmbedder.dimension:
        wanted = f"{LocalEmbedder.dimension}, not {preset.dimension}"
        raise BadEmbedding("of the wrong size", f"local vectors have {wanted}")
    return LocalEmbedder()
