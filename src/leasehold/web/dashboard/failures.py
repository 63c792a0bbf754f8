"""Failures, those alike together; the dead ones of a group can be retried, and only those."""

from __future__ import annotations

from leasehold.acting import record
from leasehold.model.wording import count
from leasehold.web.dashboard.looks import WHO, Done, Look, Page, Question
from leasehold.web.dashboard.sections import Section

WINDOWS = {"1h": "1 hour", "24h": "24 hours", "7d": "7 days", "30d": "30 days"}
DEFAULT_WINDOW = "24h"
STEP = 500
section = Section()


@section.page("/failures")
def show(look: Look) -> Page:
    """Group what did not end well by kind and error."""
    since = _window(look.asked("since"))
    groups = look.client.stats.failures(since)
    values = {
        "groups": groups,
        "most": max((each.count for each in groups), default=1),
        "since": since,
        "windows": WINDOWS,
    }
    return Page(template="failures.html", title="Failures", values=values)


@section.action("/failures/retry")
def retry(look: Look) -> Done | Question:
    """Make the dead jobs of one group ready again, once it is confirmed."""
    kind, error, message = (look.said(name) for name in ("kind", "error", "message"))
    since = _window(look.said("since"))
    dead = look.client.stats.dead_of(kind, error, message, since=since)
    if not dead:
        return Done(text="No job of that group is dead any more.", level="warning")
    if not look.said("confirm"):
        named = f"{count(len(dead), 'dead job')} of {kind}"
        return Question(
            text=f"Retry {named} that failed with {error or 'this error'}?",
            button="Retry jobs",
            detail="Others of that kind stay as they are.",
            is_dangerous=False,
        )
    store, changed = look.client.store, 0
    for first in range(0, len(dead), STEP):
        changed += len(store.retry_many(dead[first : first + STEP]))
    record(store, "jobs.retry", "failures alike", by=WHO, count=changed, kind=kind, error=error)
    return Done(text=f"{count(changed, 'job')} made ready.")


def _window(since: str) -> str:
    return since if since in WINDOWS else DEFAULT_WINDOW
