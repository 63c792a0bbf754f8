"""Answers of applications that go on end with the service, and with the right to hear them."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from leasehold.web import Application, WebSettings, until_over
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from tests.web.kit import HOST

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from leasehold.client import Client
    from leasehold.web.assembly import Assembly

DEADLINE_SECONDS = 30
inside = threading.Event()  # somebody has been let in, and waits


def make_app(_client: Client) -> ASGIApp:
    async def go_on(request: Request) -> PlainTextResponse:
        inside.set()
        await until_over(request)
        return PlainTextResponse("over")

    return Starlette(routes=[Route("/", go_on)])


def heard(client: Client, end: Callable[[Assembly], Awaitable[object]], **options: Any) -> str:
    """Ask for what goes on, end it, and return what was said at its end."""

    async def run() -> str:
        transport = httpx.ASGITransport(assembly.app)
        async with httpx.AsyncClient(transport=transport, base_url=HOST) as http:
            inside.clear()
            asking = asyncio.create_task(http.get("/watching", **options))
            assert await asyncio.to_thread(inside.wait, DEADLINE_SECONDS)
            assert not asking.done()
            await end(assembly)
            return (await asyncio.wait_for(asking, DEADLINE_SECONDS)).text

    application = Application(name="watching", title="Watching", make_app=make_app)
    found = [Found(name="watching", application=application)]
    settings = WebSettings(needs_worker=False)
    with closing(assemble(client, settings=settings, found=found)) as assembly:
        return asyncio.run(run())


def test_they_end_with_the_service(client: Client) -> None:
    async def end(assembly: Assembly) -> None:
        assembly.main.ending.set()

    assert heard(client, end) == "over"


def test_they_end_with_the_token(client: Client) -> None:
    secret = client.tokens.add("ada", scope="read").secret
    header = {"authorization": f"Bearer {secret}"}

    async def end(_assembly: Assembly) -> None:
        await asyncio.to_thread(client.tokens.revoke, "ada")

    assert heard(client, end, headers=header) == "over"


def test_elsewhere_they_end_when_they_are_cancelled() -> None:
    async def run() -> None:
        await asyncio.wait_for(until_over({"type": "http", "state": {}}), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(run())
