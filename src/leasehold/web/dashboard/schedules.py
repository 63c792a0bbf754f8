"""Schedules: when each runs next, pause, run now."""

from __future__ import annotations

from itertools import islice

from leasehold.web.dashboard.looks import WHO, Done, Look, Page
from leasehold.web.dashboard.sections import Section

NEXT_RUNS = 5
section = Section()


@section.page("/schedules", for_tenants=True)
def show(look: Look) -> Page:
    """List schedules, the next one first, then the paused ones."""
    found = look.client.schedules.list()
    ordered = sorted(
        found, key=lambda each: (each.paused_at is not None, str(each.next_at or "~"), each.name)
    )
    rows = [(each, list(islice(each.slots_after(look.now), NEXT_RUNS))) for each in ordered]
    return Page(template="schedules.html", title="Schedules", values={"schedules": rows})


@section.action("/schedules/run", for_tenants=True)
def run_now(look: Look) -> Done:
    """Enqueue its job now."""
    name = look.said("name")
    job_id = look.client.schedules.run_now(name, tenant=look.said("tenant"))
    return Done(text=f"{name} was run: job {job_id}.")


@section.action("/schedules/pause", for_tenants=True)
def pause(look: Look) -> Done:
    """Fire it no more until it is resumed."""
    name = look.said("name")
    look.client.schedules.pause(name, tenant=look.said("tenant"), by=WHO)
    return Done(text=f"Schedule {name} is paused.")


@section.action("/schedules/resume", for_tenants=True)
def resume(look: Look) -> Done:
    """Go on with the next slot."""
    name = look.said("name")
    look.client.schedules.resume(name, tenant=look.said("tenant"))
    return Done(text=f"Schedule {name} goes on.")
