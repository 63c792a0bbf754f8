"""Tasks that fail with their arguments everywhere, in a module that a child process can import."""

from __future__ import annotations

import asyncio

import sentry_sdk

import leasehold as lh


class Odd(Exception):
    """An error with a class of its own."""


def _deep(secret: str, number: int) -> None:
    local = {"secret": secret, "list": [secret, number]}
    copied = secret[::-1][::-1]
    sentry_sdk.add_breadcrumb(
        category="http",
        message=f"GET https://host/?k={copied}",
        data={"url": copied, "body": local},
    )
    sentry_sdk.set_tag("mine", copied)
    sentry_sdk.set_user({"email": copied, "ip_address": "10.0.0.1"})
    sentry_sdk.set_context("own", {"token": "abc", "text": copied, "thing": _Thing(copied)})
    try:
        raise KeyError(copied)
    except KeyError as error:
        raise Odd(f"can't fetch https://me:{copied}@host/a?key={copied} for {number}") from error


class _Thing:
    def __init__(self, secret: str) -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return f"Thing({self._secret})"


@lh.task(name="sentry.blocking", max_attempts=1)
def blocking(secret: str, number: int) -> None:
    _deep(secret, number)


@lh.task(name="sentry.async", max_attempts=1)
async def asynchronous(secret: str, number: int) -> None:
    await asyncio.sleep(0)
    _deep(secret, number)


@lh.task(name="sentry.isolated", max_attempts=1, isolation="process")
def isolated(secret: str, number: int) -> None:
    raise Odd(f"isolated {secret} {number}")


@lh.task(name="sentry.twice", max_attempts=2, retry=lh.fixed("0s"))
def twice(secret: str, number: int) -> None:
    raise Odd("again")


@lh.task(name="sentry.own")
def own(secret: str, number: int) -> None:
    sentry_sdk.capture_message(f"about {secret}")


@lh.task(name="sentry.fine")
async def fine(number: int) -> int:
    await asyncio.sleep(0)
    return id(asyncio.current_task())
