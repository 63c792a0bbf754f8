"""Keeps what a job of this worker saves, through its saver or on a caller's connection."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from leasehold.errors import BadCheckpoint
from leasehold.payload import refuse_secrets
from leasehold.store.callers import save_on, save_on_async
from leasehold.store.shield import shielded

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId
    from leasehold.model.saving import Save
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.saver import Saver


class LocalKeeper:
    """For a job in a thread or on the loop of its worker; a child's parent has one too."""

    def __init__(self, attempt: Attempt, store: Store, worker: WorkerId, saver: Saver) -> None:
        self._attempt = attempt
        self._store = store
        self._worker = worker
        self._saver = saver

    def seal(self, save: Save) -> Save:
        """Encrypt what an encrypted job saves; a plain one may save no `Secret`."""
        seal = self._attempt.seal
        if seal is not None:
            return seal.save(save)
        for name, text in (("cursor", save.cursor), ("result", save.result)):
            if text is not None:
                refuse_secrets(text.encode(), root=name, refuse=self._refuse)
        return save

    def _refuse(self, reason: str) -> BadCheckpoint:
        return BadCheckpoint(self._attempt.claim.kind, reason)

    def unseal(self, save: Save) -> Save:
        """Read again what was sealed and is not written yet."""
        seal = self._attempt.seal
        return save if seal is None else seal.open_save(save)

    def keep(self, save: Save) -> None:
        self._saver.save(self._attempt, self.seal(save))

    async def keep_async(self, save: Save) -> None:
        await asyncio.wrap_future(self._saver.begin(self._attempt, self.seal(save)))

    def keep_on(self, connection: object, save: Save) -> None:
        lease_seconds = self._attempt.claim.lease_seconds
        with shielded():
            sealed = self.seal(save)
            save_on(self._store, connection, self._worker, sealed, lease_seconds=lease_seconds)

    async def keep_on_async(self, connection: object, save: Save) -> None:
        lease_seconds = self._attempt.claim.lease_seconds
        await save_on_async(
            self._store, connection, self._worker, self.seal(save), lease_seconds=lease_seconds
        )

    def note(self, save: Save) -> None:
        self._saver.note(self._attempt, self.seal(save))

    def cursor(self) -> Any:
        found = self._store.checkpoint(self._attempt.claim.job_id)
        seal = self._attempt.seal
        if found is not None and seal is not None:
            found = seal.open_checkpoint(found)
        return None if found is None else found.cursor

    def steps(self) -> dict[str, Any]:
        found = self._store.steps(self._attempt.claim.job_id)
        seal = self._attempt.seal
        if seal is not None:
            found = [seal.open_step(step) for step in found]
        return {step.name: step.result for step in found}
