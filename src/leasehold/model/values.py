"""The values that cross the store's edge. Structs, because they are made by the thousand.

`gc=False` where a value holds nothing but plain values: the collector need not look at it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from leasehold.model.batches import Adder
from leasehold.model.ids import Fence, JobId, WorkerId
from leasehold.model.keys import Unique
from leasehold.model.needs import Needs
from leasehold.model.states import State

DEFAULT_QUEUE = "default"
DEFAULT_MAX_ATTEMPTS = 5
DEFAULT_TIMEOUT_SECONDS = 3600.0
DEFAULT_LEASE_SECONDS = 60.0
PRIORITY_LIMIT = 32_767


class NewJob(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One job to enqueue. It is encoded as it stands: the field names are the SQL API's.

    A queue, priority, max_attempts or timeout of None is the kind's own, as workers registered it,
    else the default; so are lane, share and cost where the timeout is None.
    """

    id: JobId
    kind: str
    args: msgspec.Raw
    queue: str | None = None
    priority: int | None = None
    max_attempts: int | None = None
    timeout_seconds: float | None = None
    delay_seconds: float | None = None
    run_at: datetime | None = None
    tenant: str = ""
    batch: JobId | None = None
    lane: str | None = None  # its throttle's key; "" with a share only; None is ready at once
    share: str | None = None
    cost: float | None = None  # what it is expected to spend of a rate
    created_by: str | None = None
    unique: Unique | None = None  # its key, and what others of that key mean for it
    needs: Needs | None = None  # the jobs that it waits for
    on_end: msgspec.Raw | None = None  # the job to make when it has ended, without id and args
    adder: Adder | None = None  # the running member of its batch that adds it
    trace: str | None = None  # whose work it is part of: a W3C traceparent
    encrypted: bool = False  # its arguments are to be encrypted; a store does that, and unsets it
    shows: bool = False  # its lane or share is made of its arguments


class Want(msgspec.Struct, frozen=True):
    """A queue to claim from, and how many jobs of it at most. Wants are served in order."""

    queue: str
    limit: int
    least: int | None = None  # the lowest priority wanted
    aging_seconds: float | None = None  # a job gains a point of priority each time it waits so long
    is_limited: bool = False  # whether it has a limit, as far as is known; else it gives nothing


class Only(msgspec.Struct, frozen=True):
    """What a claim is narrowed to; None does not restrict. All other jobs stay where they are."""

    batch: JobId | None = None
    kinds: frozenset[str] | None = None

    def of(self, known: Iterable[str]) -> list[str]:
        """Name those of the known kinds that are wanted."""
        return sorted(set(known) if self.kinds is None else self.kinds.intersection(known))


class Claim(msgspec.Struct, frozen=True, gc=False):
    """A lease just taken: all that running the attempt needs."""

    job_id: JobId
    fence: Fence
    kind: str
    queue: str
    args: str
    attempt: int
    failures: int
    lapses: int
    max_attempts: int
    timeout_seconds: float
    tenant: str
    priority: int
    lease_seconds: float
    place: str = ""  # of its lane; "" when it was ready
    batch: JobId | None = None
    trace: str | None = None  # as its enqueue said
    behind: JobId | None = None  # of the same claim: it runs after that one, in the same slot


class Held(msgspec.Struct, frozen=True, gc=False):
    """A lease that a worker believes it has."""

    job_id: JobId
    fence: Fence
    lease_seconds: float


class Renewal(msgspec.Struct, frozen=True):
    """What renewing found: the lost ones may not write any more, the cancelled ones should stop."""

    lost: frozenset[JobId]
    cancelled: frozenset[JobId]


class Settlement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The end of one attempt, for `finish`.

    `outcome` is one of succeeded, failed, snoozed, released, cancelled, dead. `delay_seconds` or
    `run_at` say when failed and snoozed ones come back. `is_counted` adds one to the failures.
    `elapsed_seconds` is how long the handler ran; None when it never started. `spent` is what it
    used of its throttle's rate, where that is known better than by what the claim reserved.
    """

    job_id: JobId
    fence: Fence
    outcome: str = "succeeded"
    result: msgspec.Raw | None = None
    error: str | None = None
    traceback: str | None = None
    delay_seconds: float | None = None
    run_at: datetime | None = None
    is_counted: bool = False
    elapsed_seconds: float | None = None
    spent: float | None = None


class Promotion(msgspec.Struct, frozen=True):
    """How many scheduled jobs fell due, and in how many seconds the next one will."""

    count: int
    next_seconds: float | None
    in_lanes: int = 0  # how many of them have a throttle or a share


class Survey(msgspec.Struct, frozen=True):
    """Whether there is anything to do for a worker; `due_seconds` until the next scheduled job."""

    ready: bool
    suspects: bool
    parked: bool
    due_seconds: float | None
    lanes: bool = False  # whether any job waits in a lane, open or not, suspects too
    agings: dict[str, float] = {}  # by queue, in seconds
    successors: bool = False  # whether any job waits behind another one of its key
    schedule_seconds: float | None = None  # until the next slot of a schedule; below 0 it is late
    dependents: bool = False  # whether any job waits for others to end
    batches: bool = False  # whether any batch has not ended
    rooms: dict[str, int] = {}  # of queues with a limit: how many more of their jobs may start


class Fleet(msgspec.Struct, frozen=True):
    """The living workers: how many there are, and which of them have room, by queue, in order."""

    workers: int = 1
    with_room: dict[str, list[WorkerId]] = {}


class Lapsed(msgspec.Struct, frozen=True):
    """A lease whose end has passed. `until` is opaque: it tells a renewed lease from this one."""

    job_id: JobId
    fence: Fence
    until: str
    lease_seconds: float
    lapses: int


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A job as people see it; `args` and `result` are decoded JSON."""

    id: JobId
    tenant: str
    queue: str
    kind: str
    args: dict[str, Any]
    state: State
    priority: int
    attempt: int
    failures: int
    lapses: int
    max_attempts: int
    timeout_seconds: float
    run_at: datetime | None
    worker: WorkerId | None
    worker_name: str | None
    claimed_at: datetime | None
    lease_until: datetime | None
    cancel_requested: bool
    batch: JobId | None
    lane: str | None
    share: str | None
    cost: float | None
    started_at: datetime | None
    finished_at: datetime | None
    result: Any
    error: str | None
    created_by: str | None
    created_at: datetime
    key: str | None
    needs: Needs | None = None  # the jobs that it was made to wait for


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One ended attempt out of a job's history."""

    attempt: int
    outcome: str
    fence: Fence | None
    worker: WorkerId | None
    worker_name: str | None
    started_at: datetime | None
    finished_at: datetime
    result: Any
    error: str | None
    traceback: str | None


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Which jobs `find` returns; None does not restrict."""

    state: State | None = None
    queue: str | None = None
    kind: str | None = None
    tenant: str | None = None
    batch: JobId | None = None
    key: str | None = None  # of that tenant; only those that have it, or wait for it

    def admits(self, job: Job) -> bool:
        """Whether it would return this job."""
        wanted = {name: getattr(self, name) for name in self.__struct_fields__}
        return all(value is None or getattr(job, name) == value for name, value in wanted.items())


class TaskPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What the store knows of a kind, so that SQL can enqueue and reclaim without its code."""

    kind: str
    queue: str
    priority: int
    max_attempts: int
    timeout_seconds: float
    dies_on_lapse: bool
    throttle: str | None = None  # a rule, or a rule and its key
    throttle_by: tuple[str, ...] | None = None  # … the key made of these arguments
    share_by: tuple[str, ...] | None = None  # (): the tenant
    cost: float | None = None
    keep_seconds: float | None = None  # after its end, by how it ended; None: as its queue's
    keep_dead_seconds: float | None = None
    keep_cancelled_seconds: float | None = None
    encrypted: bool = False  # so that plain arguments are refused where its code is not known


class WorkerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A worker process as it reports itself."""

    id: WorkerId
    name: str
    queues: tuple[str, ...]
    kinds: tuple[str, ...]
    slots: int
    version: str
    running: int = 0
    started_at: datetime | None = None
    seen_at: datetime | None = None


class QueueCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many live jobs a queue has, by where they stand."""

    queue: str
    ready: int
    blocked: int
    scheduled: int
    failed: int
    running: int
    parked: int


class Connections(msgspec.Struct, frozen=True, kw_only=True):
    """A process's shared connections; `limit` is None where nothing bounds them."""

    in_use: int
    idle: int
    limit: int | None


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `leasehold doctor`; `level` is ok, warning or problem."""

    level: str
    topic: str
    message: str
    remedy: str = ""
