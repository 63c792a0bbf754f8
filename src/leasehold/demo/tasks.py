"""The sample tasks: quick, slow, async, failing and retried, hopeless, scheduled, isolated."""

from __future__ import annotations

import asyncio
import hashlib
import random
import time

import leasehold as lh

_STEP_SECONDS = 0.1


@lh.task(name="greet")
def greet(name: str) -> str:
    """Quick: ends within a millisecond."""
    return f"Hello, {name}!"


@lh.task(name="render_report", queue="reports")
def render_report(pages: int) -> int:
    """Slow: works page by page, and stops between two of them when it is asked to."""
    job = lh.current_job()
    for _ in range(pages):
        job.check()
        time.sleep(_STEP_SECONDS)
    return pages


@lh.task(name="fetch")
async def fetch(url: str) -> int:
    """Async: many of these share one thread."""
    await asyncio.sleep(random.uniform(0.2, 1.0))
    return len(url)


@lh.task(name="send_mail", queue="mail", max_attempts=5, retry=lh.delays("1s", "2s", "4s"))
def send_mail(to: str) -> None:
    """Failing and retried: the first attempt always fails, the later ones now and then."""
    if lh.current_job().failures == 0 or random.random() < 1 / 3:
        raise ConnectionError(f"the mail server did not answer for {to}")


@lh.task(name="charge_card", queue="mail", max_attempts=2, retry=lh.fixed("1s"))
def charge_card(amount: int) -> None:
    """Hopeless: ends dead. `leasehold jobs retry` gives it another try."""
    raise PermissionError(f"the bank declined {amount}")


@lh.task(name="remind")
def remind(text: str) -> str:
    """Enqueued with a delay: waits until it is due."""
    return text


@lh.task(name="hash_password", queue="reports", isolation="process", memory_limit="512MB")
def hash_password(rounds: int) -> str:
    """Isolated: runs in a child process, whose crash would be its own."""
    return hashlib.pbkdf2_hmac("sha256", b"correct horse", b"battery staple", rounds).hex()
