"""`POST /worker/tick`: work for a moment, for where nothing runs all the time but a cron job."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from leasehold.kit.web import Document
from leasehold.web import Refused, make_problem
from leasehold_documents.web.hub import OfHub, get_hub
from leasehold_documents.web.people import is_known, shown_token
from leasehold_documents.web.problems import PROBLEMS
from leasehold_documents.working import Tick, Ticked

router = APIRouter(tags=["worker"])
STOP_SECONDS = 1.0  # for the job under way, when nobody waits for the run any more
MOST_RUNS = 4  # in a process: each has threads and connections of its own
NOTHING = 204
_NOTHING: dict[int | str, dict[str, Any]] = {NOTHING: {"description": "Nothing was to be done."}}


class Ran(Document):
    """What the run did."""

    jobs: int
    done: int
    duration_ms: int


def _cron(request: Request) -> None:
    """Refuse whoever has not the service's token."""
    hub = get_hub(request)
    if hub.tokens.is_service(shown_token(request)):
        return
    if not hub.settings.service_token:
        detail = "the operator has set no token for this: LEASEHOLD_DOCUMENTS_SERVICE_TOKEN"
        raise Refused(make_problem(403, "no-service-token", detail))
    if is_known(request):
        detail = "this needs the service's token, which is nobody's own"
        raise Refused(make_problem(403, "wrong-scope", detail))
    headers = {"WWW-Authenticate": 'Bearer realm="leasehold-documents worker"'}
    detail = "this needs the service's token: Authorization: Bearer …"
    raise Refused(make_problem(401, "unauthenticated", detail, headers=headers))


@router.post(
    "/worker/tick",
    response_model=Ran,
    responses={**PROBLEMS.responses(), **_NOTHING},
    dependencies=[Depends(_cron)],
)
async def tick(
    request: Request,
    hub: OfHub,
    *,
    drain: Annotated[bool, Query(description="All that fits into 45 s, not one job.")] = False,
) -> Any:
    """Run one job, or as many as fit; 204 when there was nothing to do."""
    if len(hub.runs) >= MOST_RUNS:
        detail = "so many runs as may be are under way; ask again when one has ended"
        headers = {"Retry-After": "5"}
        raise Refused(make_problem(429, "too-many-runs", detail, headers=headers))
    run = Tick(hub.client, drain=drain)
    ran: Ticked = await hub.runs.run(request, run.run, partial(run.stop, within=STOP_SECONDS))
    return Response(status_code=NOTHING) if ran.jobs == 0 else ran._asdict()
