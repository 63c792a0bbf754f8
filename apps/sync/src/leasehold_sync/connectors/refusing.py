"""What an answer that is not 200 means: rest, give up, or try again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from leasehold_sync.connectors.answers import Answer
from leasehold_sync.connectors.errors import (
    RateLimited,
    RequestRefused,
    SourceFailed,
    SourceUnavailable,
    Unauthorised,
)

USUAL_REST_SECONDS = 5.0  # where a source asks for patience and says not how much
LEAST_REST_SECONDS = 0.5
LONGEST_REST_SECONDS = 3_600.0  # a broken clock over there must not stop us for a year
_BUSY = frozenset({429, 529})
_NOT_YOU = frozenset({401, 403})
_SERVER_ERRORS = 500
_NOT_NOW = frozenset({408, 409, 425})  # as Notion says of colliding transactions
_MOST_WORDS = 300


@dataclass(frozen=True, slots=True)
class Complaint:
    """What an API says of an error, in its own words."""

    code: str = ""
    message: str = ""
    param: str = ""


def refusal(
    answer: Answer, read: Callable[[dict[str, Any]], Complaint], credential: str
) -> SourceFailed:
    """Return the error that an answer stands for."""
    complaint = _read(answer.document, read)
    said = _said(complaint, credential)
    if answer.status in _BUSY:
        return RateLimited(rest_of(answer), said)
    if answer.status in _NOT_YOU:
        return Unauthorised(f"{answer.status} {said}")
    error: SourceFailed
    if answer.status >= _SERVER_ERRORS or answer.status in _NOT_NOW:
        error = SourceUnavailable(f"{answer.status} {said}")
    else:
        error = RequestRefused(answer.status, complaint.code, complaint.param, said)
    if word := answer.header("stripe-should-retry"):  # Stripe's own word is better than a guess
        error.may_retry = word == "true"
    return error


def rest_of(answer: Answer) -> float:
    """Say for how many seconds an answer asks for patience."""
    said = (_retry_after(answer), _until_reset(answer), USUAL_REST_SECONDS)
    asked = next(seconds for seconds in said if seconds is not None)
    return min(max(asked, LEAST_REST_SECONDS), LONGEST_REST_SECONDS)


def rest_before_next(answer: Answer) -> float:
    """Say how long to wait although this one was answered: the window is used up."""
    return rest_of(answer) if answer.header("x-ratelimit-remaining") == "0" else 0.0


def _retry_after(answer: Answer) -> float | None:
    said = answer.header("retry-after")
    if said.replace(".", "", 1).isascii() and said.replace(".", "", 1).isdigit():
        return float(said)
    try:
        return (parsedate_to_datetime(said) - answer.moment).total_seconds()
    except (ValueError, TypeError):
        return None


def _until_reset(answer: Answer) -> float | None:
    """Read Intercom's moment of the next window, by the source's own clock."""
    said = answer.header("x-ratelimit-reset")
    if not (said.isascii() and said.isdigit()) or len(said) > len("9999999999"):
        return None
    return (datetime.fromtimestamp(int(said), UTC) - answer.moment).total_seconds()


def _read(document: dict[str, Any], read: Callable[[dict[str, Any]], Complaint]) -> Complaint:
    try:
        return read(document)
    except (AttributeError, IndexError, KeyError, TypeError):
        return Complaint(message="no error that this API would write")


def _said(complaint: Complaint, credential: str) -> str:
    """Join its words, without the credential: some sources repeat what they refuse."""
    said = " ".join(each for each in (complaint.code, str(complaint.message)) if each)
    hidden = said.replace(credential, "***") if credential else said
    return "".join(each if each.isprintable() else " " for each in hidden)[:_MOST_WORDS]
