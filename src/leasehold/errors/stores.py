"""The database behind the queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.errors.root import LeaseholdError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID


class StoreError(LeaseholdError):
    """The database behind the queue; driver errors are chained as `__cause__`."""


class StoreUnavailable(StoreError):
    """The database can't be reached just now. Trying again may help."""


class StoreBusy(StoreError):
    """A lock could not be had in time. Trying again may help."""


class KeyBusy(StoreBusy):
    """A transaction that is still open has enqueued under one of these keys."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = tuple(keys)
        named = ", ".join(map(repr, self.keys))
        super().__init__(
            f"a transaction that is still open has enqueued under one of these keys: {named}; "
            "commit it, or try again"
        )


class BatchBusy(StoreBusy):
    """Transactions that are still open have added to the batch."""

    def __init__(self, batch_id: UUID, holders: Iterable[str] = ()) -> None:
        self.batch_id = batch_id
        self.holders = tuple(holders)
        named = ", ".join(self.holders) or "unknown"
        super().__init__(
            f"batch {batch_id}: a transaction that is still open may have added to it ({named}); "
            "commit it, or try again"
        )


class QuotaBusy(StoreBusy):
    """A transaction that is still open has enqueued for a tenant with quotas."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant
        super().__init__(
            f"a transaction that is still open has enqueued for tenant {tenant!r}, and who has "
            "quotas enqueues one after the other; commit it, or try again"
        )


class StoreFull(StoreError):
    """The database has no space left. Nothing was written."""


class StoreRefused(StoreError):
    """The database can't be used as a queue; the message says why."""


class StoreMoved(StoreRefused):
    """The queue has moved to another database, or is not all here yet; the message says which."""


class SchemaMismatch(StoreError):
    """The tables and this version of leasehold do not fit; the message says what to run."""
