"""Logging in with a token, and out again."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi.responses import HTMLResponse, RedirectResponse

from leasehold.web.access.access import TooMany
from leasehold.web.access.cookies import drop_session, set_session
from leasehold.web.access.gate import read_credential, too_many
from leasehold.web.access.identity import Manner, identity_of
from leasehold.web.dashboard.answering import look_of
from leasehold.web.dashboard.rendering import write_part
from leasehold.web.problems import Refused
from leasehold.web.site import get_whole_site

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapi import Request, Response

    from leasehold.web.access.access import Access
    from leasehold.web.dashboard.looks import Look

_ALWAYS = {"Cache-Control": "no-store"}
_WRONG = "This token is not known, was revoked, or has expired."


def show_login(request: Request) -> Response:
    """Ask for a token."""
    return _show(look_of(request), wrong="", status=200)


def _show(look: Look, *, wrong: str, status: int) -> Response:
    values = {"wrong": wrong, "next": _wanted(look)}
    return HTMLResponse(write_part(look, "login.html", **values), status, _ALWAYS)


async def log_in(request: Request, form: Mapping[str, tuple[str, ...]]) -> Response:
    """Open a session for whoever has the token; the next page is one of ours."""
    access = _access(request)
    look = look_of(request, form)
    address = read_credential(request.scope).address
    try:
        identity = await access.by_bearer(look.said("token"), address)
    except TooMany as error:
        detail = "too many wrong tokens came from your address"
        raise Refused(too_many(error.seconds, detail)) from None
    if identity is None:
        return _show(look, wrong=_WRONG, status=401)
    former = identity_of(request)
    cookie, seconds = await access.log_in(identity, address)
    if former is not None and former.manner is Manner.SESSION:
        await access.log_out(former)  # a browser has one at a time
    response = RedirectResponse(look.root + _wanted(look), 303, headers=_ALWAYS)
    set_session(response, request.scope, cookie, seconds)
    return response


async def log_out(request: Request) -> Response:
    """End the session; whoever has none is at the login, too."""
    identity = identity_of(request)
    response = RedirectResponse(f"{look_of(request).root}/login", 303, headers=_ALWAYS)
    if identity is not None and identity.manner is Manner.SESSION:
        await _access(request).log_out(identity)
    drop_session(response, request.scope)
    return response


def _access(request: Request) -> Access:
    access = get_whole_site(request).access
    assert access is not None  # noqa: S101 - create_app makes it
    return access


def _wanted(look: Look) -> str:
    """Return where to go after the login: only ever a page of this service."""
    wanted = look.said("next") or look.asked("next")
    given = urlsplit(wanted)
    is_ours = not given.scheme and not given.netloc and given.path.startswith("/")
    if not is_ours or "\\" in wanted or given.path.startswith(("/login", "//")):
        return "/"
    return given.path + (f"?{given.query}" if given.query else "")
