"""What a store can do for jobs that belong together: batches, callbacks, dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leasehold.model.batches import BatchFilter, BatchInfo, BatchStatus, Followed, NewBatch
from leasehold.model.ids import JobId


class BatchStore(Protocol):
    """Each method is one atomic operation. What follows from an end comes after its commit."""

    def create_batch(self, batch: NewBatch) -> None:
        """Write a batch; the same id again is the same batch.

        `BatchNotFound` or `BatchSealed` when it may not be added to its parent.
        """

    def get_batch(self, batch_id: JobId) -> BatchInfo | None: ...

    def find_batches(
        self, where: BatchFilter, *, before: JobId | None, limit: int
    ) -> list[BatchInfo]:
        """List batches, newest first, with ids below `before`."""

    def seal_batch(self, batch_id: JobId) -> BatchStatus | None:
        """Let nobody add to it any more but its running members; None when there is none.

        It waits for open transactions that have added to it, and is `BatchBusy` after a while.
        """

    def cancel_batch(self, batch_id: JobId, *, by: str | None) -> list[JobId] | None:
        """Let nobody add to it, nor to those nested in it, and name them; None: no such batch.

        One that has ended stays as it is. Its members are to be cancelled then: `live_members`.
        """

    def live_members(self, batches: Sequence[JobId], *, limit: int) -> list[JobId]:
        """List members that have not ended and were not told to stop."""

    def reopen_batch(self, batch_id: JobId) -> BatchStatus | None:
        """Begin another round of a batch that has ended: it is open, and ends once more."""

    def follow_up(self, ended: Sequence[JobId]) -> Followed:
        """Do what follows from the end of these jobs, which is committed: end their batches.

        Each batch ends once, with one callback, after its last member.
        """

    def follow_batches(self, batches: Sequence[JobId]) -> Followed:
        """End these batches, if they are sealed and nothing in them is alive."""

    def sweep(self, *, after: JobId | None, limit: int, is_thorough: bool) -> Followed:
        """Do the same for what nobody has followed up, for so many batches with greater ids.

        A thorough one also looks for dead members that were not noticed. Names those that were
        cancelled and are not over: whoever did that may not have lived to cancel all members.
        """
