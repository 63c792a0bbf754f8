"""The stream behind each open page."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import anyio.to_thread
from starlette.responses import PlainTextResponse

from leasehold.web.access.lasting import still_stands
from leasehold.web.access.rights import find_refusal
from leasehold.web.dashboard.answering import look_of, see
from leasehold.web.dashboard.looks import Look, Page
from leasehold.web.dashboard.rendering import fingerprint, render
from leasehold.web.dashboard.ticking import tick_stream
from leasehold.web.problems import Refused
from leasehold.web.streams import Seen, TooManyStreams

if TYPE_CHECKING:
    from fastapi import Request, Response

    from leasehold.web.dashboard.looks import View
    from leasehold.web.dashboard.sections import Section

_MOST_LETTERS = 2_000


def open_stream(request: Request, section: Section) -> Response:
    """Follow the page that `of` names: its path and query, as this service has them."""
    asked = request.query_params.get("of", "")
    here = look_of(request)
    address = urlsplit(asked[:_MOST_LETTERS])
    is_ours = not address.netloc and len(asked) <= _MOST_LETTERS
    found = section.find(address.path.removeprefix(here.root)) if is_ours else None
    if found is None:
        return PlainTextResponse("There is no such page to follow.", 404)
    view, params = found
    if here.identity is not None and (problem := find_refusal(here.identity, section.needs[view])):
        raise Refused(problem)
    look = Look(
        site=here.site,
        path=address.path.removeprefix(here.root),
        root=here.root,
        params=params,
        query=dict(parse_qsl(address.query)),
        identity=here.identity,
    )

    async def watch() -> Seen:
        return await anyio.to_thread.run_sync(_see, replace(look, now=datetime.now(UTC)), view)

    try:
        listener = request.app.state.streams.listen(look.topic, watch)
    except TooManyStreams:
        text = "Too many live pages are open; this one is not updated by itself."
        return PlainTextResponse(text, 503, {"Retry-After": "10"})
    stands = partial(still_stands, here.site.access, here.identity, request.scope)
    return tick_stream(listener, here.site.ending, stands)


def _see(look: Look, view: View) -> Seen:
    page = see(look, view)
    body = render(look, page) if isinstance(page, Page) else b""
    return Seen(fingerprint(body), body)
