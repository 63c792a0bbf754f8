"""What an answer means for a link: enriched, later, tried once more, or never.

The whole table of outcomes is here; whoever fetches only says what it saw.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum

import msgspec

LEAST_PAUSE_SECONDS = 300.0
LONGEST_PAUSE_SECONDS = 86_400.0
MOST_SNOOZES = 5
FORBIDDEN_ADDRESSES = 3  # of a domain, within a day: then it means us, not the page
PORTS = frozenset({80, 443, 8080, 8443})
MOST_REDIRECTS = 5

_OK = range(200, 300)
_CLIENT_ERRORS = range(400, 500)
_SERVER_ERRORS = range(500, 600)
_FORBIDDEN = 403
_BUSY = frozenset({429, 503})
PATIENT = _BUSY | {_FORBIDDEN}  # statuses whose meaning depends on what was before


class Reason(StrEnum):
    """Why a link has no more than its address. Pages have a sentence for each."""

    BLOCKED = "blocked"  # a person has blocked its domain
    ROBOTS = "robots"
    ROBOTS_UNREACHABLE = "robots_unreachable"
    CAPTCHA = "captcha"
    UNAUTHORISED = "unauthorised"
    PAYMENT = "payment"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    GONE = "gone"
    LEGAL = "legal"
    CLIENT_ERROR = "client_error"
    BUSY = "busy"
    SERVER_ERROR = "server_error"
    ODD_STATUS = "odd_status"
    DNS = "dns"
    CONNECTION = "connection"
    TLS = "tls"
    TIMEOUT = "timeout"
    BAD_ANSWER = "bad_answer"
    REDIRECTS = "redirects"
    SSRF_BLOCKED = "ssrf_blocked"


class Step(StrEnum):
    """What happens next."""

    SUCCEED = "succeed"
    SNOOZE = "snooze"  # later, and it is nobody's fault
    FAIL = "fail"  # once more, after the first time
    DIE = "die"


class Verdict(msgspec.Struct, frozen=True):
    """What an answer comes to."""

    step: Step
    reason: Reason | None = None
    is_candidate: bool = False  # the domain may not want us: a person should decide
    pause_seconds: float = 0.0  # of the link, and of all others of its domain

    @property
    def is_good(self) -> bool:
        return self.step is Step.SUCCEED


ENRICHED = Verdict(Step.SUCCEED)
NOTHING_THERE = Verdict(Step.SUCCEED)  # nobody has this link any more
TOO_MANY_REDIRECTS = Verdict(Step.DIE, Reason.REDIRECTS)
ROBOTS_FORBID = Verdict(Step.DIE, Reason.ROBOTS, is_candidate=True)
CHALLENGED = Verdict(Step.DIE, Reason.CAPTCHA, is_candidate=True)
ROBOTS_UNREACHABLE = Verdict(Step.FAIL, Reason.ROBOTS_UNREACHABLE)
BLOCKED = Verdict(Step.DIE, Reason.BLOCKED)
_DEADLY = {
    401: Reason.UNAUTHORISED,
    402: Reason.PAYMENT,
    404: Reason.NOT_FOUND,
    410: Reason.GONE,
    451: Reason.LEGAL,
}


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """What was before: of the link, and of its domain within a day."""

    snoozes: int = 0
    snoozing_seconds: float = 0.0  # since the first of them
    forbidden_addresses: int = 0  # others of the domain that answered 403


def judge_status(status: int, *, retry_after: str | None, past: Past, now: datetime) -> Verdict:
    """Judge an answer that was no challenge."""
    if status in _OK:
        return ENRICHED
    if status in _BUSY:
        return _busy(retry_after, past, now)
    if status == _FORBIDDEN:
        is_known = past.forbidden_addresses + 1 >= FORBIDDEN_ADDRESSES
        step = Step.DIE if is_known else Step.FAIL
        return Verdict(step, Reason.FORBIDDEN, is_candidate=is_known)
    if status in _CLIENT_ERRORS:
        return Verdict(Step.DIE, _DEADLY.get(status, Reason.CLIENT_ERROR))
    if status in _SERVER_ERRORS:
        return Verdict(Step.FAIL, Reason.SERVER_ERROR)
    return Verdict(Step.DIE, Reason.ODD_STATUS)  # a 304 that nobody asked for, and the like


def judge_robots(status: int | None) -> Verdict | None:
    """Judge the answer to a question for robots.txt (RFC 9309); None: go on.

    No status: there was no answer. Without rules all is allowed; while they can't be had, nothing.
    """
    if status is None or status in _SERVER_ERRORS:
        return ROBOTS_UNREACHABLE
    return None


def pause_of(retry_after: str | None, now: datetime) -> float:
    """Read how long a server asks us to stay away, within what we promise anyway."""
    return min(LONGEST_PAUSE_SECONDS, max(LEAST_PAUSE_SECONDS, _asked(retry_after, now)))


def _busy(retry_after: str | None, past: Past, now: datetime) -> Verdict:
    pause = pause_of(retry_after, now)
    if past.snoozes >= MOST_SNOOZES or past.snoozing_seconds >= LONGEST_PAUSE_SECONDS:
        return Verdict(Step.FAIL, Reason.BUSY, pause_seconds=pause)
    return Verdict(Step.SNOOZE, Reason.BUSY, pause_seconds=pause)


def _asked(retry_after: str | None, now: datetime) -> float:
    text = (retry_after or "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:12])
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0.0
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (aware - now).total_seconds()
