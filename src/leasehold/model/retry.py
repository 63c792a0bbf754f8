"""Retry policies: how long to wait before the next try, or to give up.

A policy is any callable that takes a `Failure` and returns a duration, or None to give up at once.
`max_attempts` bounds every policy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from leasehold.errors import BadOption
from leasehold.model.durations import Duration, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What a policy may look at."""

    failures: int  # this one included: 1, 2, 3 …
    error: BaseException
    chance: float  # uniform in [0, 1), for jitter


RetryPolicy: TypeAlias = Callable[[Failure], Duration | None]


def delays(*waits: Duration) -> RetryPolicy:
    """Wait as listed; the last wait repeats: `delays("1m", "5m", "30m")`."""
    if not waits:
        msg = "delays() needs at least one wait"
        raise BadOption(msg)
    listed = tuple(seconds(wait, name="delays()") for wait in waits)

    def policy(failure: Failure) -> float:
        return listed[min(failure.failures, len(listed)) - 1]

    return policy


def fixed(wait: Duration) -> RetryPolicy:
    """Wait the same time before each try."""
    return delays(wait)


def exponential(
    first: Duration = "5s",
    *,
    factor: float = 3.0,
    cap: Duration = "1h",
    jitter: float = 0.5,
) -> RetryPolicy:
    """Wait `first`, then `factor` times as long each time, at most `cap`.

    `jitter` is the part of the wait that is left to chance: 0 none, 1 all of it ("full jitter"),
    so that many jobs that failed together do not come back together.
    """
    first_seconds, cap_seconds = seconds(first, name="first"), seconds(cap, name="cap")
    if factor < 1:
        msg = f"exponential(factor={factor}): must be at least 1"
        raise BadOption(msg)
    if not 0 <= jitter <= 1:
        msg = f"exponential(jitter={jitter}): must be between 0 and 1"
        raise BadOption(msg)

    def policy(failure: Failure) -> float:
        # The exponent is bounded so that a job with thousands of failures can't overflow a float.
        wait = min(cap_seconds, first_seconds * factor ** min(failure.failures - 1, 64))
        return wait * (1 - jitter + jitter * failure.chance)

    return policy


def per_exception(
    policies: Mapping[type[BaseException], RetryPolicy | None],
    *,
    default: RetryPolicy | None = None,
) -> RetryPolicy:
    """Choose by the error's class, the nearest base class first; None means dead at once."""
    fallback = default or exponential()

    def policy(failure: Failure) -> Duration | None:
        for base in type(failure.error).__mro__:
            if base in policies:
                chosen = policies[base]
                return None if chosen is None else chosen(failure)
        return fallback(failure)

    return policy


def never() -> RetryPolicy:
    """Give up at the first failure."""
    return lambda _failure: None
