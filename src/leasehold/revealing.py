"""Encrypted values for those who read: shown as what they are to people, decrypted for code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import structs

from leasehold.model.envelopes import RAW_MARK, read_value, shown_text, shown_value
from leasehold.model.schedules import NewSchedule
from leasehold.sealing.seals import (
    ARGUMENTS,
    CURSOR,
    ERROR,
    NOTE,
    RESULT,
    STEP,
    TRACEBACK,
    Seal,
    job_seal,
    schedule_seal,
)

if TYPE_CHECKING:
    from leasehold.model.needs import Predecessor
    from leasehold.model.results import Ended
    from leasehold.model.saving import Checkpoint, Step
    from leasehold.model.schedules import ScheduleInfo
    from leasehold.model.values import Attempt, Job
    from leasehold.sealing.keyring import Keyring


Schedule = TypeVar("Schedule", bound=NewSchedule)


# -- for people: that it is encrypted --------------------------------------------------------------
def show_job(job: Job) -> Job:
    """Return the job as people see it."""
    changes = _changed(
        job,
        args=shown_value(job.args),
        result=shown_value(job.result),
        error=shown_text(job.error),
    )
    return structs.replace(job, **changes) if changes else job


def show_attempt(attempt: Attempt) -> Attempt:
    """Return an attempt as people see it."""
    changes = _changed(
        attempt,
        result=shown_value(attempt.result),
        error=shown_text(attempt.error),
        traceback=shown_text(attempt.traceback),
    )
    return structs.replace(attempt, **changes) if changes else attempt


def show_checkpoint(found: Checkpoint) -> Checkpoint:
    """Return what a job has saved as people see it."""
    changes = _changed(found, cursor=shown_value(found.cursor), note=shown_text(found.note))
    return structs.replace(found, **changes) if changes else found


def show_step(step: Step) -> Step:
    """Return a step's memory as people see it."""
    return structs.replace(step, result=shown_value(step.result))


def _changed(value: Any, **shown: Any) -> dict[str, Any]:
    return {name: each for name, each in shown.items() if each is not getattr(value, name)}


def show_schedule(schedule: ScheduleInfo) -> ScheduleInfo:
    """Return a schedule as people see it."""
    args = schedule.job.get("args")
    if read_value(args) is None:
        return schedule
    return structs.replace(schedule, job=schedule.job | {"args": shown_value(args)})


# -- for code: what it says ------------------------------------------------------------------------
def open_job(job: Job, keyring: Keyring | None) -> Job:
    """Decrypt what a job holds: `MissingKey`, or `BadCiphertext` when it was tampered with."""
    seal = job_seal(keyring, job.id, job.tenant)
    return structs.replace(
        job,
        args=open_value(seal, ARGUMENTS, job.args),
        result=open_value(seal, RESULT, job.result),
        error=_open_text(seal, ERROR, job.error),
    )


def open_attempt(attempt: Attempt, seal: Seal) -> Attempt:
    """Decrypt what an ended attempt has left."""
    return structs.replace(
        attempt,
        result=open_value(seal, RESULT, attempt.result),
        error=_open_text(seal, ERROR, attempt.error),
        traceback=_open_text(seal, TRACEBACK, attempt.traceback),
    )


def open_checkpoint(found: Checkpoint, seal: Seal) -> Checkpoint:
    """Decrypt what a job has saved."""
    cursor = open_value(seal, CURSOR, found.cursor)
    return structs.replace(found, cursor=cursor, note=_open_text(seal, NOTE, found.note))


def open_step(step: Step, seal: Seal) -> Step:
    """Decrypt a step's memory."""
    return structs.replace(step, result=open_value(seal, step_field(step.name), step.result))


def open_ended(ended: Ended, keyring: Keyring | None) -> Ended:
    """Decrypt what a job came to, for those who waited for it."""
    raw, error = ended.result, ended.error
    is_plain = raw is None or not bytes(raw).startswith(RAW_MARK)
    if is_plain and shown_text(error) is error:
        return ended
    seal = job_seal(keyring, ended.job_id, ended.tenant)
    if raw is not None:
        opened = seal.open_json(RESULT, bytes(raw))
        raw = msgspec.Raw(opened.encode() if isinstance(opened, str) else opened)
    return structs.replace(ended, result=raw, error=_open_text(seal, ERROR, error))


def open_predecessor(found: Predecessor, keyring: Keyring | None) -> Predecessor:
    """Decrypt what a job came to, for the one that waited for it."""
    if read_value(found.result) is None and shown_text(found.error) is found.error:
        return found
    seal = job_seal(keyring, found.id, found.tenant)
    result = open_value(seal, RESULT, found.result)
    return structs.replace(found, result=result, error=_open_text(seal, ERROR, found.error))


def open_schedule(schedule: Schedule, keyring: Keyring | None) -> Schedule:
    """Decrypt them, to make a job of them."""
    args = schedule.job["args"]
    if read_value(args) is None:
        return schedule
    seal = schedule_seal(keyring, schedule.name, schedule.tenant)
    return structs.replace(schedule, job=schedule.job | {"args": open_value(seal, ARGUMENTS, args)})


def open_value(seal: Seal, field: str, value: Any) -> Any:
    """Decrypt a decoded JSON value, if it is encrypted."""
    if read_value(value) is None:
        return value
    return msgspec.json.decode(seal.open_json(field, msgspec.json.encode(value)))


def step_field(name: str) -> str:
    """Name the place of a step's result: one can't stand for another."""
    return f"{STEP} {name}"


def _open_text(seal: Seal, field: str, text: str | None) -> str | None:
    return None if text is None else seal.open_text(field, text)
