"""Checkpoints, progress and the memory of steps: each statement is fenced by the lease."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from functools import partial
from typing import Any

import msgspec

from leasehold.errors import LeaseLost
from leasehold.model.ids import JobId, WorkerId
from leasehold.model.saving import Checkpoint, Save, Step
from leasehold.model.values import Settlement
from leasehold.store.base import Rows, Statement
from leasehold.store.contract.saving import Saves, SaveScript
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.enqueue import run_script, without_checkpoints
from leasehold.store.sqlite.settle import settle_alone
from leasehold.store.sqlite.statements import rows, text
from leasehold.store.sqlite.times import Clock, to_datetime
from leasehold.store.sqlite.transaction import Ending, HandlerTransaction, hold_transaction


class Saving:
    """The part of the store that running jobs save with."""

    _database: Database
    _clock: Clock

    def _handler_transaction(self, lease_seconds: float) -> HandlerTransaction:
        raise NotImplementedError

    def save(self, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        if not saves:
            return []
        with self._database.write() as connection:
            return run_script(connection, save_each(worker, saves, self._clock.now()))

    def save_script(
        self,
        worker: WorkerId,
        saves: Sequence[Save],
        *,
        lease_seconds: float,  # noqa: ARG002 - the write lock is not ours to limit
    ) -> SaveScript:
        return without_checkpoints(save_all(worker, saves, self._clock.now()))

    def saving(
        self,
        worker: WorkerId,
        saves: Saves,
        *,
        lease_seconds: float,
        tenant: str = "",  # noqa: ARG002 - a file has no roles
    ) -> AbstractContextManager[sqlite3.Connection]:
        return hold_transaction(
            self._handler_transaction(lease_seconds), self._saver(worker, saves)
        )

    def async_saving(
        self,
        worker: WorkerId,
        saves: Saves,
        *,
        lease_seconds: float,
        tenant: str = "",  # noqa: ARG002 - a file has no roles
    ) -> AbstractAsyncContextManager[sqlite3.Connection]:
        from leasehold.store.sqlite.async_transaction import hold_transaction_async

        return hold_transaction_async(
            self._handler_transaction(lease_seconds), self._saver(worker, saves)
        )

    def checkpoint(self, job_id: JobId) -> Checkpoint | None:
        with self._database.read() as connection:
            found = rows(connection, "checkpoint", id=str(job_id))
        for cursor, done, total, note, saved_at in found:
            return Checkpoint(
                cursor=_read(cursor),
                done=done,
                total=total,
                note=note,
                saved_at=to_datetime(saved_at),
            )
        return None

    def steps(self, job_id: JobId) -> list[Step]:
        with self._database.read() as connection:
            found = rows(connection, "steps", id=str(job_id))
        return [
            Step(name=name, result=_read(result), done_at=to_datetime(done_at))
            for name, result, done_at in found
        ]

    def _saver(self, worker: WorkerId, saves: Saves) -> Ending:
        return lambda: partial(_save_in, worker, saves())


def save_each(
    worker: WorkerId, saves: Sequence[Save], now: int
) -> Generator[Statement, Rows, list[bool]]:
    """Write them one after the other; says for each whether its lease stands."""
    stands: list[bool] = []
    for save in saves:
        stands += [(yield from _save(worker, save, now))]
    return stands


def save_all(worker: WorkerId, saves: Sequence[Save], now: int) -> SaveScript:
    """Do the same where each of them must stand, else `LeaseLost`."""
    for save in saves:
        if not (yield from _save(worker, save, now)):
            raise LeaseLost(save.job_id)


def _save(worker: WorkerId, save: Save, now: int) -> Generator[Statement, Rows, bool]:
    named = {"id": str(save.job_id), "fence": save.fence, "worker": worker}
    if not save.has_progress and save.step is None:
        return bool((yield Statement(text("save_standing"), named)))
    stands = True
    if save.has_progress:
        units = {"done": save.done, "total": save.total, "note": save.note, "cursor": save.cursor}
        said = {**named, **units, "now": now}
        stands = bool((yield Statement(text("save_checkpoint"), said)))
    if save.step is not None:
        memory = {**named, "step": save.step, "result": save.result, "now": now}
        stands = bool((yield Statement(text("save_step"), memory)))
    return stands


def _save_in(
    worker: WorkerId, saves: Sequence[Save], connection: sqlite3.Connection, now: int
) -> Sequence[str]:
    run_script(connection, save_all(worker, saves, now))
    return ()


def settling(worker: WorkerId, settle: Callable[[], Settlement], saves: Saves) -> Ending:
    """End a handler's transaction with what it saves and with its attempt's settlement."""

    def prepare() -> Callable[[sqlite3.Connection, int], Sequence[str]]:
        said, settlement = saves(), settle()

        def write(connection: sqlite3.Connection, now: int) -> Sequence[str]:
            _save_in(worker, said, connection, now)
            return settle_alone(connection, worker, settlement, now)

        return write

    return prepare


def _read(stored: str | None) -> Any:
    return None if stored is None else msgspec.json.decode(stored)
