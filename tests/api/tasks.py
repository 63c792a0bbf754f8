"""Tasks that the tests enqueue; nobody runs them."""

from __future__ import annotations

from leasehold.task import task


@task(name="greet")
def greet(name: str, times: int = 1) -> str:
    return name * times


@task(name="mail", queue="mail", max_attempts=2, priority=5, timeout="10m")
async def mail(to: str) -> None: ...
