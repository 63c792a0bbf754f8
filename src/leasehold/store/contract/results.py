"""What a store can say to those who wait for jobs to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from leasehold.model.ids import JobId
from leasehold.model.results import Ended


class ResultStore(Protocol):
    """Reads only."""

    def ended(self, job_ids: Sequence[JobId]) -> Mapping[JobId, Ended | None]:
        """Say what these jobs came to, at one moment: None for no such job. Live ones are left out.

        One statement however many they are, so that all who wait can ask as one.
        """
