"""One job: what it is, how it went, why it waits, and what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leasehold.errors import BadOption, JobNotFound
from leasehold.model.states import State
from leasehold.web.dashboard.looks import WHO, Done, Look, Page, Question, Text
from leasehold.web.dashboard.sections import Section
from leasehold.web.dashboard.texts import pretty
from leasehold.web.dashboard.timeline import draw_timeline

if TYPE_CHECKING:
    from leasehold.model.needs import Predecessor
    from leasehold.model.values import Attempt, Job

MOST_NEEDS = 200
MOST_DEPENDENTS = 20
MOST_ATTEMPTS = 100
section = Section()
_RETRIED = frozenset({State.FAILED, State.DEAD, State.CANCELLED})
_WAITING = frozenset({State.QUEUED, State.BLOCKED, State.FAILED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Possible:
    """What can be done to a job in its state."""

    retry: bool
    cancel: bool
    delete: bool
    reprioritise: bool


def possible_for(job: Job) -> Possible:
    """Say what can be done now."""
    return Possible(
        retry=job.state in _RETRIED,
        cancel=not job.state.is_final and not job.cancel_requested,
        delete=job.state is not State.RUNNING,
        reprioritise=job.state in _WAITING,
    )


@section.page("/jobs/{job_id}", for_tenants=True)
def show(look: Look) -> Page:
    """Show all that is known of a job."""
    client, job_id = look.client, look.params["job_id"]
    job = client.get(job_id)
    attempts = client.history(job_id)
    values: dict[str, Any] = {
        "job": job,
        "attempts": attempts[::-1][:MOST_ATTEMPTS],
        "attempts_left_out": max(0, len(attempts) - MOST_ATTEMPTS),
        "timeline": draw_timeline(job, attempts, now=look.now),
        "why": client.why(job_id),
        "checkpoint": client.checkpoint(job_id),
        "steps": client.steps(job_id),
        "needs": _needs(look, job),
        "dependents": _dependents(look, job),
        "possible": possible_for(job),
    }
    return Page(template="job.html", title=f"{job.kind} {str(job.id)[-8:]}", values=values)


def _needs(look: Look, job: Job) -> list[Predecessor]:
    """List what it waits for; of very many the page only says how many they are."""
    if job.needs is None or len(job.needs.jobs) > MOST_NEEDS:
        return []
    return look.client.store.predecessors(job.id)


def _dependents(look: Look, job: Job) -> list[Job]:
    """List jobs that were made to wait for it, the first ones."""
    store = look.client.store
    found = (store.get(each) for each in store.dependents(job.id, limit=MOST_DEPENDENTS))
    return [each for each in found if each is not None]


@section.page("/jobs/{job_id}/whole/{what}", for_tenants=True)
def show_whole(look: Look) -> Text:
    """Give a value uncut, as plain text."""
    client, job_id, what = look.client, look.params["job_id"], look.params["what"]
    job = client.get(job_id)
    match what.partition("-"):
        case ("arguments", _, _):
            return Text(pretty(job.args))
        case ("result", _, _):
            return Text(pretty(job.result))
        case ("error", _, _):
            return Text(job.error or "")
        case ("cursor", _, _):
            saved = client.checkpoint(job_id)
            return Text(pretty(saved.cursor if saved else None))
        case ("trace", _, number):
            return Text(_trace(client.history(job_id), number, job))
    raise BadOption(f"there is no {what!r} of a job")


def _trace(attempts: list[Attempt], number: str, job: Job) -> str:
    for each in attempts:
        if str(each.attempt) == number:
            return f"{each.error or ''}\n\n{each.traceback or ''}"
    raise JobNotFound(job.id)


@section.action("/jobs/{job_id}/retry", for_tenants=True)
def retry(look: Look) -> Done:
    """Make it ready now."""
    state = look.client.retry(look.params["job_id"])
    return Done(text=f"The job is {state} again.")


@section.action("/jobs/{job_id}/cancel", for_tenants=True)
def cancel(look: Look) -> Done | Question:
    """End it, or ask it to stop."""
    job = look.client.get(look.params["job_id"])
    if not look.said("confirm"):
        detail = (
            "It runs: its handler is told to stop, and what it has done stays done."
            if job.state is State.RUNNING
            else "It will not run, unless somebody retries it."
        )
        return Question(
            text="Cancel this job?", button="Cancel the job", detail=detail, is_dangerous=True
        )
    state = look.client.cancel(job.id, by=WHO)
    if state is State.RUNNING:
        return Done(text="The job was told to stop.")
    return Done(text=f"The job is {state}.")


@section.action("/jobs/{job_id}/delete", for_tenants=True)
def delete(look: Look) -> Done | Question:
    """Delete it with its history."""
    if not look.said("confirm"):
        return Question(
            text="Delete this job?",
            button="Delete",
            detail="The job and its history can't be brought back.",
            is_dangerous=True,
        )
    look.client.delete(look.params["job_id"])
    return Done(text="The job was deleted.", to=look.link("/jobs"))


@section.action("/jobs/{job_id}/priority", for_tenants=True)
def reprioritise(look: Look) -> Done:
    """Let it run earlier or later."""
    try:
        priority = int(look.said("priority"))
    except ValueError:
        raise BadOption("priority: give a whole number; higher runs first") from None
    look.client.reprioritise(look.params["job_id"], priority)
    return Done(text=f"Its priority is {priority} now.")
