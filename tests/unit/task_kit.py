"""Tasks to look at."""

from __future__ import annotations

from uuid import UUID

from leasehold.model.ids import JobId
from leasehold.task import task

FRESH = JobId(UUID(int=1))


@task
def add(a: int, b: int = 2, *, c: str = "x") -> int:
    """Add."""
    return a + b + len(c)


@task(name="mail.send", queue="mail", priority=3, max_attempts=4, timeout="5m", on_lapse="dead")
async def send(to: str) -> str:
    return to
