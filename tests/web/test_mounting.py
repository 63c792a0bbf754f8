"""The service inside of another application: every path and link begins where it is mounted."""

from __future__ import annotations

import asyncio
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from leasehold.web import Application, WebSettings, create_app
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from tests.web.kit import HOST
from tests.web.tasks import REGISTRY
from tests.web.test_applications import echo_app

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from leasehold.client import Client

ROOT = "/admin/queue"


def inside_starlette(app: ASGIApp) -> ASGIApp:
    return Starlette(routes=[Mount("/admin", routes=[Mount("/queue", app=app)])])


def inside_dispatcher(app: ASGIApp) -> ASGIApp:
    """As one that serves Django for all other paths would do it."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["path"].startswith(ROOT)
        await app({**scope, "root_path": ROOT}, receive, send)

    return dispatch


HOSTS = [inside_starlette, inside_dispatcher]


def ask(app: ASGIApp, method: str, path: str, **options: Any) -> httpx.Response:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=HOST) as http:
            return await http.request(method, ROOT + path, **options)

    return asyncio.run(run())


@pytest.mark.parametrize("mount", HOSTS)
def test_the_api_answers_below_its_mount(
    client: Client, mount: Callable[[ASGIApp], ASGIApp]
) -> None:
    app = mount(create_app(client, registry=REGISTRY))
    job = {"kind": "web.add", "args": {"left": 1}}
    answer = ask(app, "POST", "/api/jobs", json=job)
    assert answer.status_code == 201
    assert answer.headers["location"] == f"{ROOT}/api/jobs/{answer.json()['id']}"
    assert ask(app, "GET", answer.headers["location"].removeprefix(ROOT)).status_code == 200
    assert ask(app, "GET", "/api/nowhere").json()["instance"] == f"{ROOT}/api/nowhere"
    assert ask(app, "DELETE", "/api/jobs").headers["allow"] == "GET, POST"
    document = ask(app, "GET", "/api/openapi.json").json()
    assert document["servers"] == [{"url": ROOT}]
    assert ask(app, "POST", "/worker").json()["succeeded"] == 1


@pytest.mark.parametrize("mount", HOSTS)
@pytest.mark.parametrize("path", ["/", "/jobs", "/queues", "/nowhere"])
def test_every_link_of_a_page_begins_at_its_mount(
    client: Client, mount: Callable[[ASGIApp], ASGIApp], path: str
) -> None:
    app = mount(create_app(client, registry=REGISTRY))
    page = ask(app, "GET", path, headers={"accept": "text/html"}).text
    links = re.findall(r'(?:href|src|action|hx-get|hx-post)="(/[^"]*)"', page)
    assert links
    assert [link for link in links if not link.startswith(ROOT)] == []


@pytest.mark.parametrize("mount", HOSTS)
def test_applications_of_a_mounted_service_are_below_it(
    client: Client, mount: Callable[[ASGIApp], ASGIApp]
) -> None:
    application = Application(name="echo", title="Echo", make_app=echo_app)
    found = [Found(name="echo", application=application)]
    app = mount(assemble(client, settings=WebSettings(), found=found).app)
    for path in ("/echo", "/echo/"):
        answer = ask(app, "POST", path, content=b"x")
        assert answer.status_code == 200
        assert answer.json()["root"] == f"{ROOT}/echo"


def test_a_host_that_passes_the_lifespan_on_ends_the_streams(client: Client) -> None:
    service = create_app(client)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with service.router.lifespan_context(service):
            yield

    host = Starlette(routes=[Mount("/queue", app=service)], lifespan=lifespan)

    async def live() -> None:
        async with host.router.lifespan_context(host):
            assert not service.state.site.ending.is_set()
        assert service.state.site.ending.is_set()

    asyncio.run(live())
