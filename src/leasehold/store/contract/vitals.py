"""What a store says of its own size and waste."""

from __future__ import annotations

from typing import Protocol

from leasehold.model.vitals import Vitals


class VitalsStore(Protocol):
    """For people; reads catalogues, never rows of jobs."""

    def vitals(self) -> Vitals:
        """Say how large it is, and what holds it up."""
