"""Enqueues jobs with keys, and looks who has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from leasehold.model.keys import Mode, Standing, Unique, Verdict
from tests.conformance.kit import claim, look, new_job, settle

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.keys import KeyInfo
    from leasehold.model.values import Claim, NewJob
    from leasehold.store.base import Store

KEY = "sync:shop"
SKIP, REPLACE, DEBOUNCE, LATEST = Mode.SKIP, Mode.REPLACE, Mode.DEBOUNCE, Mode.LATEST


class Asked(NamedTuple):
    """A job that was asked for; `answer` is None when it was simply written."""

    id: JobId
    answer: Standing | None

    @property
    def verdict(self) -> Verdict | None:
        return None if self.answer is None else self.answer.verdict

    @property
    def standing(self) -> JobId:
        return self.id if self.answer is None else self.answer.id


def keyed_job(mode: Mode = SKIP, *, key: str = KEY, **options: Any) -> NewJob:
    """Make a job with a key; words about the key are told from the job's own."""
    words = {name: options.pop(name) for name in list(options) if name in _WORDS}
    if mode == DEBOUNCE:
        options.setdefault("delay_seconds", 5.0)
    return new_job(unique=Unique(key=key, mode=mode.value, **words), **options)


_WORDS = {"ever", "period_seconds", "cooldown_seconds", "max_wait_seconds"}


def ask(store: Store, mode: Mode = SKIP, **options: Any) -> Asked:
    """Enqueue a job with a key."""
    job = keyed_job(mode, **options)
    return Asked(job.id, store.enqueue([job]).get(job.id))


def start(store: Store, mode: Mode = SKIP, **options: Any) -> Claim:
    """Enqueue a job with a key and claim it."""
    asked = ask(store, mode, **options)
    assert asked.answer is None, asked
    (taken,) = claim(store)
    assert taken.job_id == asked.id
    return taken


def succeed(store: Store, taken: Claim) -> None:
    settle(store, taken, "succeeded")


def run_one(store: Store, mode: Mode = SKIP, **options: Any) -> JobId:
    """Enqueue a job with a key and let it succeed."""
    taken = start(store, mode, **options)
    succeed(store, taken)
    return taken.job_id


def hand_over(store: Store) -> int:
    return store.hand_over(limit=100)


def key_of(store: Store, key: str = KEY, tenant: str = "") -> KeyInfo:
    found = store.key(key, tenant=tenant)
    assert found is not None, f"no key {key}"
    return found


def error_of(store: Store, job_id: JobId) -> str:
    return look(store, job_id).error or ""
