"""What a store can do for jobs that wait for others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leasehold.model.batches import NewBatch
from leasehold.model.ids import JobId
from leasehold.model.needs import Predecessor, Released
from leasehold.model.values import NewJob


class NeedsStore(Protocol):
    """Each method is one atomic operation. What follows from an end comes after its commit."""

    def release_dependents(self, ended: Sequence[JobId]) -> Released:
        """Let jobs go that waited for these, which have ended, and end those that wait in vain.

        What it ended has dependents, too: call it again with them. It waits for nobody; what
        somebody else is moving is left to the next sweep.
        """

    def sweep_dependents(self, *, limit: int) -> Released:
        """Do the same for jobs that nobody has looked at: the newest, and a page of all others.

        Where there are more than `limit`, the next call goes on with the next page.
        """

    def start_batch(self, batch: NewBatch, jobs: Sequence[NewJob]) -> None:
        """Write a batch and its members, all or none, sealed, and wake workers.

        The same batch with the same jobs again is the same.
        """

    def predecessors(self, job_id: JobId) -> list[Predecessor]:
        """List the jobs that this one was made to wait for, in the order they were named."""

    def dependents(self, job_id: JobId, *, limit: int = 50) -> list[JobId]:
        """List jobs that were made to wait for this one, the first by their ids."""
