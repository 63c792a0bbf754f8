"""Throttles and shares as code declares them: `Throttle("domain", running=2).by("host")`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from leasehold.errors import BadOption
from leasehold.model.durations import Duration, seconds
from leasehold.model.lanes import OWN, Pause, Rule

TEXT_LIMIT = 200


@dataclass(frozen=True, slots=True)
class By:
    """A text made of a call's arguments; of none of them, it is the job's tenant."""

    arguments: tuple[str, ...]


def by(*arguments: str) -> By:
    """Make a share, or a key, of the values of these arguments: `share=by("user_id")`.

    `key=by()` is of all of them.
    """
    return By(_names(arguments)) if arguments else EVERY


TENANT = By(())
EVERY = By(("*",))  # no argument has this name


@dataclass(frozen=True, slots=True)
class ThrottleKey:
    """One key of a throttle."""

    throttle: Throttle
    text: str


@dataclass(frozen=True, slots=True)
class ThrottleBy:
    """The key of a throttle that a call's arguments make."""

    throttle: Throttle
    arguments: tuple[str, ...]


class Throttle:
    """At most so many jobs of one key at once, or so many in a time, over all processes.

    `running` counts all workers, `per_worker` each by itself. `rate` is what may be spent `per`
    that time, `burst` (else as much as the rate) what may be spent at once after a rest; a job
    spends its `cost`, which is 1 unless said. With `per_tenant` each tenant has all of that for
    itself, and the throttle's name begins with "@": "@domain".
    """

    __slots__ = ("rule",)

    def __init__(
        self,
        name: str,
        *,
        running: int | None = None,
        per_worker: int | None = None,
        rate: float | None = None,
        per: Duration = "1s",
        burst: float | None = None,
        per_tenant: bool = False,
    ) -> None:
        check_text("throttle", name)
        if ":" in name:
            raise BadOption(f"throttle {name!r}: ':' is between a throttle and its key")
        if name.startswith(OWN):
            raise BadOption(f"throttle {name!r}: '@' is put there by per_tenant=True")
        whose = check_text("throttle", f"{OWN}{name}") if per_tenant else name
        self.rule = read_rule(
            whose, running=running, per_worker=per_worker, rate=rate, per=per, burst=burst
        )
        if (running, per_worker, rate) == (None, None, None):
            raise BadOption(f"throttle {name!r} limits nothing: give running, per_worker or rate")

    def __repr__(self) -> str:
        return f"<Throttle {self.name}>"

    @property
    def name(self) -> str:
        return self.rule.name

    def key(self, value: str) -> ThrottleKey:
        """Name one key: `throttle=domain.key("a.com")`."""
        check_text("throttle key", value)
        return ThrottleKey(self, check_text("throttle key", f"{self.name}:{value}"))

    def by(self, *arguments: str) -> ThrottleBy:
        """Make the key of the values of these arguments: `throttle=domain.by("host")`."""
        if not arguments:
            raise BadOption(f"throttle {self.name!r}: by() needs the name of an argument")
        return ThrottleBy(self, _names(arguments))


def read_rule(
    name: str,
    *,
    running: int | None,
    per_worker: int | None,
    rate: float | None,
    per: Duration,
    burst: float | None,
) -> Rule:
    """Check limits; the rate becomes one per second."""
    if burst is not None and rate is None:
        raise BadOption(f"throttle {name!r}: burst needs a rate")
    per_second = None
    if rate is not None:
        period = seconds(per, name="per")
        if period == 0:
            raise BadOption("per: must be longer than 0")
        _positive("rate", rate)
        per_second = _positive("rate per second", rate / period)  # it may have become nothing
    return Rule(
        name=name,
        running=_count("running", running),
        per_worker=_count("per_worker", per_worker),
        rate=per_second,
        burst=None if rate is None else _positive("burst", rate if burst is None else burst),
    )


def check_text(name: str, value: object) -> str:
    """Accept text for a key or a share: printable, not empty, not too long."""
    if not isinstance(value, str) or not value or not value.isprintable():
        raise BadOption(f"{name}: {value!r} is not a name; write printable text")
    if len(value) > TEXT_LIMIT:
        raise BadOption(f"{name}: {value[:40]!r}… is longer than {TEXT_LIMIT} characters")
    return value


def check_amount(value: float) -> float:
    """Accept what can be spent of a rate."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 <= value < math.inf:
        raise BadOption(f"{value!r} is not an amount: a number from 0 on")
    return float(value)


def read_pause(until: datetime | Duration | None, *, reason: str | None, by: str | None) -> Pause:
    """Read until when a pause lasts: a moment with its zone, a duration, or None for no end."""
    if isinstance(until, datetime):
        if until.tzinfo is None:
            raise BadOption(f"until: {until!r} has no time zone; write datetime.now(timezone.utc)")
        return Pause(until=until, reason=reason or None, by=by)
    span = None if until is None else seconds(until, name="until")
    return Pause(seconds=span, reason=reason or None, by=by)


def text_of(arguments: tuple[str, ...], given: Mapping[str, Any]) -> str:
    """Join the values of these arguments; what has no plain text is `BadOption`."""
    if len(arguments) == 1 and type(text := given.get(arguments[0])) is str:
        return check_text(arguments[0], text)  # as nearly all are, for each job of the task
    return check_text(" and ".join(arguments), ":".join(_text(name, given) for name in arguments))


def _text(name: str, given: Mapping[str, Any]) -> str:
    value = given.get(name)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    raise BadOption(f"{name}: {value!r} can't be part of a key; it must be text or a number")


def _names(arguments: tuple[str, ...]) -> tuple[str, ...]:
    for name in arguments:
        if not isinstance(name, str):
            raise BadOption(f"by({name!r}): give the names of arguments as text")
    return arguments


def _count(name: str, value: int | None) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise BadOption(f"{name}: {value!r} is not a whole number from 0 on")
    return value


def _positive(name: str, value: float) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value <= 0:
        raise BadOption(f"{name}: {value!r} is not a number over 0")
    return float(value)
