"""Fetches links politely: block lists and robots.txt before each hop, one domain at a time."""

from leasehold_links.enriching.enricher import Enricher, enricher_of
from leasehold_links.enriching.fetching import OtherTurn

__all__ = ["Enricher", "OtherTurn", "enricher_of"]
