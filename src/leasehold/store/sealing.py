"""The last step before jobs are written: what is to be encrypted leaves this process so.

Every way to write jobs goes through here, so that none can forget it. The keys are the store's.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from leasehold.errors import BadOption, NoKeyring
from leasehold.model.envelopes import is_sealed, key_in, read_value
from leasehold.sealing.seals import ARGUMENTS, job_seal, schedule_seal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.schedules import Firing, NewSchedule
    from leasehold.model.values import NewJob
    from leasehold.sealing.keyring import Keyring
    from leasehold.store.base import Store

_is_asked = attrgetter("encrypted")
# Equal bytes for equal arguments: what code declares is compared with what stands there.
_encode = msgspec.json.Encoder(order="deterministic").encode


class Sealing:
    """The part of a store that has the keys."""

    keyring: Keyring | None = None

    def _sealed(self, jobs: Sequence[NewJob]) -> Sequence[NewJob]:
        """Encrypt the arguments of those jobs that ask for it, or whose tenant does."""
        keyring = self.keyring
        if len(jobs) == 1 and keyring is None and not jobs[0].encrypted:
            return jobs  # most often
        tenants = frozenset() if keyring is None else keyring.tenants
        if not tenants and not any(map(_is_asked, jobs)):
            return jobs
        return [
            seal_job(job, keyring) if job.encrypted or job.tenant in tenants else job
            for job in jobs
        ]

    def _sealed_firing(self, firing: Firing) -> Firing:
        """Do the same for the jobs of a schedule's slots."""
        sealed = self._sealed(firing.jobs)
        return firing if sealed is firing.jobs else structs.replace(firing, jobs=list(sealed))


def seal_schedule(schedule: NewSchedule, keyring: Keyring | None) -> NewSchedule:
    """Encrypt the arguments that a schedule holds, where its jobs are encrypted."""
    args = schedule.job["args"]
    is_asked = schedule.job.get("encrypted") or (keyring and schedule.tenant in keyring.tenants)
    if not is_asked or read_value(args) is not None:
        return schedule
    seal = schedule_seal(keyring, schedule.name, schedule.tenant)
    sealed = seal.seal_json(ARGUMENTS, _encode(args), repeats=True)
    job = schedule.job | {"args": msgspec.json.decode(sealed), "encrypted": True}
    return structs.replace(schedule, job=job)


def seal_as_before(
    store: Store, jobs: Sequence[NewJob], tenant: str | None
) -> Sequence[NewJob] | None:
    """Encrypt those that stand there already with the key of then: so the same ones are the same.

    None when that would change nothing. `tenant` is whose they all are, where that is known.
    """
    keyring = store.keyring
    if keyring is None:
        return None
    found = {job.id: _key_of(store, job) for job in jobs if job.encrypted}
    known = {job_id: key for job_id, key in found.items() if key in keyring.document.keys}
    if not known:
        return None
    return [
        seal_job(structs.replace(job, tenant=tenant or job.tenant), keyring, key=known[job.id])
        if job.id in known
        else job
        for job in jobs
    ]


def _key_of(store: Store, job: NewJob) -> str | None:
    standing = store.get(job.id)
    return None if standing is None else key_in(standing.args)


def seal_job(job: NewJob, keyring: Keyring | None, *, key: str | None = None) -> NewJob:
    """Encrypt a job's arguments, with the key of now or with another one."""
    if keyring is None:
        raise NoKeyring
    if is_sealed(bytes(job.args)):
        return job
    if job.shows:
        raise BadOption(
            f"job of {job.kind!r}: it is to be encrypted, and its throttle or share, made of its "
            "arguments, would show them; name it at the call: with_options(throttle=…)"
        )
    seal = job_seal(keyring, job.id, job.tenant)
    args = seal.seal_json(ARGUMENTS, bytes(job.args), repeats=True, key=key)
    changes = {"args": msgspec.Raw(args), "encrypted": False}
    if job.unique is not None and job.unique.is_of_arguments:
        # Whoever has the keys makes the same name of the same arguments, and nobody else can.
        hidden = f"{job.kind}#{keyring.hash(job.unique.key)}"
        changes["unique"] = structs.replace(job.unique, key=hidden, is_of_arguments=False)
    return structs.replace(job, **changes)
