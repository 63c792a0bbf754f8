"""Answers requests: views as pages or as their living part, actions as a sentence or a question."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse

from leasehold.errors import BatchNotFound, JobNotFound, LeaseholdError
from leasehold.web.access.identity import identity_of
from leasehold.web.dashboard.csrf import fill_in
from leasehold.web.dashboard.looks import Action, Done, Look, Moved, Page, Question, Text, View
from leasehold.web.dashboard.rendering import fingerprint, render, wrap, write_part
from leasehold.web.site import get_site

if TYPE_CHECKING:
    from collections.abc import Mapping

SAID_COOKIE = "leasehold_said"
SAID_SECONDS = 20
TICK_HEADER = "Leasehold-Tick"  # the mark of a change: many who were told of it ask at once
_ALWAYS = {"Cache-Control": "no-store", "Vary": "HX-Request"}
_NOT_FOUND = (JobNotFound, BatchNotFound)


def look_of(request: Request, form: Mapping[str, tuple[str, ...]] | None = None) -> Look:
    """Read what a request looks at."""
    root = str(request.scope.get("root_path", "")).rstrip("/")
    path = request.url.path.removeprefix(root) or "/"
    return Look(
        site=get_site(request),
        path=path,
        root=root,
        params=request.path_params,
        query=dict(request.query_params),
        form=form or {},
        identity=identity_of(request),
    )


def answer_view(request: Request, view: View) -> Response:
    """Show a page; to the script only its living part, and nothing if it has that already."""
    look = look_of(request)
    shared = request.app.state.streams.last(look.topic, request.headers.get(TICK_HEADER, ""))
    if shared is not None and is_from_script(request):
        return _answer_part(request, look, shared.body, shared.mark, 200)
    match see(look, view):
        case Moved(address):
            return RedirectResponse(address, 303, headers=_ALWAYS)
        case Text(text):
            return PlainTextResponse(text, headers=_ALWAYS)
        case page:
            return _answer_page(request, look, page)


def see(look: Look, view: View) -> Page | Moved | Text:
    """Call the view; what goes wrong becomes a page as well."""
    try:
        return view(look)
    except LeaseholdError as error:
        return page_of_error(error)


def page_of_error(error: LeaseholdError) -> Page:
    """Say what went wrong, in the error's own words."""
    is_missing = isinstance(error, _NOT_FOUND)
    title = "Not found" if is_missing else "That did not work"
    values = {"title": title, "text": str(error)}
    status = 404 if is_missing else 400
    return Page(template="trouble.html", title=title, values=values, status=status, is_live=False)


def _answer_page(request: Request, look: Look, page: Page) -> Response:
    live = render(look, page)
    etag = fingerprint(live)
    if is_from_script(request):
        return _answer_part(request, look, live, etag, page.status)
    said = _read_said(request)
    response = HTMLResponse(
        fill_in(wrap(look, page, live, etag=etag, said=said), look), page.status, _ALWAYS
    )
    if said:
        response.delete_cookie(SAID_COOKIE, path=look.root or "/")
    return response


def _answer_part(request: Request, look: Look, live: bytes, etag: str, status: int) -> Response:
    headers = _ALWAYS | {"ETag": f'"{etag}"'}
    if request.headers.get("If-None-Match") == f'"{etag}"':
        return Response(status_code=204, headers=headers)
    return HTMLResponse(fill_in(live, look), status, headers=headers)


def is_from_script(request: Request) -> bool:
    """Whether htmx asks, for a part of a page."""
    return request.headers.get("HX-Request") == "true"


def answer_action(request: Request, look: Look, action: Action) -> Response:
    """Do what a form says, and say what was done."""
    try:
        result = _refuse(look) if look.is_read_only else action(look)
    except LeaseholdError as error:
        result = Done(text=str(error), level="problem")
    match result:
        case Question():
            return _ask(request, look, result)
        case Done():
            return _say(request, look, result)


def _refuse(_look: Look) -> Done:
    return Done(text="This dashboard is read-only.", level="problem")


def _ask(request: Request, look: Look, question: Question) -> Response:
    values = {"question": question, "back": _back(look)}
    if is_from_script(request):
        headers = _ALWAYS | {"HX-Retarget": "#dialog", "HX-Reswap": "innerHTML"}
        body = fill_in(write_part(look, "question.html", **values), look)
        return HTMLResponse(body, headers=headers)
    page = Page(template="question.html", title=question.text, values=values, is_live=False)
    live = render(look, page)
    return HTMLResponse(fill_in(wrap(look, page, live, etag=""), look), headers=_ALWAYS)


def _say(request: Request, look: Look, done: Done) -> Response:
    if is_from_script(request) and done.to is None:
        headers = _ALWAYS | {"HX-Retarget": "#said", "HX-Reswap": "innerHTML"}
        headers["HX-Trigger"] = "changed"
        return HTMLResponse(write_part(look, "said.html", said=done), headers=headers)
    address = done.to or _back(look)
    response: Response
    if is_from_script(request):
        response = Response(status_code=204, headers=_ALWAYS | {"HX-Redirect": address})
    elif look.is_read_only:
        page = Page(
            template="trouble.html",
            title="Read-only",
            values={"title": "Read-only", "text": done.text},
            is_live=False,
        )
        body = fill_in(wrap(look, page, render(look, page), etag=""), look)
        return HTMLResponse(body, 403, _ALWAYS)
    else:
        response = RedirectResponse(address, 303, headers=_ALWAYS)
    _keep_said(look, response, done)
    return response


def _back(look: Look) -> str:
    """Return where the form was sent from: only ever a page of this service."""
    given = urlsplit(look.said("back"))
    is_ours = not given.scheme and not given.netloc and given.path.startswith(f"{look.root}/")
    if not is_ours or "\\" in given.path:
        return look.root + "/" + look.path.strip("/").split("/")[0]
    return given.path + (f"?{given.query}" if given.query else "")


def _keep_said(look: Look, response: Response, done: Done) -> None:
    response.set_cookie(
        SAID_COOKIE,
        quote(json.dumps([done.level, done.text[:1_000]])),
        max_age=SAID_SECONDS,
        path=look.root or "/",
        httponly=True,
        samesite="strict",
    )


def _read_said(request: Request) -> Done | None:
    try:
        level, text = json.loads(unquote(request.cookies.get(SAID_COOKIE, "")))
    except (ValueError, TypeError):
        return None
    is_known = level in {"ok", "warning", "problem"} and isinstance(text, str)
    return Done(text=text, level=level) if is_known else None
