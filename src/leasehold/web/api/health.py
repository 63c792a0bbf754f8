"""Whether the process lives, and whether jobs are worked off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import Request
from pydantic import Field

from leasehold.errors import StoreError
from leasehold.web.access.rights import ApiRouter, for_everybody
from leasehold.web.answering import respond
from leasehold.web.api.values import Document
from leasehold.web.described import problem_response
from leasehold.web.problems import make_problem, problem_of
from leasehold.web.site import OfWholeSite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.web.site import Site

router = ApiRouter(prefix="/health", tags=["health"])


class Alive(Document):
    """It is well."""

    status: str = Field(examples=["ok"])


@router.get("/live", response_model=Alive)
@for_everybody
def get_liveness() -> Any:
    """Answer as long as the process does; asks nothing of the database."""
    return {"status": "ok"}


@router.get(
    "/ready",
    response_model=Alive,
    responses=problem_response(503, "not-ready", "The reasons why, also in `about`"),
)
@for_everybody
def get_readiness(site: OfWholeSite, request: Request) -> Any:
    """Say whether the database answers, its tables fit, and a worker was seen lately."""
    reasons = list(_find_reasons(site))
    if reasons:
        about = {"reasons": reasons}
        return respond(request, make_problem(503, "not-ready", "; ".join(reasons), about=about))
    return {"status": "ok"}


# Some load balancers only want to know the status.
router.add_api_route("/live", get_liveness, methods=["HEAD"], include_in_schema=False)
router.add_api_route("/ready", get_readiness, methods=["HEAD"], include_in_schema=False)


def _find_reasons(site: Site) -> Iterator[str]:
    if site.ending.is_set():
        yield "the service is about to end"
    if not all(worker.is_healthy for worker in site.workers):
        yield "a handler of the embedded worker could not be stopped: restart the service"
    try:
        site.client.store.check_schema()
        if site.settings.needs_worker and _is_silent(site):
            yield (
                f"no worker was seen for {site.settings.silent_seconds:g} s: start one, or say "
                "--no-needs-worker where only POST /worker is used"
            )
    except StoreError as error:
        yield problem_of(error).detail


def _is_silent(site: Site) -> bool:
    """Idle workers are seen too; and those that just ended were, so that they can be replaced."""
    return site.client.store.silent_seconds() > site.settings.silent_seconds
