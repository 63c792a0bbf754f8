"""What a store can do for jobs that go on where they were: checkpoints, progress, steps."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from leasehold.model.ids import JobId, WorkerId
from leasehold.model.saving import Checkpoint, Save, Step

if TYPE_CHECKING:
    from leasehold.store.base import Rows, Statement

Saves: TypeAlias = Callable[[], Sequence[Save]]  # asked for last, when all of it is known
SaveScript: TypeAlias = "Generator[Statement, Rows, None]"


def nothing_saved() -> Sequence[Save]:
    """For transactions in which nothing is saved."""
    return ()


class SavingStore(Protocol):
    """Each method is one atomic operation, and each write is fenced by the lease."""

    def save(self, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        """Write them, one after the other; False for those whose lease does not stand.

        `StoreBusy` when a caller's open transaction has saved for one of these jobs.
        """

    def save_script(
        self, worker: WorkerId, saves: Sequence[Save], *, lease_seconds: float
    ) -> SaveScript:
        """Do the same on a caller's connection, in its transaction; `LeaseLost` for any refused.

        From then on the lease can't be taken back before the transaction ends. On PostgreSQL one
        that does nothing for as long as the lease is rolled back.
        """

    def saving(
        self, worker: WorkerId, saves: Saves, *, lease_seconds: float, tenant: str = ""
    ) -> AbstractContextManager[Any]:
        """Open a transaction that saves with the caller's writes, or rolls both back.

        Yields the driver's connection. The attempt goes on after it. `LeaseLost` when the lease
        does not stand any more at its end.
        """

    def async_saving(
        self, worker: WorkerId, saves: Saves, *, lease_seconds: float, tenant: str = ""
    ) -> AbstractAsyncContextManager[Any]:
        """Do the same for an async handler (on SQLite it yields the blocking connection)."""

    def checkpoint(self, job_id: JobId) -> Checkpoint | None:
        """Return what the job has saved last, None when it has saved nothing."""

    def steps(self, job_id: JobId) -> list[Step]:
        """List the steps that the job remembers, oldest first."""
