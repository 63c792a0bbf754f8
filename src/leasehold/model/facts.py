"""What a store knows of one job at one moment: all that a reason not to run may rest on."""

from __future__ import annotations

from datetime import datetime

import msgspec

from leasehold.model.ids import JobId
from leasehold.model.lanes import USUAL

COUNT_LIMIT = 1_000  # those before a job are counted so far, and no further
LIVING_SECONDS = 45.0  # a worker that was silent for longer counts as gone, here as at a heartbeat

# Where a job can stand: the tables.
READY, WAITING, PARKED = "ready", "waiting", "parked"
SCHEDULED, LEASE, ENDED = "scheduled", "lease", "outcome"


class Halt(msgspec.Struct, frozen=True, kw_only=True):
    """A pause that stands. `until` None: until somebody resumes it."""

    name: str
    until: datetime | None = None
    reason: str | None = None
    by: str | None = None
    tenant: str | None = None  # whose own throttle it is
    is_tenants_word: bool = False  # … and whether the tenant itself has said so


class LaneFacts(msgspec.Struct, frozen=True, kw_only=True):
    """How the job's throttle key stands, to the worker that has the most room for it."""

    key: str
    is_known: bool
    running: int
    room: int
    tenant: str | None = None  # whose own it is
    running_limit: int | None = None
    per_worker: int | None = None
    rate: float | None = None
    burst: float | None = None
    tokens: float | None = None
    pause: Halt | None = None
    jobs: tuple[JobId, ...] = ()  # some of those that run


class FleetFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The living workers: all, those that serve the job's queue, and of these who know its kind."""

    alive: int
    serving: int
    knowing: int
    slots: int  # of those who know it …
    busy: int  # … and how many of these slots are taken
    queues: tuple[str, ...] = ()  # that any of them serves


class NeedsFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The jobs that a job waits for, each with its state, or "gone"."""

    states: tuple[tuple[JobId, str], ...]
    any: bool = False
    even_if_failed: bool = False


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """One job and what stands in its way. `place` is the table it stands in."""

    job_id: JobId
    moment: datetime
    place: str
    state: str
    queue: str
    kind: str
    priority: int
    attempt: int
    failures: int
    lapses: int
    max_attempts: int
    fleet: FleetFacts
    run_at: datetime | None = None
    last_outcome: str | None = None
    finished_at: datetime | None = None
    error: str | None = None
    worker: str | None = None
    claimed_at: datetime | None = None
    lease_until: datetime | None = None
    cancel_requested: bool = False
    cancelled_by: str | None = None
    stage: str = USUAL  # of a job in a lane
    share: str = ""
    cost: float | None = None
    lane: LaneFacts | None = None
    queue_pause: Halt | None = None
    queue_limit: int | None = None  # how many of its queue's jobs may run at once …
    queue_running: int = 0  # … and how many do; counted where there is a limit only
    tenant: str = ""
    tenant_limit: int | None = None  # the same of its tenant's
    tenant_running: int = 0
    before: int = 0  # how many stand before it in its lane or its queue, up to COUNT_LIMIT
    top_priority: int | None = None  # of those before it
    shares: int = 0  # how many other shares wait at its priority, up to COUNT_LIMIT
    key: str | None = None
    behind: JobId | None = None  # the running job of its key
    needs: NeedsFacts | None = None  # of a job that waits for others
    is_for_tenant: bool = False  # told to a tenant: how many of others' wait is not
