"""Checkpoints, progress and the memory of steps: `leasehold.save` does it, behind the fence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.saving import Checkpoint, Step
from leasehold.store.base import Statement
from leasehold.store.postgres.transaction import (
    Ending,
    async_ending_transaction,
    ending_transaction,
)
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.saving import Save
    from leasehold.store.contract.saving import Saves, SaveScript
    from leasehold.store.postgres.async_pool import AsyncPool
    from leasehold.store.postgres.bounds import Bounds
    from leasehold.store.postgres.connection import AsyncConnection, Connection, Lender

PACKAGE = "leasehold.store.postgres"

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class Saving:
    """The part of the store that running jobs save with."""

    skew_seconds: float
    _pool: Lender
    _async_pool: AsyncPool
    _bounds: Bounds

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def save(self, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        if not saves:
            return []
        ((stands,),) = self._run(load(PACKAGE, "save"), **self._named(worker, saves))
        return list(stands)

    def save_script(
        self, worker: WorkerId, saves: Sequence[Save], *, lease_seconds: float
    ) -> SaveScript:
        named = self._named(worker, saves) | {"idle_seconds": lease_seconds}
        yield Statement(load(PACKAGE, "save_standing"), named)

    def saving(
        self, worker: WorkerId, saves: Saves, *, lease_seconds: float, tenant: str = ""
    ) -> AbstractContextManager[Connection]:
        ending = Ending(worker, None, saves, lease_seconds, self.skew_seconds, tenant=tenant)
        return ending_transaction(self._pool, self._bounds, ending)

    def async_saving(
        self, worker: WorkerId, saves: Saves, *, lease_seconds: float, tenant: str = ""
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        ending = Ending(worker, None, saves, lease_seconds, self.skew_seconds, tenant=tenant)
        return async_ending_transaction(self._async_pool, self._bounds, ending)

    def checkpoint(self, job_id: JobId) -> Checkpoint | None:
        for cursor, done, total, note, saved_at in self._run(
            load(PACKAGE, "checkpoint"), job_id=job_id
        ):
            return Checkpoint(
                cursor=_read(cursor), done=done, total=total, note=note, saved_at=saved_at
            )
        return None

    def steps(self, job_id: JobId) -> list[Step]:
        found = self._run(load(PACKAGE, "steps"), job_id=job_id)
        return [
            Step(name=name, result=_read(result), done_at=done_at)
            for name, result, done_at in found
        ]

    def _named(self, worker: WorkerId, saves: Sequence[Save]) -> dict[str, Any]:
        return {
            "saves": _encode(saves).decode(),
            "worker": worker,
            "skew_seconds": self.skew_seconds,
        }


def _read(text: str | None) -> Any:
    return None if text is None else _decode(text)
