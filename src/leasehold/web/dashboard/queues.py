"""Queues: how deep, who serves them, pause, resume, drain and limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from leasehold.model.values import QueueCounts
from leasehold.web.dashboard.looks import WHO, Done, Look, Page, Question
from leasehold.web.dashboard.pausing import read_until, read_whole
from leasehold.web.dashboard.sections import Section

if TYPE_CHECKING:
    from collections.abc import Iterable

    from leasehold.model.lanes import QueueInfo
    from leasehold.model.values import WorkerInfo

section = Section()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A queue with all that is known of it."""

    name: str
    counts: QueueCounts
    info: QueueInfo | None
    workers: int  # that serve it
    is_paused: bool


@section.page("/queues")
def show(look: Look) -> Page:
    """List queues: those with jobs, with workers, or with a pause."""
    return Page(template="queues.html", title="Queues", values={"queues": rows_of(look)})


def rows_of(look: Look) -> list[Row]:
    """Put together what the store, the people and the workers say."""
    client = look.client
    infos = {each.name: each for each in client.queues.list()}
    counts = {each.queue: each for each in client.counts()}
    workers = client.workers()
    served = {queue for worker in workers for queue in worker.queues}
    return [
        Row(
            name=name,
            counts=counts.get(name) or _nothing_in(name),
            info=infos.get(name),
            workers=_serving(name, workers),
            is_paused=_is_paused(infos.get(name), look),
        )
        for name in sorted({*infos, *counts, *served})
    ]


def _nothing_in(name: str) -> QueueCounts:
    return QueueCounts(queue=name, ready=0, blocked=0, scheduled=0, failed=0, running=0, parked=0)


def _serving(name: str, workers: Iterable[WorkerInfo]) -> int:
    return sum(name in worker.queues for worker in workers)


def _is_paused(info: QueueInfo | None, look: Look) -> bool:
    return info is not None and info.paused_until is not None and info.paused_until > look.now


@section.action("/queues/pause")
def pause(look: Look) -> Done:
    """Let no worker start a job of it."""
    name = look.said("name")
    until = read_until(look.said("until"))
    look.client.queues.pause(name, until=until, reason=look.said("reason"), by=WHO)
    return Done(text=f"Queue {name} is paused" + (f" for {until}." if until else "."))


@section.action("/queues/resume")
def resume(look: Look) -> Done:
    """End a pause."""
    name = look.said("name")
    is_changed = look.client.queues.resume(name)
    return Done(text=f"Queue {name} goes on." if is_changed else f"Queue {name} was not paused.")


@section.action("/queues/limit")
def limit(look: Look) -> Done:
    """Let at most so many run at once; an empty field takes the limit away."""
    name, text = look.said("name"), look.said("running")
    if not text:
        is_changed = look.client.queues.unlimit(name)
        return Done(text=f"Queue {name} has no limit{' any more' if is_changed else ''}.")
    running = read_whole("running", text)
    look.client.queues.limit(name, running=running, by=WHO)
    return Done(text=f"Queue {name} may run {running:,} at once.")


@section.action("/queues/drain")
def drain(look: Look) -> Done | Question:
    """Pause it, and let the page show how what runs comes to its end."""
    name = look.said("name")
    if not look.said("confirm"):
        return Question(
            text=f"Drain queue {name}?",
            button="Drain",
            detail="It is paused; what runs now may end. The page shows how many still do.",
        )
    look.client.queues.pause(name, reason=look.said("reason") or "drain", by=WHO)
    return Done(text=f"Queue {name} is draining: no job of it starts any more.")
