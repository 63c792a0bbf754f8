"""Failures that are alike fall together: of one kind, class and message, but for its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

import msgspec

from leasehold.model.envelopes import shown_text
from leasehold.model.ids import JobId
from leasehold.model.statistics import Unhappy

MESSAGE_LIMIT = 200
_READ_LIMIT = 400  # of a message; what is behind that does not tell failures apart
_CLASS = re.compile(r"[A-Za-z_][\w.]{0,79}(?=:|\Z)")
# The longer forms first: what one has replaced the next does not see.
_IDS = re.compile(
    r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
    r"|\b0x[0-9a-fA-F]+\b"
    r"|\b(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{8,64}\b"
)
_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*")
_ANY_DIGIT = dict.fromkeys(map(ord, "23456789"), "1")  # one is as good as another, but for 0x
NO_ERROR = "(no error was written down)"


class FailureGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Attempts of a kind that failed alike. `message` has <n> and <id> where they differ.

    `count` is attempts; `dead` and `waiting` are how many of their jobs are dead, or wait for
    their next try, now.
    """

    kind: str
    queue: str  # the newest one's
    error: str  # its class
    message: str
    count: int
    dead: int
    waiting: int
    first_at: datetime
    last_at: datetime
    sample: JobId  # the newest
    sample_error: str


def error_class(error: str) -> str:
    """Return the class that a stored error begins with; "" when it begins with something else."""
    found = _CLASS.match(error)
    return found[0] if found else ""


def alike(error: str) -> tuple[str, str]:
    """Return an error's class, and its message as it is for all that are alike: its first line."""
    name = error_class(error)
    return name, form_of(error[len(name) :])


def form_of(text: str) -> str:
    """Leave out of a message what differs between failures that are alike."""
    message = text.removeprefix(":").strip().partition("\n")[0][:_READ_LIMIT]
    message = _NUMBERS.sub("<n>", _IDS.sub("<id>", message))
    return " ".join(message.split())[:MESSAGE_LIMIT]


def group_failures(attempts: Iterable[Unhappy]) -> list[FailureGroup]:
    """Group attempts, newest first, by what went wrong; the most frequent group comes first."""
    found = [_group(*key, members) for key, members in _by_likeness(attempts).items()]
    return sorted(found, key=lambda group: (-group.count, -group.last_at.timestamp()))


def dead_of(attempts: Iterable[Unhappy], kind: str, error: str, message: str) -> list[JobId]:
    """Name the jobs of one group that are dead now, each once."""
    members = _by_likeness(attempts).get((kind, error, message), [])
    return list(dict.fromkeys(each.job_id for each in members if each.is_dead))


def _by_likeness(attempts: Iterable[Unhappy]) -> dict[tuple[str, str, str], list[Unhappy]]:
    groups: dict[tuple[str, str, str], list[Unhappy]] = {}
    forms: dict[str, str] = {}  # thousands are alike but for a digit: read once
    for each in attempts:
        error = shown_text(each.error) or NO_ERROR
        name = error_class(error)
        text = error[len(name) :].translate(_ANY_DIGIT)
        form = forms.get(text)
        if form is None:
            form = forms[text] = form_of(text)
        groups.setdefault((each.kind, name, form), []).append(each)
    return groups


def _group(kind: str, error: str, message: str, members: list[Unhappy]) -> FailureGroup:
    newest, oldest = members[0], members[-1]
    return FailureGroup(
        kind=kind,
        queue=newest.queue,
        error=error,
        message=message,
        count=len(members),
        dead=len({each.job_id for each in members if each.is_dead}),
        waiting=len({each.job_id for each in members if each.is_waiting}),
        first_at=oldest.at,
        last_at=newest.at,
        sample=newest.job_id,
        sample_error=shown_text(newest.error) or NO_ERROR,
    )
