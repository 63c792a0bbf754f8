"""What a tenant may have at once: jobs that wait, jobs that run, jobs enqueued in a time.

`waiting` and `rate` are asked at the enqueue, and refused; `running` is asked by the claim, and
jobs wait for it. Pure: SQLite decides by these functions, PostgreSQL's `admit` says the same.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from leasehold.errors import BadOption, QuotaExceeded
from leasehold.model.durations import seconds

GREATEST_QUOTA = 100_000_000
WAITING, RATE = "waiting", "rate"
_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3_600.0, "day": 86_400.0}
_RATE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*/\s*(\S+)\s*")


class QuotaChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What somebody changes about a tenant's quotas: UNSET stays as it is, None does not limit."""

    waiting: int | msgspec.UnsetType | None = msgspec.UNSET
    running: int | msgspec.UnsetType | None = msgspec.UNSET
    rate: float | msgspec.UnsetType | None = msgspec.UNSET  # per second …
    burst: float | msgspec.UnsetType | None = msgspec.UNSET  # … and at once, after a rest
    by: str | None = None


class QuotaInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A tenant's quotas, and how far they are used up."""

    tenant: str
    waiting_limit: int | None
    running_limit: int | None
    rate: float | None  # jobs a second
    burst: float | None
    waiting: int  # jobs that have not ended and do not run
    running: int
    tokens: float | None  # left of the burst now
    set_by: str | None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What an enqueue reads of a tenant's quotas; `used_seconds` until its bucket is full."""

    tenant: str
    waiting: int | None
    rate: float | None
    burst: float | None
    spare: int  # how many may come before it is counted again
    used_seconds: float


def tokens_of(standing: Standing) -> float:
    """Say how many may be enqueued now, by the rate."""
    if standing.rate is None or standing.burst is None:
        return math.inf
    return standing.burst - max(0.0, standing.rate * standing.used_seconds)


def spend(standing: Standing, jobs: int) -> float:
    """Return in how many seconds the bucket is full after so many more, or `QuotaExceeded`.

    More than fit into a full bucket need a full one.
    """
    if standing.rate is None or standing.burst is None:
        return 0.0
    missing = min(jobs, standing.burst) - tokens_of(standing)
    if missing > 0:
        limit = standing.burst
        raise QuotaExceeded(standing.tenant, RATE, limit, retry_after=missing / standing.rate)
    return (standing.burst - tokens_of(standing) + jobs) / standing.rate


def read_rate(rate: str | float | None) -> tuple[float | None, float | None]:
    """Read "100/minute", "5000/1h" or a number per second: per second, and how many at once."""
    if rate is None:
        return None, None
    if isinstance(rate, str):
        found = _RATE.fullmatch(rate)
        if found is None:
            raise BadOption(f"rate: {rate!r} is none; write 100/minute, 5000/1h or a number")
        amount, span = float(found[1]), _span(found[2])
    else:
        amount, span = _number("rate", rate), 1.0
    if not 0 < amount <= GREATEST_QUOTA:
        raise BadOption(f"rate: {rate!r} is not above 0 and at most {GREATEST_QUOTA:,}")
    return amount / span, max(1.0, amount)


def read_count(name: str, count: Any) -> int | None:
    """Refuse what is no whole number of jobs."""
    if count is None:
        return None
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= GREATEST_QUOTA:
        raise BadOption(f"{name}: {count!r} is not a whole number from 0 to {GREATEST_QUOTA:,}")
    return count


def check_tenant(tenant: str) -> str:
    """Refuse what is no tenant; the jobs of none have no quotas."""
    if not isinstance(tenant, str) or not tenant:
        raise BadOption("tenant: name one; jobs without a tenant have no quotas")
    return tenant


def _span(text: str) -> float:
    unit = _UNITS.get(text.removesuffix("s")) or _UNITS.get(text)
    span = unit if unit is not None else seconds(text, name="rate")
    if span <= 0:
        raise BadOption("rate: its time must be longer than 0")
    return span


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadOption(f"{name}: {value!r} is not a number")
    return float(value)
