"""The batches of one tenant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from leasehold.errors import IdConflict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.batches import BatchFilter, BatchInfo, BatchStatus, Followed, NewBatch
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from leasehold.store.tenants.stamping import Stamp


class TenantBatches:
    """As with jobs: look whose it is, then act."""

    _stamp: Stamp

    @property
    def _inner(self) -> Store:
        raise NotImplementedError

    def _own(self, job_ids: Sequence[JobId]) -> list[JobId]:
        raise NotImplementedError

    def _own_batches(self, batch_ids: Sequence[JobId]) -> list[JobId]:
        owners = self._inner.batch_owners(batch_ids) if batch_ids else {}
        return [each for each in batch_ids if owners.get(each) == self._stamp.tenant]

    def batch_owners(self, batch_ids: Sequence[JobId]) -> dict[JobId, str]:
        return dict.fromkeys(self._own_batches(batch_ids), self._stamp.tenant)

    def create_batch(self, batch: NewBatch) -> None:
        self._inner.create_batch(self._stamp.batch(batch))
        if not self._own_batches([batch.id]):
            raise IdConflict([batch.id])  # nothing was made: another tenant has that id

    def get_batch(self, batch_id: JobId) -> BatchInfo | None:
        return self._inner.get_batch(batch_id) if self._own_batches([batch_id]) else None

    def find_batches(
        self, where: BatchFilter, *, before: JobId | None, limit: int
    ) -> list[BatchInfo]:
        own = structs.replace(where, tenant=self._stamp.check(where.tenant))
        return self._inner.find_batches(own, before=before, limit=limit)

    def seal_batch(self, batch_id: JobId) -> BatchStatus | None:
        return self._inner.seal_batch(batch_id) if self._own_batches([batch_id]) else None

    def cancel_batch(self, batch_id: JobId, *, by: str | None) -> list[JobId] | None:
        return self._inner.cancel_batch(batch_id, by=by) if self._own_batches([batch_id]) else None

    def live_members(self, batches: Sequence[JobId], *, limit: int) -> list[JobId]:
        return self._own(self._inner.live_members(self._own_batches(batches), limit=limit))

    def reopen_batch(self, batch_id: JobId) -> BatchStatus | None:
        return self._inner.reopen_batch(batch_id) if self._own_batches([batch_id]) else None

    def follow_up(self, ended: Sequence[JobId]) -> Followed:
        return self._inner.follow_up(self._own(ended))

    def follow_batches(self, batches: Sequence[JobId]) -> Followed:
        return self._inner.follow_batches(self._own_batches(batches))
