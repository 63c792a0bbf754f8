"""Texts become vectors of length one: by the vectors that come with this package, or over HTTP."""

from leasehold_memory.embedding.choosing import embedder_of
from leasehold_memory.embedding.http import HttpEmbedder
from leasehold_memory.embedding.interface import Embedder, Matrix
from leasehold_memory.embedding.local import LocalEmbedder

__all__ = ["Embedder", "HttpEmbedder", "LocalEmbedder", "Matrix", "embedder_of"]
