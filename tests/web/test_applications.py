"""Applications plug in: found by entry point, served below their name, never in the way."""

from __future__ import annotations

import asyncio
import zipfile
from contextlib import asynccontextmanager, closing
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

import leasehold as lh
from leasehold.web import Application, WebSettings
from leasehold.web.applications import Found, load
from leasehold.web.assembly import assemble
from leasehold.web.serving import embedded_workers
from tests.web.kit import HOST, PROBLEM
from tests.web.tasks import REGISTRY, add
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from leasehold.client import Client
    from leasehold.web.assembly import Assembly

EXAMPLE = Path(__file__).parents[2] / "examples" / "guestbook"


@lh.task(name="own.count", queue="own")
def count(up_to: int) -> int:
    return up_to


async def echo(request: Request) -> JSONResponse:
    body = (await request.body()).decode()
    told = {"method": request.method, "root": request.scope["root_path"], "body": body}
    return JSONResponse(told | {"path": request.path_params.get("rest")})


def echo_app(_client: Client) -> ASGIApp:
    methods = ["GET", "POST"]
    return Starlette(
        routes=[
            Route("/", echo, methods=methods),
            Route("/{rest:path}", echo, methods=methods),
        ]
    )


def found(application: Application) -> Found:
    return Found(name=application.name, application=application)


def ask(assembly: Assembly, method: str, path: str, **options: Any) -> httpx.Response:
    """Ask the application inside of its lifespan."""

    async def run() -> httpx.Response:
        app = assembly.app
        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url=HOST) as http:
                return await http.request(method, path, **options)

    return asyncio.run(run())


@pytest.fixture
def build(client: Client) -> Callable[..., Assembly]:
    def build(*applications: Application, **settings: Any) -> Assembly:
        return assemble(
            client,
            settings=WebSettings(**settings),
            registry=REGISTRY,
            found=[found(each) for each in applications],
        )

    return build


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ["/echo", "/echo/"])
def test_an_application_answers_with_and_without_a_slash(
    build: Callable[..., Assembly], method: str, path: str
) -> None:
    assembly = build(Application(name="echo", title="Echo", make_app=echo_app))
    answer = ask(assembly, method, path, content=b"hello" if method == "POST" else None)
    assert answer.status_code == 200  # nothing is redirected
    body = "hello" if method == "POST" else ""
    assert answer.json() == {"method": method, "root": "/echo", "body": body, "path": None}


def test_its_own_routes_do_not_repeat_its_name(build: Callable[..., Assembly]) -> None:
    assembly = build(Application(name="echo", title="Echo", make_app=echo_app))
    assert ask(assembly, "GET", "/echo/items/7").json()["path"] == "items/7"
    assert ask(assembly, "GET", "/echoes").status_code == 404


def test_an_alias_is_answered_as_what_it_stands_for_behind_the_same_door(client: Client) -> None:
    application = Application(name="echo", title="Echo", make_app=echo_app)

    def build() -> Assembly:
        aliases = {"/worker": "/echo/on/call"}
        settings = WebSettings()
        return assemble(client, settings=settings, found=[found(application)], aliases=aliases)

    told = ask(build(), "POST", "/worker", content=b"hello").json()
    assert told == {"method": "POST", "root": "/echo", "body": "hello", "path": "on/call"}
    assert ask(build(), "POST", "/worker/more").status_code == 404
    client.tokens.add("ada")
    assert ask(build(), "POST", "/worker").status_code == 401


def test_the_guard_stands_before_applications_too(build: Callable[..., Assembly]) -> None:
    application = Application(name="echo", title="Echo", make_app=echo_app)
    assembly = build(application)
    answer = ask(assembly, "POST", "/echo", headers={"origin": "https://evil.example"})
    assert answer.status_code == 403
    assert "default-src 'none'" in ask(assembly, "GET", "/echo").headers["content-security-policy"]
    assert ask(build(application, is_read_only=True), "POST", "/echo").status_code == 403


def test_an_applications_own_policy_stands(build: Callable[..., Assembly]) -> None:
    async def page(_request: Request) -> PlainTextResponse:
        return PlainTextResponse("hi", headers={"content-security-policy": "default-src 'self'"})

    app = Starlette(routes=[Route("/", page)])
    assembly = build(Application(name="page", title="Page", make_app=lambda _client: app))
    assert ask(assembly, "GET", "/page").headers["content-security-policy"] == "default-src 'self'"


def test_an_application_may_take_larger_bodies(build: Callable[..., Assembly]) -> None:
    large = Application(name="large", title="Large", make_app=echo_app, body_limit=2_000)
    small = Application(name="small", title="Small", make_app=echo_app)
    assembly = build(large, small, body_limit=1_000)
    assert ask(assembly, "POST", "/large/x", content=b"x" * 1_500).status_code == 200
    assert ask(assembly, "POST", "/small/x", content=b"x" * 1_500).status_code == 413
    assert ask(assembly, "POST", "/large/x", content=b"x" * 2_500).status_code == 413


def test_an_application_is_started_and_ended(build: Callable[..., Assembly]) -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        seen.append("start")
        yield
        seen.append("end")

    async def page(_request: Request) -> PlainTextResponse:
        seen.append("asked")
        return PlainTextResponse("hi")

    app = Starlette(routes=[Route("/", page)], lifespan=lifespan)
    assembly = build(Application(name="page", title="Page", make_app=lambda _client: app))
    ask(assembly, "GET", "/page")
    assert seen == ["start", "asked", "end"]


def _crash(*_: object) -> Any:
    raise RuntimeError("no ink: postgresql://me:canary-secret@db/x")


@asynccontextmanager
async def _crash_at_start(_app: Starlette) -> AsyncIterator[None]:
    _crash()
    yield


@lh.task(name="web.add")
def other_add(left: int) -> int:
    return left


def _start_badly(_client: Client) -> ASGIApp:
    return Starlette(lifespan=_crash_at_start)


BROKEN = [
    Application(name="bad", title="Bad", make_app=_crash),
    Application(name="bad", title="Bad", make_app=_start_badly),
    Application(name="bad", title="Bad", tasks=[other_add]),
    Application(name="bad", title="Bad", store_url="nonsense://canary-secret"),
]


@pytest.mark.parametrize("application", BROKEN, ids=["make", "start", "task", "store"])
def test_a_broken_application_is_shown_and_stops_nobody(
    build: Callable[..., Assembly], application: Application
) -> None:
    assembly = build(application, Application(name="echo", title="Echo", make_app=echo_app))
    assert ask(assembly, "GET", "/echo").status_code == 200
    answer = ask(assembly, "GET", "/bad")
    assert answer.status_code == 503
    assert answer.headers["content-type"] == PROBLEM
    link = next(each for each in assembly.main.applications if each.name == "bad")
    assert link.error is not None
    assert "canary-secret" not in answer.text + link.error
    assert assembly.main.registry.kinds == REGISTRY.kinds
    with closing(assembly):
        assert ask(assembly, "GET", "/api/jobs").status_code == 200


@pytest.mark.parametrize("name", ["api", "jobs", "worker", "health", "stores", "static"])
def test_our_own_names_are_not_given_away(build: Callable[..., Assembly], name: str) -> None:
    assembly = build(Application(name=name, title="Mine", make_app=echo_app))
    assert "is taken" in assembly.broken[name]
    assert ask(assembly, "GET", "/health/live").json() == {"status": "ok"}


def test_two_applications_of_one_name_are_told_apart(build: Callable[..., Assembly]) -> None:
    one = Application(name="echo", title="One", make_app=echo_app)
    assembly = build(one, Application(name="echo", title="Two", make_app=_crash))
    assert ask(assembly, "GET", "/echo").status_code == 200
    assert [each.error is None for each in assembly.main.applications] == [True, False]


@pytest.mark.parametrize("value", ["", "Shop", "my app", "a/b", "..", "1shop", "a" * 41])
def test_a_name_must_fit_into_an_address(value: str) -> None:
    point = EntryPoint(name="x", value=f"{__name__}:made", group="leasehold.apps")
    object.__setattr__(point, "load", lambda: Application(name=value, title="X"))
    (told,) = load([point])
    assert told.application is None
    assert told.error is not None


@pytest.mark.parametrize("value", ["no.such.module:x", "leasehold:task", "os:getcwd"])
def test_an_entry_point_that_names_no_application_is_told_of(value: str) -> None:
    (told,) = load([EntryPoint(name="odd", value=value, group="leasehold.apps")])
    assert told.name == "odd"
    assert told.error is not None


def test_its_tasks_run_in_the_embedded_worker_and_its_observers_see_it(
    build: Callable[..., Assembly], client: Client
) -> None:
    seen: list[str] = []

    class Watching(lh.Observer):
        def ended(self, run: lh.Run) -> None:
            seen.append(run.kind)

    own = Application(name="own", title="Own", tasks=[count], observers=[Watching()])
    assembly = build(own)
    with embedded_workers(assembly, poll="50ms", grace="2s") as workers:
        assert len(workers) == 1
        mine, theirs = client.enqueue(count, 3), client.enqueue(add, 1)
        assert client.wait(mine, 20) == 3
        assert client.wait(theirs, 20) == 2
    assert sorted(seen) == sorted([count.name, add.name])


def test_an_application_with_a_store_of_its_own_has_worker_and_pages_of_its_own(
    build: Callable[..., Assembly], client: Client, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'own.db'}"
    assembly = build(Application(name="own", title="Own", tasks=[count], store_url=url))
    main, other = assembly.sites
    assert [each.path for each in main.stores] == ["", "/stores/own"]
    assert main.applications[0].store == "own"
    with closing(assembly), embedded_workers(assembly, poll="50ms", grace="2s") as workers:
        assert len(workers) == 2
        document = {"kind": "own.count", "args": {"up_to": 4}}
        answer = ask(assembly, "POST", "/stores/own/api/jobs", json=document)
        assert answer.status_code == 201
        job_id = answer.json()["id"]
        assert answer.headers["location"] == f"/stores/own/api/jobs/{job_id}"
        assert other.client.wait(job_id, 20) == 4
        assert ask(assembly, "GET", answer.headers["location"]).json()["result"] == 4
        assert ask(assembly, "GET", f"/api/jobs/{job_id}").status_code == 404
        assert client.find() == []


def test_an_application_without_a_page_is_linked_to_its_stores(
    build: Callable[..., Assembly], tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'own.db'}"
    assembly = build(
        Application(name="quiet", title="Quiet", tasks=[count]),
        Application(name="own", title="Own", tasks=[count], store_url=url),
    )
    with closing(assembly):
        assert [each.path for each in assembly.main.applications] == ["/", "/stores/own/"]
        for each in assembly.main.applications:
            assert ask(assembly, "GET", each.path).status_code == 200


def test_a_service_that_is_started_again_does_not_end_at_once(
    build: Callable[..., Assembly], tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'own.db'}"
    own = Application(name="own", title="Own", tasks=[count], store_url=url)
    assembly = build(own, needs_worker=False)
    with closing(assembly):
        for _ in range(2):
            assert ask(assembly, "GET", "/health/ready").status_code == 200
            assert ask(assembly, "GET", "/stores/own/health/ready").status_code == 200
            assert all(site.ending.is_set() for site in assembly.sites)


def test_the_example_can_be_installed_and_used(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(EXAMPLE, tmp_path / "site", monkeypatch)
    from leasehold.web.applications import find_applications

    applications = [each for each in find_applications() if each.name == "guestbook"]
    assembly = assemble(client, settings=WebSettings(), found=applications)
    assert assembly.broken == {}
    with embedded_workers(assembly, poll="50ms", grace="2s"):
        for path in ("/guestbook", "/guestbook/"):
            answer = ask(assembly, "POST", path, data={"name": "<b>Ada</b>"})
            assert (answer.status_code, answer.headers["location"]) == (303, "/guestbook")
        assert [each.name for each in client.schedules.list()] == ["guestbook-thanks"]
        wait_until(
            lambda: "&lt;b&gt;Ada&lt;/b&gt; was here" in ask(assembly, "GET", "/guestbook").text,
            "the guestbook is signed",
        )


def install(project: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build a wheel and unpack it where Python looks: all that an installer would do with it."""
    from hatchling.build import build_wheel

    folder.mkdir()
    monkeypatch.chdir(project)
    wheel = build_wheel(str(folder))
    with zipfile.ZipFile(folder / wheel) as packed:
        packed.extractall(folder)
    monkeypatch.syspath_prepend(str(folder))
