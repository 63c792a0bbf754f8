"""Answers of applications that go on end with the service, and with the right to hear them."""

from __future__ import annotations

import asyncio
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
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from leasehold.client import Client
    from leasehold.web.assembly import Assembly

DEADLINE_SECONDS = 30


def make_app(_client: Client) -> ASGIApp:
    async def go_on(request: Request) -> PlainTextResponse:
        await until_over(request)
        return PlainTextResponse("over")

    return Starlette(routes=[Route("/", go_on)])


def heard(client: Client, end: Callable[[Assembly], object], **options: Any) -> str:
    """Ask for what goes on, end it, and return what was said at its end."""

    async def run() -> str:
        transport = httpx.ASGITransport(assembly.app)
        async with httpx.AsyncClient(transport=transport, base_url=HOST) as http:
            asking = asyncio.create_task(http.get("/watching", **options))
            done, _ = await asyncio.wait({asking}, timeout=0.1)
            assert not done
            await asyncio.to_thread(end, assembly)
            return (await asyncio.wait_for(asking, DEADLINE_SECONDS)).text

    application = Application(name="watching", title="Watching", make_app=make_app)
    found = [Found(name="watching", application=application)]
    settings = WebSettings(needs_worker=False)
    with closing(assemble(client, settings=settings, found=found)) as assembly:
        return asyncio.run(run())


def test_they_end_with_the_service(client: Client) -> None:
    def end(assembly: Assembly) -> None:
        assembly.main.ending._loop.call_soon_threadsafe(assembly.main.ending.set)  # type: ignore[attr-defined] # its loop, from a thread

    assert heard(client, end) == "over"


def test_they_end_with_the_token(client: Client) -> None:
    secret = client.tokens.add("ada", scope="read").secret
    header = {"authorization": f"Bearer {secret}"}
    assert heard(client, lambda _: client.tokens.revoke("ada"), headers=header) == "over"


def test_elsewhere_they_end_when_they_are_cancelled() -> None:
    async def run() -> None:
        await asyncio.wait_for(until_over({"type": "http", "state": {}}), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(run())
