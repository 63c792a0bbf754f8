"""Encrypted tasks, in a module that a child can import."""

from __future__ import annotations

from typing import Any

import leasehold as lh


@lh.task(encrypted=True)
def pay(card: str) -> str:
    return f"paid with {card}"


@lh.task
def plain(text: str) -> str:
    return text


@lh.task(encrypted=True)
def fail(text: str) -> None:
    raise ValueError(text)


def _step(secret: str) -> str:
    return f"step {secret}"


@lh.task(encrypted=True, retry=lh.fixed(0))
def walk(secret: str) -> list[Any]:
    job = lh.current_job()
    if job.attempt == 1:
        job.checkpoint({"page": secret}, done=1, note=f"at {secret}")
        job.step("one", _step, secret)
        raise ValueError(secret)
    first = job.cursor
    remembered = job.step("one", _step, "another")
    with job.saving():
        job.checkpoint({"page": secret}, note=f"again {secret}")
    return [first, remembered, job.cursor]


@lh.task(encrypted=True, retry=lh.fixed(0), isolation="process")
def isolated(secret: str) -> list[Any]:
    job = lh.current_job()
    if job.attempt == 1:
        job.checkpoint({"page": secret}, note=secret)
        job.step("one", _step, secret)
        raise ValueError(secret)
    return [job.cursor, job.step("one", _step, "another")]


@lh.task(encrypted=True)
def combine() -> str:
    return f"{lh.current_job().result_of(pay)}!"


@lh.task
def log_in(user: str, password: lh.Secret[str]) -> int:
    assert user
    return len(password.reveal())


@lh.task
def leak(password: lh.Secret[str]) -> None:
    raise ValueError(f"could not log in with {password.reveal()}")


@lh.task
def untold(value: Any) -> None:
    assert value


@lh.task
def store_secret() -> dict[str, Any]:
    return {"password": lh.Secret("canary-4711-4242")}
