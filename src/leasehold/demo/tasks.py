"""The sample tasks: quick, slow, async, failing and retried, hopeless, throttled, isolated."""

from __future__ import annotations

import asyncio
import hashlib
import random
import time

import leasehold as lh

_STEP_SECONDS = 0.1
_LARGE_AMOUNT = 400

host = lh.Throttle("host", running=2, rate=5, per="1s")


@lh.task(name="greet")
def greet(name: str) -> str:
    """Quick: ends within a millisecond."""
    return f"Hello, {name}!"


@lh.task(name="render_report", queue="reports")
def render_report(pages: int) -> int:
    """Slow: says how far it is, and stops between two pages when it is asked to."""
    job = lh.current_job()
    for page in range(pages):
        job.check()
        job.progress(page, pages, note=f"page {page + 1}")
        time.sleep(_STEP_SECONDS)
    return pages


@lh.task(name="fetch", throttle=host.by("site"))
async def fetch(site: str, path: str = "/") -> int:
    """Async, two at a time of each site."""
    await asyncio.sleep(random.uniform(0.2, 1.0))
    return len(site + path)


@lh.task(name="send_mail", queue="mail", max_attempts=5, retry=lh.delays("1s", "2s", "4s"))
def send_mail(to: str) -> None:
    """Failing and retried: the first attempt always fails, the later ones now and then."""
    if lh.current_job().failures == 0 or random.random() < 1 / 3:
        raise ConnectionError(f"the mail server did not answer for {to}")


@lh.task(name="charge_card", queue="mail", max_attempts=2, retry=lh.fixed("1s"))
def charge_card(amount: int) -> None:
    """Hopeless for large amounts: ends dead. A retry by hand gives it another try."""
    if amount > _LARGE_AMOUNT:
        raise PermissionError(f"the bank declined {amount}")


@lh.task(name="remind")
def remind(text: str) -> str:
    """Enqueued with a delay: waits until it is due."""
    return text


@lh.task(
    name="hash_password", queue="reports", isolation="process", limits=lh.Limits(memory="512MB")
)
def hash_password(rounds: int) -> str:
    """Isolated: runs in a child process, whose crash would be its own."""
    return hashlib.pbkdf2_hmac("sha256", b"correct horse", b"battery staple", rounds).hex()


@lh.task(name="resize", queue="pictures")
async def resize(picture: int) -> int:
    """A member of a batch."""
    await asyncio.sleep(random.uniform(0.5, 3.0))
    if random.random() < 1 / 50:
        raise lh.Dead(f"picture {picture} is no picture")
    return picture


@lh.task(name="publish", queue="pictures")
def publish(ended: lh.BatchEnded) -> str:
    """Called back when all pictures of an album are done."""
    return f"{ended.succeeded} of {ended.total} pictures"


@lh.task(name="tidy_up")
def tidy_up() -> None:
    """Made by a schedule."""


every_minute = lh.schedule("tidy-up", "every 1m", tidy_up)
nightly = lh.schedule("nightly-report", "0 3 * * *", render_report.call(30), zone="Europe/Berlin")
