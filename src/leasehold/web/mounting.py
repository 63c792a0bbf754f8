"""Serves an application below its name: with and without a slash, its start and its end."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from starlette.routing import Match, Mount

from leasehold.web.guard import answer
from leasehold.web.problems import make_problem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class ApplicationMount(Mount):
    """A mount whose own address, without a slash, is the application's `/`.

    Nothing is redirected: a POST that is may come back as a GET, or without its body.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] not in {"http", "websocket"}:
            return Match.NONE, {}
        path: str = scope["path"]
        if path.removeprefix(scope.get("root_path", "")) != self.path:
            return super().matches(scope)
        match, child = super().matches({**scope, "path": path + "/"})
        return match, {**child, "path": path + "/"}


class Aliases:
    """Answers some paths as if another one had been asked for, before anything looks at it."""

    def __init__(self, app: ASGIApp, aliases: Mapping[str, str]) -> None:
        self._app = app
        self._aliases = aliases

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in {"http", "websocket"}:
            root: str = scope.get("root_path", "")
            meant = self._aliases.get(scope["path"].removeprefix(root))
            if meant is not None:
                scope = {**scope, "path": root + meant, "raw_path": (root + meant).encode()}
        await self._app(scope, receive, send)


def broken(name: str, error: str) -> ASGIApp:
    """Stand in for an application that could not be loaded."""
    detail = f"the application {name!r} could not be started: {error}"

    async def app(scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await answer(make_problem(503, "broken-application", detail), send)

    return app


@asynccontextmanager
async def lifespan_of(app: ASGIApp) -> AsyncIterator[None]:
    """Start an application and end it, as a server would: a mount alone would not."""
    told: asyncio.Queue[Message] = asyncio.Queue()
    heard: asyncio.Queue[Message] = asyncio.Queue()
    state: dict[str, Any] = {}
    scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.0"}, "state": state}
    task = asyncio.ensure_future(app(scope, told.get, heard.put))
    is_started = await _say("startup", told, heard, task)
    try:
        yield
    finally:
        if is_started:
            await _say("shutdown", told, heard, task)
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):  # its end is its own matter
            await task


async def _say(
    word: str,
    told: asyncio.Queue[Message],
    heard: asyncio.Queue[Message],
    task: asyncio.Future[Any],
) -> bool:
    """Tell the application, and wait for its answer; False when it does not care for it."""
    await told.put({"type": f"lifespan.{word}"})
    hearing = asyncio.ensure_future(heard.get())
    await asyncio.wait({hearing, task}, return_when=asyncio.FIRST_COMPLETED)
    if not hearing.done():
        hearing.cancel()
        return False
    message = hearing.result()
    if message["type"] == f"lifespan.{word}.failed":
        raise RuntimeError(message.get("message") or f"its {word} failed")
    return True
