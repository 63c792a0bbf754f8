"""The dashboard's routes: its pages, what their forms do, the stream behind them, its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from leasehold.web.dashboard import (
    batches,
    bulk,
    failures,
    job,
    jobs,
    overview,
    queues,
    schedules,
    system,
    throttles,
    workers,
)
from leasehold.web.dashboard.answering import answer_action, answer_view, look_of
from leasehold.web.dashboard.live import open_stream
from leasehold.web.dashboard.sections import Section
from leasehold.web.dashboard.static_files import answer_static

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from leasehold.web.dashboard.looks import Action, View

MOST_FIELDS = 2_000
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
    system.section,
)


def _shown(view: View) -> Callable[[Request], Response]:
    def show(request: Request) -> Response:
        return answer_view(request, view)

    return show


def _done(action: Action) -> Callable[[Request], Coroutine[None, None, Response]]:
    async def act(request: Request) -> Response:
        async with request.form(max_files=0, max_fields=MOST_FIELDS) as given:
            names = list(given)
            form = {name: tuple(map(str, given.getlist(name))) for name in names}
        return await run_in_threadpool(answer_action, request, look_of(request, form), action)

    return act


async def _live(request: Request) -> Response:
    return open_stream(request, PAGES)


def _static(name: str) -> Response:
    return answer_static(name)


def _make() -> APIRouter:
    made = APIRouter(include_in_schema=False)
    for path, view in PAGES.views.items():
        made.add_route(path, _shown(view), methods=["GET"])
    for path, action in PAGES.actions.items():
        made.add_route(path, _done(action), methods=["POST"])
    made.add_route("/live", _live, methods=["GET"])
    made.add_api_route("/static/{name:path}", _static, methods=["GET"], response_model=None)
    return made


router = _make()
