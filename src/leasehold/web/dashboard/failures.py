"""Failures, those alike together."""

from __future__ import annotations

from leasehold.web.dashboard.looks import Look, Page
from leasehold.web.dashboard.sections import Section

WINDOWS = {"1h": "1 hour", "24h": "24 hours", "7d": "7 days", "30d": "30 days"}
DEFAULT_WINDOW = "24h"
section = Section()


@section.page("/failures")
def show(look: Look) -> Page:
    """Group what did not end well by kind and error."""
    since = look.asked("since")
    since = since if since in WINDOWS else DEFAULT_WINDOW
    groups = look.client.stats.failures(since)
    values = {
        "groups": groups,
        "most": max((each.count for each in groups), default=1),
        "since": since,
        "windows": WINDOWS,
    }
    return Page(template="failures.html", title="Failures", values=values)
