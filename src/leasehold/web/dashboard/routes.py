"""The dashboard's routes: its pages, what their forms do, the stream behind them, its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from leasehold.model.access import Right
from leasehold.web.access.gate import is_confirmed
from leasehold.web.access.identity import identity_of
from leasehold.web.access.rights import (
    CSRF_PENDING,
    ApiRouter,
    Needs,
    authorise,
    declare,
    for_everybody,
    reads,
    wrong_csrf,
)
from leasehold.web.dashboard import (
    audit,
    batches,
    bulk,
    failures,
    job,
    jobs,
    overview,
    queues,
    schedules,
    system,
    tenants,
    throttles,
    workers,
)
from leasehold.web.dashboard.answering import answer_action, answer_view, look_of
from leasehold.web.dashboard.csrf import FIELD
from leasehold.web.dashboard.entering import log_in, log_out, show_login
from leasehold.web.dashboard.live import open_stream
from leasehold.web.dashboard.rendering import ASSETS
from leasehold.web.dashboard.sections import Section
from leasehold.web.problems import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from leasehold.web.dashboard.looks import Action, View

MOST_FIELDS = 2_000
_LOGIN_FIELDS = 10
PAGES = Section(
    overview.section,
    bulk.section,
    jobs.section,
    job.section,
    failures.section,
    queues.section,
    batches.section,
    schedules.section,
    workers.section,
    throttles.section,
    tenants.section,
    system.section,
    audit.section,
)


def _shown(view: View) -> Callable[[Request], Response]:
    needs = PAGES.needs[view]

    @declare(needs)
    def show(request: Request) -> Response:
        authorise(request, needs)
        return answer_view(request, view)

    return show


def _done(action: Action) -> Callable[[Request], Coroutine[None, None, Response]]:
    needs = PAGES.needs[action]

    @declare(needs)
    async def act(request: Request) -> Response:
        authorise(request, needs)
        form = await _read_form(request)
        return await run_in_threadpool(answer_action, request, look_of(request, form), action)

    return act


async def _read_form(request: Request) -> dict[str, tuple[str, ...]]:
    """Read a form; what a session sends has to have its CSRF token."""
    async with request.form(max_files=0, max_fields=MOST_FIELDS) as given:
        form = {name: tuple(map(str, given.getlist(name))) for name in given}
    if request.scope["state"].get(CSRF_PENDING):
        identity = identity_of(request)
        if identity is None or not is_confirmed(form.get(FIELD, ("",))[-1], identity):
            raise Refused(wrong_csrf())
    return form


@for_everybody
def _ask_for_token(request: Request) -> Response:
    return show_login(request)


@for_everybody
async def _enter(request: Request) -> Response:
    async with request.form(max_files=0, max_fields=_LOGIN_FIELDS) as given:
        form = {name: tuple(map(str, given.getlist(name))) for name in given}
    return await log_in(request, form)


@reads
async def _leave(request: Request) -> Response:
    authorise(request, Needs(Right.READ))
    await _read_form(request)
    return await log_out(request)


@reads
async def _live(request: Request) -> Response:
    authorise(request, Needs(Right.READ))
    return open_stream(request, PAGES)


@for_everybody
def _static(name: str) -> Response:
    return ASSETS.answer(name)


def _make() -> ApiRouter:
    made = ApiRouter(include_in_schema=False)
    for path, view in PAGES.views.items():
        made.add_route(path, _shown(view), methods=["GET"])
    for path, action in PAGES.actions.items():
        made.add_route(path, _done(action), methods=["POST"])
    made.add_route("/login", _ask_for_token, methods=["GET"])
    made.add_route("/login", _enter, methods=["POST"])
    made.add_route("/logout", _leave, methods=["POST"])
    made.add_route("/live", _live, methods=["GET"])
    made.add_api_route("/static/{name:path}", _static, methods=["GET"], response_model=None)
    return made


router = _make()
