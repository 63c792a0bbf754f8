"""The handlers of the campaign: half of them async, most with an effect in their transaction.

A deaf one goes on writing although it was told that its lease is gone: that must be refused. And it
takes its time when it runs again, so that a late write finds the lease of another to break.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from typing import TYPE_CHECKING, Any

import leasehold as lh

if TYPE_CHECKING:
    from leasehold.worker.running_job import RunningJob

RETRY = lh.fixed("0.2s")
AGAIN_SECONDS = 0.2
# The effects that a job's transaction writes. No unique key: a doubled one must be able to show.
EFFECT_TABLE = "CREATE TABLE effect (job_id text NOT NULL, attempt integer NOT NULL)"
_EFFECT = "INSERT INTO effect (job_id, attempt) VALUES "
_EFFECT_POSTGRES = _EFFECT + "(%s, %s)"
_EFFECT_SQLITE = _EFFECT + "(?, ?)"
_logger = logging.getLogger("faults.tasks")


class UnluckyError(Exception):
    """A failure on purpose."""


def record(connection: Any, job: RunningJob) -> None:
    """Write the job's effect."""
    sql = _EFFECT_SQLITE if isinstance(connection, sqlite3.Connection) else _EFFECT_POSTGRES
    connection.execute(sql, (str(job.id), job.attempt))


async def record_async(connection: Any, job: RunningJob) -> None:
    if isinstance(connection, sqlite3.Connection):
        record(connection, job)
    else:
        await connection.execute(_EFFECT_POSTGRES, (str(job.id), job.attempt))


def fail_at_first(job: RunningJob, failures: int) -> None:
    if job.failures < failures:
        raise UnluckyError(f"failure {job.failures + 1} of {failures}")


def pause_seconds(job: RunningJob, pause_ms: int, *, is_deaf: bool) -> float:
    """How long it takes; more attempts than failures mean that it was taken from a worker."""
    return AGAIN_SECONDS if is_deaf and job.attempt > job.failures + 1 else pause_ms / 1000


def pause(job: RunningJob, pause_ms: int, *, is_deaf: bool) -> None:
    try:
        time.sleep(pause_seconds(job, pause_ms, is_deaf=is_deaf))
    except lh.Interrupted:
        if not is_deaf:
            raise


async def pause_async(job: RunningJob, pause_ms: int, *, is_deaf: bool) -> None:
    try:
        await asyncio.sleep(pause_seconds(job, pause_ms, is_deaf=is_deaf))
    except asyncio.CancelledError:
        if not is_deaf:
            raise


@lh.task(name="pay", retry=RETRY, timeout="60s")
def pay(pause_ms: int, inside_ms: int, failures: int, is_deaf: bool) -> None:  # noqa: FBT001
    job = lh.current_job()
    pause(job, pause_ms, is_deaf=is_deaf)
    try:
        with job.transaction() as connection:
            record(connection, job)
            time.sleep(inside_ms / 1000)
            fail_at_first(job, failures)  # after its write, which must vanish
    except lh.LeaseLost:
        _logger.warning("late write refused", extra={"job": str(job.id)})
        raise


@lh.task(name="pay_async", retry=RETRY, timeout="60s")
async def pay_async(pause_ms: int, inside_ms: int, failures: int, is_deaf: bool) -> None:  # noqa: FBT001
    job = lh.current_job()
    await pause_async(job, pause_ms, is_deaf=is_deaf)
    try:
        async with job.transaction() as connection:
            await record_async(connection, job)
            await asyncio.sleep(inside_ms / 1000)
            fail_at_first(job, failures)
    except lh.LeaseLost:
        _logger.warning("late write refused", extra={"job": str(job.id)})
        raise


@lh.task(name="plain", retry=RETRY, timeout="60s")
def plain(pause_ms: int, failures: int, is_deaf: bool) -> int:  # noqa: FBT001
    """Returns which attempt it was: the one that succeeded must have been allowed to."""
    job = lh.current_job()
    pause(job, pause_ms, is_deaf=is_deaf)
    fail_at_first(job, failures)
    return job.attempt


@lh.task(name="plain_async", retry=RETRY, timeout="60s")
async def plain_async(pause_ms: int, failures: int, is_deaf: bool) -> int:  # noqa: FBT001
    job = lh.current_job()
    await pause_async(job, pause_ms, is_deaf=is_deaf)
    fail_at_first(job, failures)
    return job.attempt


@lh.task(name="nap", retry=RETRY, timeout="60s")
async def nap(pause_ms: int) -> None:
    """Asks to come back later at its first attempt."""
    job = lh.current_job()
    await asyncio.sleep(pause_ms / 1000)
    if job.attempt == 1:
        raise lh.Snooze("0.1s")
    async with job.transaction() as connection:
        await record_async(connection, job)
