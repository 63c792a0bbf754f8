"""The front page: is it healthy, what is stuck, what to do; then the figures and the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.model.states import State
from leasehold.web.dashboard.charts import charts_of
from leasehold.web.dashboard.health import Signs, judge
from leasehold.web.dashboard.looks import Look, Moved, Page
from leasehold.web.dashboard.sections import Section
from leasehold.web.dashboard.workers import SILENT

if TYPE_CHECKING:
    from leasehold.model.statistics import Overview

WINDOWS = {"15m": "15 min", "1h": "1 hour", "6h": "6 hours", "24h": "24 hours", "7d": "7 days"}
DEFAULT_WINDOW = "15m"  # in fine steps: what happens now is seen within seconds
JUDGED_WINDOW = "1h"
MOST_KINDS = 8
MOST_TROUBLES = 8
MOST_RECENT = 6
section = Section()


@section.page("/", for_tenants=True)
def show(look: Look) -> Page | Moved:
    """Put the front page together; who is bound to a tenant begins with its jobs."""
    if look.tenant is not None:
        return Moved(look.link("/jobs"))
    window = look.asked("window")
    window = window if window in WINDOWS else DEFAULT_WINDOW
    stats = look.client.stats
    overview = stats.overview(window)
    last_hour = overview if window == JUDGED_WINDOW else stats.overview(JUDGED_WINDOW)
    values: dict[str, Any] = {
        "overview": overview,
        "verdict": judge(_signs(look, last_hour)),
        "most_troubles": MOST_TROUBLES,
        "charts": charts_of(stats.series(window), now=overview.at),
        "window": window,
        "windows": WINDOWS,
        "kinds": overview.by_kind[:MOST_KINDS],
        "running": look.client.find(state=State.RUNNING, limit=MOST_RECENT),
        "applications": look.site.applications,
    }
    return Page(template="overview.html", title="Overview", values=values)


def _signs(look: Look, overview: Overview) -> Signs:
    client = look.client
    oldest = look.now - SILENT
    alive = [each for each in client.workers() if each.seen_at and each.seen_at >= oldest]
    return Signs(
        now=look.now,
        overview=overview,
        workers=alive,
        queues=client.queues.list(),
        throttles=client.throttles.list(),
        schedules=client.schedules.list(),
        parked=client.store.parked_kinds(),
        alerts=client.alerts.list(firing=True),
    )
