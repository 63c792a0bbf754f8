"""Quotas of tenants: what an enqueue keeps to, under the write lock, and what people set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Generator, Mapping, Sequence
from typing import Any

from leasehold.errors import QuotaExceeded
from leasehold.model.quotas import WAITING, QuotaChange, QuotaInfo, Standing, spend, tokens_of
from leasehold.model.values import NewJob
from leasehold.store.base import Rows, Statement
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.statements import as_json, count, rows, text, value
from leasehold.store.sqlite.times import SECOND, Clock

_SOMEBODY = "somebody"
_MOST_COUNTED = 1_000_000
_NOBODY: Mapping[str, int] = {}


# -- the enqueue -----------------------------------------------------------------------------------
def admit(
    jobs: Collection[NewJob], now: int, *, leaving: Mapping[str, int] = _NOBODY
) -> Generator[Statement, Rows, None]:
    """Let these jobs come, or none: `QuotaExceeded`. Those that stand there already need no quota.

    The first statement takes the write lock: who counts after it is not overtaken. `leaving` says
    how many of each tenant's jobs give up their place to them.
    """
    tenants = {job.tenant for job in jobs} - {""}
    if not tenants:
        return
    found = yield Statement(text("quota_lock"), {"tenants": as_json(sorted(tenants))})
    if not found:
        return
    ids = as_json([job.id for job in jobs if job.tenant])
    known = yield Statement(text("enqueue_existing"), {"ids": ids})
    standing = {row[0] for row in known}
    new = Counter(job.tenant for job in jobs if str(job.id) not in standing)
    for row in found:
        if new[row[0]]:
            yield from _admit(row, new[row[0]], leaving.get(row[0], 0), now)


def _admit(
    row: Sequence[Any], jobs: int, leaving: int, now: int
) -> Generator[Statement, Rows, None]:
    quota = _standing(row, now)
    full_seconds = spend(quota, jobs)
    jobs = max(0, jobs - leaving)
    spare = quota.spare
    if quota.waiting is not None:
        if spare < jobs:
            asked = {"tenant": quota.tenant, "most": quota.waiting + 1}
            ((waiting,),) = yield Statement(text("quota_waiting"), asked)
            spare = quota.waiting - waiting
        if spare < jobs:
            raise QuotaExceeded(quota.tenant, WAITING, quota.waiting)
        spare -= jobs
    full_at = None if quota.rate is None else now + int(full_seconds * SECOND) + 1
    noted = {"tenant": quota.tenant, "spare": spare, "full_at": full_at}
    yield Statement(text("quota_note"), noted)


def _standing(row: Sequence[Any], now: int) -> Standing:
    tenant, waiting, rate, burst, spare, full_at = row
    return Standing(
        tenant=tenant,
        waiting=waiting,
        rate=rate,
        burst=burst,
        spare=spare,
        used_seconds=0.0 if full_at is None else (full_at - now) / SECOND,
    )


# -- people ----------------------------------------------------------------------------------------
class Quotas:
    """The part of the store that people set quotas with."""

    _database: Database
    _clock: Clock

    def quotas(self) -> list[QuotaInfo]:
        now = self._clock.now()
        found: list[QuotaInfo] = []
        with self._database.read() as connection:
            for row in rows(connection, "quotas"):
                tenant, limit, running_limit, rate, burst, running, full_at, set_by = row
                asked = {"tenant": tenant, "most": _MOST_COUNTED}
                waiting = value(connection, "quota_waiting", **asked)
                quota = _standing((tenant, limit, rate, burst, 0, full_at), now)
                found.append(
                    QuotaInfo(
                        tenant=tenant,
                        waiting_limit=limit,
                        running_limit=running_limit,
                        rate=rate,
                        burst=burst,
                        waiting=waiting,
                        running=running,
                        tokens=None if rate is None else tokens_of(quota),
                        set_by=set_by,
                    )
                )
        return found

    def set_quota(self, tenant: str, change: QuotaChange) -> None:
        given = {"change": as_json(change), "by": change.by or _SOMEBODY}
        with self._database.write() as connection:
            rows(connection, "set_quota", tenant=tenant, now=self._clock.now(), **given)

    def remove_quota(self, tenant: str) -> bool:
        with self._database.write() as connection:
            return count(connection, "remove_quota", tenant=tenant) > 0
