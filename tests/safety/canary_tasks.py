"""Tasks that do with a secret what people do by mistake."""

from __future__ import annotations

import logging
from typing import Any

import leasehold as lh

_logger = logging.getLogger("app")


@lh.task(encrypted=True)
def returns(card: str) -> dict[str, str]:
    return {card: f"paid with {card}"}


@lh.task(encrypted=True, max_attempts=1)
def raises(card: str) -> None:
    try:
        raise KeyError(card)
    except KeyError as error:
        error.add_note(f"the card was {card}")
        raise ValueError(
            f"bad card {card!r} at https://ann:{card}@shop.example/pay?card={card}"
        ) from error


@lh.task(encrypted=True, max_attempts=1)
async def raises_async(card: str) -> None:
    raise type("OddError", (Exception,), {})(
        {"card": [card, card.split(maxsplit=1)[0]]}
    )  # a part of it, too


@lh.task(max_attempts=1)
def leaks(password: lh.Secret[str]) -> None:
    raise RuntimeError(f"{password} {password!r} {password.reveal()} {password.reveal()!r}")


@lh.task(encrypted=True, max_attempts=1)
def gives_up(card: str, how: str) -> None:
    match how:
        case "dead":
            raise lh.Dead(card)
        case "cancel":
            raise lh.Cancel(card)
        case "snooze":
            raise lh.Snooze("1h", reason=card)
        case _:
            raise lh.Retry("1h", card)


@lh.task(encrypted=True, retry=lh.fixed(0), max_attempts=2)
def saves(card: str) -> Any:
    job = lh.current_job()
    job.progress(1, 2, note=card)
    job.checkpoint({"card": card}, note=f"at {card}")
    job.step("charge", _charge, card)
    if job.attempt == 1:
        raise ValueError(card)
    return [job.cursor, job.step]


def _charge(card: str) -> str:
    return f"charged {card}"


@lh.task(encrypted=True, isolation="process", retry=lh.fixed(0), max_attempts=2)
def isolated(card: str) -> None:
    job = lh.current_job()
    job.checkpoint(card, note=card)
    job.step("charge", _charge, card)
    raise ValueError(f"in a child: {card}")


@lh.task(encrypted=True)
def in_transaction(card: str) -> None:
    job = lh.current_job()
    with job.transaction():
        job.checkpoint(card)
        job.result = card


@lh.task(max_attempts=1)
def connects(host: str) -> None:
    """Plain: the DSN in its error is all that is secret about it."""
    raise ConnectionError(f"postgresql://app:{_password()}@{host}/shop and password={_password()}")


def _password() -> str:
    return "1174yran4c"[::-1]  # no line of this file holds it


@lh.task
def shown(text: str) -> str:
    """Plain, so that it is known that the searches find something."""
    return text


@lh.task
def told(ended: lh.JobEnded) -> None:
    assert ended.kind


ALL = (
    *(returns, raises, raises_async, leaks, gives_up, saves, isolated, in_transaction),
    *(connects, shown, told),
)
