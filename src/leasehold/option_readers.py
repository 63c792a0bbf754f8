"""How each option of a task or a job is read: its value, checked, as fields of `Options`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from uuid import UUID

from leasehold.checking import check_name, check_priority, check_whole, read_callback, read_job_id
from leasehold.errors import BadOption
from leasehold.model.durations import seconds
from leasehold.model.keeping import read_keep
from leasehold.model.needs import MOST_NEEDS
from leasehold.model.retry import (
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
from leasehold.sandbox.limits import Limits

ATTEMPTS_LIMIT = 32_767


def _read_name(name: str, value: Any) -> dict[str, Any]:
    return {name: check_name(name, value)}


def _read_priority(_name: str, value: Any) -> dict[str, Any]:
    return {"priority": check_priority(value)}


def _read_max_attempts(name: str, value: Any) -> dict[str, Any]:
    return {name: check_whole(name, value, 1, ATTEMPTS_LIMIT)}


def _read_size_limit(name: str, value: Any) -> dict[str, Any]:
    return {name: check_whole(name, value, 1, 2**28)}


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


# What a caller may write, and how it becomes fields of `Options`.
READERS: dict[str, Callable[[str, Any], dict[str, Any]]] = {
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
