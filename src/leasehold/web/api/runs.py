"""`POST /worker`: work jobs off for a while, for where nothing runs all the time.

It ends early, with its jobs handed back uncharged, when its caller goes away or the service ends.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Body, Request
from pydantic import Field

from leasehold.errors import BadOption
from leasehold.model.durations import seconds
from leasehold.web.access.rights import ApiRouter, operates_all
from leasehold.web.answering import respond
from leasehold.web.api.values import Command, Document, Duration, Id, Whole
from leasehold.web.described import problem_response, problems
from leasehold.web.problems import make_problem
from leasehold.web.site import OfSite
from leasehold.worker import Worker

router = ApiRouter(tags=["worker"])

DEFAULT_BUDGET = 45.0
LONGEST_SECONDS = 900.0
STOP_SECONDS = 1.0  # for running jobs to end, when nobody waits for the run any more
_BUSY = "so many runs as may be are under way; ask again when one has ended"
_NO_TASKS = "this service knows no tasks: name their module, as in `leasehold serve shop.tasks`"


class RunRequest(Command):
    """How long, how much, and of which batch. It ends earlier when no job is ready."""

    budget: Duration = Field(
        default=DEFAULT_BUDGET, description="It answers within this time; 15 minutes at most."
    )
    max_jobs: Annotated[Whole, Field(ge=1, le=1_000_000)] | None = None
    batch: Id | None = Field(default=None, description="Run the jobs of this batch only.")


class RunReport(Document):
    """Why the run ended, and how many attempts came to what."""

    # Not the enumeration: a job has a `Reason` too, and a generated client needs one name each.
    reason: Literal["stopped", "empty", "budget", "max_jobs", "abandoned"]
    succeeded: int
    failed: int
    dead: int
    cancelled: int
    snoozed: int
    released: int = Field(description="Handed back, uncharged: the time was over.")
    lost: int
    abandoned: int
    unfit: tuple[str, ...] = Field(description="Tasks that would not have ended in time.")


@router.post(
    "/worker",
    response_model=RunReport,
    responses={
        **problems(BadOption),
        **problem_response(409, "no-tasks", _NO_TASKS),
        **problem_response(429, "too-many-runs", _BUSY),
    },
)
@operates_all
async def run_worker(
    site: OfSite, request: Request, run: Annotated[RunRequest, Body(default_factory=RunRequest)]
) -> Any:
    """Work off jobs of the service's tasks within a time, and report."""
    budget = seconds(run.budget, name="budget")
    if not 0 < budget <= LONGEST_SECONDS:
        raise BadOption(f"budget: {run.budget!r} is not between 0 and {LONGEST_SECONDS:g} s")
    if not site.registry:
        return respond(request, make_problem(409, "no-tasks", _NO_TASKS))
    if len(site.runs) >= site.settings.runs_at_once:
        headers = {"Retry-After": "5"}
        return respond(request, make_problem(429, "too-many-runs", _BUSY, headers=headers))
    worker = Worker(site.client, site.registry, observers=site.observers)
    report = await site.runs.run(
        request,
        partial(worker.run, budget=budget, max_jobs=run.max_jobs, batch=run.batch),
        partial(worker.stop, within=STOP_SECONDS),
        over=site.ending.wait(),
    )
    return asdict(report)
