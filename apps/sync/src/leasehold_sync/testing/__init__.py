"""For who writes a connector: what it must keep, as tests to inherit."""

from __future__ import annotations

from leasehold_sync.testing.conformance import ConnectorConformance
from leasehold_sync.testing.sources import Source

__all__ = ["ConnectorConformance", "Source"]
