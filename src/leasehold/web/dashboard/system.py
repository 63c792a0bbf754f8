"""The system: the store, its size and waste, versions, and what the doctor finds."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from leasehold.examining import examine
from leasehold.model.keeping import BUILT_IN
from leasehold.store.shown_url import hide_password
from leasehold.web.dashboard.looks import Look, Page
from leasehold.web.dashboard.sections import Section

if TYPE_CHECKING:
    from leasehold.model.vitals import Vitals

section = Section()
_WORST_FIRST = {"problem": 0, "warning": 1, "ok": 2}


@section.page("/system")
def show(look: Look) -> Page:
    """Show the store; the doctor takes longer, so the page asks for its findings by itself."""
    client = look.client
    vitals = client.store.vitals()
    values = {
        "url": hide_password(client.store.url),
        "vitals": vitals,
        "waste": _waste(vitals),
        "schema": client.store.schema(),
        "python": platform.python_version(),
        "retentions": client.retention.list(),
        "built_in": BUILT_IN,
    }
    return Page(template="system.html", title="System", values=values)


@section.page("/system/findings")
def show_findings(look: Look) -> Page:
    """Let the doctor look."""
    findings = sorted(examine(look.client), key=lambda each: _WORST_FIRST.get(each.level, 0))
    return Page(
        template="findings.html",
        title="What the doctor finds",
        values={"findings": findings},
        is_live=False,
    )


def _waste(vitals: Vitals) -> float | None:
    """Say which share of it is not in use: free pages, or rows that were deleted."""
    if vitals.free_bytes is not None:
        return vitals.free_bytes / vitals.size_bytes if vitals.size_bytes else 0.0
    dead = sum(each.dead_rows or 0 for each in vitals.tables)
    rows = sum(each.rows or 0 for each in vitals.tables)
    return dead / (dead + rows) if dead + rows else 0.0
