"""Forgets a person or a unit, so that no trace is left: rows, words, vectors, jobs and bytes.

An episode that speaks of the person is deleted whole, with what was derived from it: a sentence
without its name may still tell whom it was about. Facts that other episodes speak for, too, stay
with those; summaries that were told from deleted episodes go, and are due again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

import leasehold as lh
from leasehold_memory.data import entities
from leasehold_memory.data.deleting import delete_all, note_erased, pending
from leasehold_memory.data.job_traces import jobs_about
from leasehold_memory.data.reading import row_of
from leasehold_memory.forgetting import tracing
from leasehold_memory.forgetting.erasing import erase
from leasehold_memory.forgetting.withdrawing import withdraw

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.data.deleting import Erasure
    from leasehold_memory.forgetting.memories import Forgetful

PATIENCE_SECONDS = 5.0  # for jobs that were asked to stop
_PAUSE_SECONDS = 0.05
_logger = logging.getLogger(__name__)


class Forgotten(NamedTuple):
    """What is gone. Until it is erased, bytes or running jobs of it are left: see `finish`."""

    units: int
    entities: int
    jobs: int
    is_erased: bool


def forget_person(memory: Forgetful, entity_id: int) -> Forgotten:
    """Delete a person (or topic, place, thing) with every trace; `EntityNotFound` if unknown.

    Found by what is linked to them, and by their names in any version of any unit: see `Naming`.
    Aliases that others have, too, and names of one character do not count.
    """
    with memory.database.read() as connection:
        naming = tracing.naming_of(connection, entity_id)
        seen = tracing.newest_version(connection)
        named = tracing.named_units(connection, naming)
    with memory.database.write() as connection:
        entities.get(connection, entity_id)
        named |= tracing.named_units(connection, naming, after=seen)
        gone = {entity_id, *tracing.named_entities(connection, naming)}
        linked = tracing.linked_units(connection, gone)
        linked |= tracing.told_in(connection, linked)
        forgotten = _delete(connection, named | linked, gone)
    return _finished(memory, forgotten)


def forget_unit(memory: Forgetful, unit_id: int) -> Forgotten:
    """Delete one unit, and of an episode what only it speaks for; `UnitNotFound` if unknown.

    A derived unit comes again when its episodes are derived again.
    """
    with memory.database.write() as connection:
        row_of(connection, unit_id)
        forgotten = _delete(connection, {unit_id}, set())
    return _finished(memory, forgotten)


def finish(memory: Forgetful) -> bool:
    """Do what is left of forgetting, if anything: after a crash, or a job that would not end.

    Cheap when there is nothing, or a job runs still. False when something is left.
    """
    with memory.database.read() as connection:
        left = pending(connection)
    if not left:
        return True
    _, running = _delete_jobs(memory, left)
    return not running and _erase(memory, left)


def _delete(connection: Connection, unit_ids: set[int], entity_ids: set[int]) -> Forgotten:
    gone = tracing.with_retold(connection, unit_ids)
    withdraw(connection, gone)
    delete_all(connection, gone, entity_ids, now=datetime.now(UTC))
    return Forgotten(len(gone), len(entity_ids), 0, is_erased=False)


def _finished(memory: Forgetful, forgotten: Forgotten) -> Forgotten:
    with memory.database.read() as connection:
        left = pending(connection)
    jobs, running = _end_jobs(memory, left)
    # Even while a job runs, which is forgotten when it has ended.
    is_erased = _erase(memory, [] if running else left) and not running
    _logger.info(
        "forgotten",
        extra={"units": forgotten.units, "jobs": jobs, "is_erased": is_erased},
    )
    return forgotten._replace(jobs=jobs, is_erased=is_erased)


def _erase(memory: Forgetful, done: Collection[Erasure]) -> bool:
    is_erased = erase(memory.database)
    if is_erased and done:
        with memory.database.write() as connection:
            note_erased(connection, done)
    return is_erased


def _end_jobs(memory: Forgetful, left: Collection[Erasure]) -> tuple[int, int]:
    """Delete jobs, with some patience for those that run."""
    deleted, running = _delete_jobs(memory, left)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while running and time.monotonic() < deadline:
        time.sleep(_PAUSE_SECONDS)
        more, running = _delete_jobs(memory, left)
        deleted += more
    return deleted, running


def _delete_jobs(memory: Forgetful, left: Collection[Erasure]) -> tuple[int, int]:
    """Delete the jobs about what is gone; returns how many are, and how many run still."""
    with memory.database.browse() as connection:
        jobs = jobs_about(
            connection,
            {each for erasure in left for each in erasure.unit_ids},
            {each for erasure in left for each in erasure.entity_ids},
            {each for erasure in left for each in erasure.job_ids},
        )
    # Nothing that a running one still writes about what is deleted is accepted: `SourceGone`.
    for job_id, is_running in jobs.items():
        if is_running:
            with suppress(lh.JobNotFound):
                memory.client.cancel(job_id)
    gone = memory.client.delete_these(jobs)
    return gone.changed, len(jobs) - gone.changed
