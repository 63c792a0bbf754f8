"""Reads papers: what they are, how many pages they have, and the text that is in them."""

from leasehold_documents.extracting.chunking import Chunk, chunks_of
from leasehold_documents.extracting.elements import (
    LANGUAGES,
    STRATEGIES,
    Element,
    Extracted,
    Inspection,
    PageRange,
    Strategy,
)
from leasehold_documents.extracting.engines import Engine, close_engines, engine_of, inspect
from leasehold_documents.extracting.kinds import Kind
from leasehold_documents.extracting.sniffing import sniff

__all__ = [
    "LANGUAGES",
    "STRATEGIES",
    "Chunk",
    "Element",
    "Engine",
    "Extracted",
    "Inspection",
    "Kind",
    "PageRange",
    "Strategy",
    "chunks_of",
    "close_engines",
    "engine_of",
    "inspect",
    "sniff",
]
