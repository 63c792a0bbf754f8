"""What can be said about a task or one of its jobs, checked where it is said."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, Protocol, TypeAlias, TypedDict
from uuid import UUID

from leasehold.errors import BadOption
from leasehold.model.durations import Duration, seconds
from leasehold.model.ids import JobId
from leasehold.model.keeping import read_keep
from leasehold.model.key_words import KEY_OPTIONS, KeyWords, read_key_words
from leasehold.model.keys import Mode
from leasehold.model.needs import MOST_NEEDS, Needs
from leasehold.model.retry import (
    RetryPolicy,
    delays,
    exponential,
    fixed,
    never,
    per_exception,
)
from leasehold.model.throttles import (
    EVERY,
    By,
    Throttle,
    ThrottleBy,
    ThrottleKey,
    check_amount,
    check_text,
)
from leasehold.model.values import (
    DEFAULT_MAX_ATTEMPTS,
    DEFAULT_QUEUE,
    DEFAULT_TIMEOUT_SECONDS,
    PRIORITY_LIMIT,
)
from leasehold.sandbox.limits import NO_LIMITS, Limits

NAME_LIMIT = 200
ATTEMPTS_LIMIT = 32_767
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
        reader = _READERS.get(name)
        if reader is None:
            known = ", ".join(sorted([*_READERS, *KEY_OPTIONS]))
            raise BadOption(f"there is no option {name!r}; there are {known}")
        changes.update(reader(name, value))
    options = replace(base, **changes)
    _check_together(options)
    return options


def read_job_id(value: UUID | str, *, name: str = "id") -> JobId:
    """Accept a UUID, or the text of one."""
    if isinstance(value, UUID):
        return JobId(value)
    try:
        return JobId(UUID(value))
    except (ValueError, AttributeError, TypeError):
        raise BadOption(f"{name}: {value!r} is not a UUID") from None


def check_name(name: str, value: object) -> str:
    """Accept text that is fit for a name: not empty, no control characters, not too long."""
    if not isinstance(value, str) or not value or not value.isprintable():
        raise BadOption(f"{name}: {value!r} is not a name; write printable text")
    if len(value) > NAME_LIMIT:
        raise BadOption(f"{name}: {value[:40]!r}… is longer than {NAME_LIMIT} characters")
    return value


def check_priority(value: object) -> int:
    """Accept a whole number that fits the priority column; higher runs first."""
    return _whole("priority", value, -PRIORITY_LIMIT, PRIORITY_LIMIT)


def _whole(name: str, value: object, least: int, greatest: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= greatest:
        raise BadOption(f"{name}: {value!r} is not a whole number from {least:,} to {greatest:,}")
    return value


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


def _read_name(name: str, value: Any) -> dict[str, Any]:
    return {name: check_name(name, value)}


def _read_priority(_name: str, value: Any) -> dict[str, Any]:
    return {"priority": check_priority(value)}


def _read_max_attempts(name: str, value: Any) -> dict[str, Any]:
    return {name: _whole(name, value, 1, ATTEMPTS_LIMIT)}


def _read_size_limit(name: str, value: Any) -> dict[str, Any]:
    return {name: _whole(name, value, 1, 2**28)}


def _read_span(name: str, value: Any) -> dict[str, Any]:
    """Read a duration that must not be zero; None stands for the default or no limit."""
    if value is None and name != "timeout":
        return {f"{name}_seconds": None}
    amount = seconds(value, name=name)
    if amount == 0:
        raise BadOption(f"{name}: must be longer than 0")
    return {f"{name}_seconds": amount}


def _read_retry(name: str, value: Any) -> dict[str, Any]:
    if value in (delays, exponential, fixed, never, per_exception):
        raise BadOption(f"{name}: call it, {name}={value.__name__}(...)")
    if not callable(value):
        raise BadOption(
            f"{name}: {value!r} is not a policy; write delays('1m', '5m'), exponential(), never()"
        )
    return {name: value}


def _read_choice(*choices: str) -> Any:
    def read(name: str, value: Any) -> dict[str, Any]:
        if value not in choices:
            raise BadOption(f"{name}: {value!r} is not one of {', '.join(map(repr, choices))}")
        return {name: value}

    return read


def _read_delay(name: str, value: Any) -> dict[str, Any]:
    amount = None if value is None else seconds(value, name=name)
    return {"delay_seconds": amount, "run_at": None}


def _read_run_at(name: str, value: Any) -> dict[str, Any]:
    if value is not None and not isinstance(value, datetime):
        raise BadOption(f"{name}: {value!r} is not a datetime; for a wait from now use delay")
    if value is not None and value.tzinfo is None:
        raise BadOption(f"{name}: {value!r} has no time zone; write datetime.now(timezone.utc)")
    return {"run_at": value, "delay_seconds": None}


def _read_id(name: str, value: Any) -> dict[str, Any]:
    target = "job_id" if name == "id" else name
    return {target: None if value is None else read_job_id(value, name=name)}


def _read_after(name: str, value: Any) -> dict[str, Any]:
    """Read one job or many: ids, or what an enqueue answered."""
    is_one = value is None or isinstance(value, (str, UUID)) or hasattr(value, "id")
    if not is_one and not isinstance(value, Iterable):
        raise BadOption(f"{name}: {value!r} is no job; give its id, or what enqueue returned")
    given = () if value is None else (value,) if is_one else value
    jobs = dict.fromkeys(read_job_id(getattr(each, "id", each), name=name) for each in given)
    if len(jobs) > MOST_NEEDS:
        raise BadOption(f"{name}: {len(jobs):,} are more jobs than the {MOST_NEEDS:,} that can be")
    return {name: tuple(jobs)}


def read_callback(name: str, value: Any) -> bytes | None:
    """Accept a task that can be a callback, with its options."""
    if value is None:
        return None
    if not hasattr(value, "as_callback"):
        raise BadOption(f"{name}: {value!r} is not a task; make it one with @task")
    document: bytes = value.as_callback()
    return document


def _read_on_end(name: str, value: Any) -> dict[str, Any]:
    return {name: read_callback(name, value)}


def _read_flag(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, bool):
        raise BadOption(f"{name}: {value!r} is not True or False")
    return {name: value}


def _read_label(name: str, value: Any) -> dict[str, Any]:
    """Read text that may be empty (tenant) or missing (created_by)."""
    is_unset = value is None if name == "created_by" else value == ""
    return {name: value if is_unset else check_name(name, value)}


def _read_throttle(name: str, value: Any) -> dict[str, Any]:
    match value:
        case None:
            said: tuple[Any, Any, Any] = (None, None, None)
        case Throttle():
            said = (value, value.name, None)
        case ThrottleKey(throttle=throttle, text=text):
            said = (throttle, text, None)
        case ThrottleBy(throttle=throttle, arguments=arguments):
            said = (throttle, None, arguments)
        case str():
            said = (None, check_text(name, value), None)
        case _:
            raise BadOption(
                f"{name}: {value!r} is not a throttle; write Throttle('host', running=2).by('host')"
            )
    return dict(zip(("throttle", "throttle_key", "throttle_by"), said, strict=True))


def _read_share(name: str, value: Any) -> dict[str, Any]:
    if value == EVERY:
        raise BadOption(f"{name}: by() needs the name of an argument; for the tenant write TENANT")
    if isinstance(value, By):
        return {"share": None, "share_by": value.arguments}
    return {"share": None if value is None else check_text(name, value), "share_by": None}


def _read_cost(name: str, value: Any) -> dict[str, Any]:
    return {name: None if value is None else check_amount(value)}


def _read_keep(name: str, value: Any) -> dict[str, Any]:
    return {f"{name}_seconds": read_keep(value, name=name)}


def _read_limits(name: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Limits):
        raise BadOption(f"{name}: {value!r} is not Limits; write lh.Limits(memory='512MB')")
    return {name: value}


_READERS = {
    "queue": _read_name,
    "priority": _read_priority,
    "max_attempts": _read_max_attempts,
    "timeout": _read_span,
    "retry": _read_retry,
    "lease": _read_span,
    "isolation": _read_choice("thread", "process"),
    "limits": _read_limits,
    "network": _read_flag,
    "on_lapse": _read_choice("retry", "dead"),
    "resumable": _read_flag,
    "args_limit": _read_size_limit,
    "result_limit": _read_size_limit,
    "delay": _read_delay,
    "run_at": _read_run_at,
    "id": _read_id,
    "tenant": _read_label,
    "batch": _read_id,
    "on_end": _read_on_end,
    "created_by": _read_label,
    "encrypted": _read_flag,
    "throttle": _read_throttle,
    "share": _read_share,
    "cost": _read_cost,
    "keep": _read_keep,
    "keep_dead": _read_keep,
    "keep_cancelled": _read_keep,
    "after": _read_after,
    "after_any": _read_flag,
    "even_if_failed": _read_flag,
}
JOB_OPTION_NAMES = frozenset(JobOptions.__annotations__)
TASK_OPTION_NAMES = frozenset(TaskOptions.__annotations__) - {"name"}
