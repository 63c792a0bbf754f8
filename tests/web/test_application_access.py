"""Applications in the service: who gets to them, and how they learn who it is."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from leasehold.web import Application, WebSettings, identity_of
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from tests.web.kit import HOST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from leasehold.client import Client
    from leasehold.web.assembly import Assembly


async def tell(request: Request) -> JSONResponse:
    identity = identity_of(request)
    if identity is None:
        return JSONResponse(None)
    return JSONResponse([identity.name, identity.right, identity.tenant])


def make_app(client: Client) -> ASGIApp:
    def pause(_request: Request) -> JSONResponse:
        client.queues.pause("mail", by="somebody else")
        return JSONResponse(None)

    return Starlette(
        routes=[Route("/pause", pause), Route("/{rest:path}", tell, methods=["GET", "POST"])]
    )


Ask = "Callable[..., httpx.Response]"


@pytest.fixture
def ask(client: Client, tmp_path: Any) -> Iterator[Callable[..., httpx.Response]]:
    applications = [
        Application(name="closed", title="Closed", make_app=make_app),
        Application(name="opened", title="Open", make_app=make_app, is_for_everybody=True),
        Application(name="shared", title="Shared", make_app=make_app, is_for_tenants=True),
        Application(
            name="asking", title="Asking", make_app=make_app, is_for_tenants=True, is_asking=True
        ),
        Application(name="own", title="Own", store_url=f"sqlite:///{tmp_path / 'own.db'}"),
    ]
    found = [Found(name=each.name, application=each) for each in applications]
    settings = WebSettings(needs_worker=False)
    with closing(assemble(client, settings=settings, found=found, is_migrating=True)) as assembly:
        yield lambda *given, **named: _ask(assembly, *given, **named)


def _ask(assembly: Assembly, method: str, path: str, **options: Any) -> httpx.Response:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(assembly.app)
        async with httpx.AsyncClient(transport=transport, base_url=HOST) as http:
            return await http.request(method, path, **options)

    return asyncio.run(run())


def bearer(client: Client, name: str, **words: Any) -> dict[str, str]:
    return {"authorization": f"Bearer {client.tokens.add(name, **words).secret}"}


def test_without_tokens_everybody_gets_everywhere(ask: Callable[..., httpx.Response]) -> None:
    for name in ("closed", "opened", "shared"):
        assert ask("GET", f"/{name}/x").json() == ["", "admin", None]


def test_an_application_is_for_those_who_may_read_and_learns_who_it_is(
    client: Client, ask: Callable[..., httpx.Response]
) -> None:
    reader = bearer(client, "reader")
    assert ask("GET", "/closed/x", headers=reader).json() == ["reader", "read", None]
    for path in ("/closed", "/closed/", "/closed/x", "/shared/x"):
        assert ask("GET", path).status_code == 401
    led = ask("GET", "/closed/x", headers={"accept": "text/html"})
    assert led.headers["location"] == "/login?next=/closed/x"


def test_one_that_is_for_everybody_asks_nobody(
    client: Client, ask: Callable[..., httpx.Response]
) -> None:
    reader = bearer(client, "reader")
    assert ask("GET", "/opened/x").json() is None
    assert ask("GET", "/opened").json() is None
    assert ask("GET", "/opened/x", headers=reader).json() == ["reader", "read", None]
    assert ask("GET", "/openedx").status_code == 401


def test_one_that_asks_itself_gets_other_credentials_and_they_are_no_wrong_ones(
    client: Client, ask: Callable[..., httpx.Response]
) -> None:
    reader = bearer(client, "reader")
    assert ask("GET", "/asking/x").json() is None
    other = {"authorization": "Bearer e30.e30.e30"}
    for _ in range(30):  # more than wrong ones may come of an address
        assert ask("GET", "/asking/x", headers=other).json() is None
    assert ask("GET", "/asking/x", headers=reader).json() == ["reader", "read", None]
    assert ask("GET", "/closed/x", headers=other).status_code == 401
    assert ask("GET", "/asking/x", headers={"authorization": "Bearer lh_x"}).json() is None
    session = ask("POST", "/login", data={"token": reader["authorization"][7:]})
    cookie = {"cookie": session.headers["set-cookie"].partition(";")[0]}
    assert ask("POST", "/asking/x", headers=cookie).status_code == 403
    assert ask("POST", "/asking/x", headers=cookie | {"origin": HOST}).status_code == 200


def test_who_is_bound_to_a_tenant_gets_only_where_tenants_are_known(
    client: Client, ask: Callable[..., httpx.Response]
) -> None:
    bound = bearer(client, "bound", scope="admin", tenant="acme")
    assert ask("GET", "/closed/x", headers=bound).status_code == 403
    assert ask("GET", "/shared/x", headers=bound).json() == ["bound", "admin", "acme"]


def test_what_an_application_does_for_somebody_is_recorded_as_theirs(
    client: Client, ask: Callable[..., httpx.Response]
) -> None:
    assert ask("GET", "/shared/pause", headers=bearer(client, "ana")).status_code == 200
    row = client.audit.list()[0]
    assert (row.action, row.actor, row.via) == ("queue.pause", "ana", "shared")


def test_a_store_of_an_applications_own_has_the_same_door(
    client: Client, ask: Callable[..., httpx.Response]
) -> None:
    reader = bearer(client, "reader")
    for path in ("/stores/own/api/jobs", "/stores/own/metrics", "/stores/own/nowhere"):
        assert ask("GET", path).status_code == 401
    assert ask("GET", "/stores/own/api/jobs", headers=reader).json()["jobs"] == []
    refused = ask("POST", "/stores/own/api/jobs", headers=reader, json={"kind": "x"})
    assert refused.status_code == 403
    assert ask("GET", "/stores/own/health/live").status_code == 200


def test_a_session_changes_something_in_an_application_only_from_a_page_of_ours(
    client: Client, ask: Callable[..., httpx.Response]
) -> None:
    secret = client.tokens.add("ana", scope="operate").secret
    done = ask("POST", "/login", data={"token": secret})
    session = {"cookie": done.headers["set-cookie"].partition(";")[0]}
    own = session | {"origin": HOST}
    assert ask("POST", "/closed/x", headers=own).json() == ["ana", "operate", None]
    assert ask("POST", "/closed/x", headers=session).status_code == 403
    foreign = session | {"origin": "https://evil.example"}
    assert ask("POST", "/closed/x", headers=foreign).status_code == 403
