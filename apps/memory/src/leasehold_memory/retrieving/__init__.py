"""Finds what a memory holds about a text, and packs it for a model: no model is asked.

hits = retrieve(memory, "what does Emma like?")
told = pack(memory, "what does Emma like?", budget_tokens=1500).text
"""

from leasehold_memory.retrieving.finding import retrieve
from leasehold_memory.retrieving.hits import Hit, Why
from leasehold_memory.retrieving.packing import Pack, Section, pack

__all__ = ["Hit", "Pack", "Section", "Why", "pack", "retrieve"]
