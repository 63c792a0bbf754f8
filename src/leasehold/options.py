"""What can be said about a task or one of its jobs, checked where it is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias, TypedDict
from uuid import UUID

from leasehold.errors import BadOption
from leasehold.model.durations import Duration
from leasehold.model.ids import JobId
from leasehold.model.key_words import KEY_OPTIONS, KeyWords, read_key_words
from leasehold.model.keys import Mode
from leasehold.model.needs import Needs
from leasehold.model.retry import (
    RetryPolicy,
    exponential,
)
from leasehold.model.throttles import (
    By,
    Throttle,
    ThrottleBy,
    ThrottleKey,
)
from leasehold.model.values import (
    DEFAULT_MAX_ATTEMPTS,
    DEFAULT_QUEUE,
    DEFAULT_TIMEOUT_SECONDS,
)
from leasehold.option_readers import READERS
from leasehold.sandbox.limits import NO_LIMITS, Limits

DEFAULT_SIZE_LIMIT = 262_144

OnDuplicate: TypeAlias = Literal["skip", "replace", "debounce", "latest"]


class HasId(Protocol):
    """The answer to an enqueue, or anything else that stands for a job."""

    @property
    def id(self) -> JobId: ...


JobRef: TypeAlias = UUID | str | HasId


class Callback(Protocol):
    """A task that takes one argument, `ended`."""

    def as_callback(self) -> bytes: ...


class JobOptions(TypedDict, total=False):
    """Options of one job; they travel with it."""

    queue: str
    priority: int
    max_attempts: int
    timeout: Duration
    delay: Duration | None
    run_at: datetime | None
    id: UUID | str | None
    tenant: str
    batch: UUID | str | None
    created_by: str | None
    encrypted: bool  # its arguments, and all that comes of it, stand encrypted in the database
    throttle: Throttle | ThrottleKey | ThrottleBy | str | None
    share: str | By | None
    cost: float | None
    key: str | By | None
    on_duplicate: OnDuplicate
    unique_for: Duration  # or "live", "ever"
    cooldown: Duration | None
    max_wait: Duration | None
    on_end: Callback | None  # a task to run when this job has ended, however that was
    after: JobRef | Iterable[JobRef] | None  # it waits until they have succeeded
    after_any: bool  # … until one of them has
    even_if_failed: bool  # … or have ended in any other way


class TaskOptions(TypedDict, total=False):
    """Options of a task; from `retry` on they stay with the code that runs it."""

    name: str | None
    queue: str
    priority: int
    max_attempts: int
    timeout: Duration
    encrypted: bool
    throttle: Throttle | ThrottleKey | ThrottleBy | str | None
    share: str | By | None
    cost: float | None
    key: str | By | None
    on_duplicate: OnDuplicate
    unique_for: Duration  # or "live", "ever"
    cooldown: Duration | None
    max_wait: Duration | None
    on_end: Callback | None
    retry: RetryPolicy
    lease: Duration | None
    isolation: Literal["thread", "process"]
    limits: Limits
    network: bool
    on_lapse: Literal["retry", "dead"]
    resumable: bool  # it may be handed back at any time: a run takes it, however little is left
    args_limit: int
    result_limit: int
    keep: Duration | None  # or "ever"
    keep_dead: Duration | None
    keep_cancelled: Duration | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """A task's options after checking; sizes are bytes of JSON."""

    queue: str = DEFAULT_QUEUE
    priority: int = 0
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    retry: RetryPolicy = field(default_factory=exponential)
    lease_seconds: float | None = None
    isolation: Literal["thread", "process"] = "thread"
    limits: Limits = NO_LIMITS
    network: bool = True
    on_lapse: Literal["retry", "dead"] = "retry"
    resumable: bool = False
    args_limit: int = DEFAULT_SIZE_LIMIT
    result_limit: int = DEFAULT_SIZE_LIMIT
    delay_seconds: float | None = None
    run_at: datetime | None = None
    tenant: str = ""
    batch: JobId | None = None
    created_by: str | None = None
    job_id: JobId | None = None
    encrypted: bool = False
    throttle: Throttle | None = None  # what code says of it; a key alone may be given as text
    throttle_key: str | None = None
    throttle_by: tuple[str, ...] | None = None
    share: str | None = None
    share_by: tuple[str, ...] | None = None  # (): the tenant
    cost: float | None = None
    key_words: KeyWords = field(default_factory=KeyWords)
    on_end: bytes | None = None  # the job to make
    keep_seconds: float | None = None  # after its end; None: as its queue's jobs
    keep_dead_seconds: float | None = None
    keep_cancelled_seconds: float | None = None
    after: tuple[JobId, ...] = ()
    after_any: bool = False
    even_if_failed: bool = False

    @property
    def needs(self) -> Needs | None:
        """What a job of these options waits for."""
        if not self.after:
            return None
        return Needs(jobs=self.after, any=self.after_any, even_if_failed=self.even_if_failed)


def read_options(given: TaskOptions | JobOptions, base: Options | None = None) -> Options:
    """Check what a caller gave and lay it over `base`."""
    if "delay" in given and "run_at" in given:
        raise BadOption("give either delay or run_at, not both")
    base = base or Options()
    changes: dict[str, Any] = {}
    about_key = {name: value for name, value in given.items() if name in KEY_OPTIONS}
    if about_key:
        changes["key_words"] = read_key_words(about_key, base.key_words)
    for name, value in given.items():
        if name in about_key:
            continue
        reader = READERS.get(name)
        if reader is None:
            known = ", ".join(sorted([*READERS, *KEY_OPTIONS]))
            raise BadOption(f"there is no option {name!r}; there are {known}")
        changes.update(reader(name, value))
    options = replace(base, **changes)
    _check_together(options)
    return options


def _check_together(options: Options) -> None:
    is_bounded = options.limits != NO_LIMITS or not options.network
    if options.isolation != "process" and is_bounded:
        raise BadOption("limits and network need isolation='process': a thread can't be limited")
    _check_needs(options)
    options.key_words.check_times(options.delay_seconds, has_run_at=options.run_at is not None)


def _check_needs(options: Options) -> None:
    if not options.after:
        if options.after_any or options.even_if_failed:
            raise BadOption("after_any and even_if_failed say how to wait: say for whom with after")
        return
    if options.job_id in options.after:
        raise BadOption(f"after: job {options.job_id} can't wait for itself")
    if options.key_words.on_duplicate is not Mode.SKIP:
        raise BadOption(
            "after: a job that waits for others can't replace or put off one of its key; "
            "use on_duplicate='skip'"
        )


JOB_OPTION_NAMES = frozenset(JobOptions.__annotations__)
TASK_OPTION_NAMES = frozenset(TaskOptions.__annotations__) - {"name"}
