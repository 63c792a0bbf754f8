"""Every route, asked by those who may not: nobody gets what is not theirs, and nothing changes.

The walk is over the routes that the application has: a new one is in it by itself.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

import pytest

from leasehold.client import Client
from leasehold.model.access import Right
from leasehold.web import WebSettings, create_app
from leasehold.web.access.rights import Needs, needs_of
from tests.safety.scene import GLOBEX, KEY, NAME, SECRET, Scene, belongings
from tests.web.kit import Service, serve_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import httpx

    from leasehold.store.base import Store

# The service has the whole store: as the app's role it would be the same as as the worker's.
pytestmark = pytest.mark.parametrize("way", ["sqlite", "postgres", "worker"], indirect=True)
OPEN = {"/health/live", "/health/ready", "/login", "/static/{name:path}"}
# Asked for again and again, or it never ends by itself.
ENDLESS = {"/live", "/logout"}
HTML = {"accept": "text/html"}
JOB_FIELDS = {"kind": "web.add", "args": {"left": 1}}
# What has to be said so that a route gets as far as it can.
BODIES: dict[str, Any] = {
    "enqueue_job": JOB_FIELDS,
    "create_batch": {"name": "mine"},
    "reprioritise_job": {"priority": 7},
    "cancel_jobs": {"where": {"state": "queued"}},
    "retry_jobs": {"where": {"state": "dead"}},
    "delete_jobs": {"where": {"state": "dead"}},
    "set_schedule": {"rule": "@daily", "job": JOB_FIELDS},
    "change_schedule": {"rule": "@hourly"},
    "set_queue_aging": {"aging": "1h"},
    "set_throttle": {"running": 1},
    "limit_queue": {"running": 1},
    "set_share": {"weight": 2},
    "set_retention": {"keep": "7d"},
}


class Step(NamedTuple):
    """One route and method."""

    method: str
    path: str  # as it is declared
    name: str
    needs: Needs

    def fill(self, ids: dict[str, str]) -> str:
        return re.sub(r"\{(\w+)(?::\w+)?\}", lambda found: ids[found[1]], self.path)

    @property
    def is_page(self) -> bool:
        return not self.path.startswith(("/api/", "/health/", "/worker", "/metrics"))

    @property
    def changes(self) -> bool:
        return self.method not in {"GET", "HEAD"}


def steps_of(client: Client) -> list[Step]:
    app = create_app(client)
    found = [
        Step(method, route.path, route.name, needs)
        for route in app.state.routes
        if (needs := needs_of(route)) is not None
        for method in sorted(route.methods or ())
    ]
    assert len(found) > 100
    return found


class Walker:
    """Asks every route, as somebody."""

    def __init__(self, service: Service, steps: list[Step], scene: Scene) -> None:
        self._service = service
        self.steps = steps
        self.theirs = {
            "job_id": str(scene.dead),
            "batch_id": str(scene.batch),
            "name": NAME,
            "key": KEY,
            "what": "arguments",
        }

    def ask(self, step: Step, ids: dict[str, str] | None = None, **options: Any) -> httpx.Response:
        known, said = ids or self.theirs, options.pop("form", {})
        if step.changes and step.is_page:
            form = {"name": known["name"], "job": known["job_id"], "verb": "delete"}
            form |= {"whom": "ticked", "confirm": "yes", "priority": "3"}
            options.setdefault("data", form | said)
        elif step.changes:
            options.setdefault("json", BODIES.get(step.name, {}))
        path = step.fill(known)
        if step.path.startswith("/api/alerts/"):
            path = path.replace(f"/{known['name']}/", "/depth/")
        return self._service._request(step.method, path, **options)


@pytest.fixture
def client(store: Store) -> Client:
    return Client(store=store)


@pytest.fixture
def walk(client: Client, scene: Scene) -> Iterator[Callable[[], Walker]]:
    """Make somebody with cookies of their own."""
    steps = steps_of(client)
    settings = WebSettings(rate=100_000, burst=100_000)
    with ExitStack() as stack:
        yield lambda: Walker(stack.enter_context(serve_inside(client, settings)), steps, scene)


def bearer(client: Client, name: str, right: Right, tenant: str | None = None) -> dict[str, str]:
    made = client.tokens.add(name, scope=right, tenant=tenant)
    return {"authorization": f"Bearer {made.secret}"}


def says(answer: httpx.Response, name: str) -> bool:
    is_bare = answer.request.method == "HEAD"
    return is_bare or bool(answer.json()["type"] == f"urn:leasehold:problem:{name}")


def log_in(walker: Walker, secret: str) -> tuple[dict[str, str], str]:
    """Log in; returns the headers of the session, and its CSRF token."""
    service = walker._service
    answer = service._request("POST", "/login", data={"token": secret})
    assert answer.status_code == 303, answer.text
    cookie = answer.headers["set-cookie"].partition(";")[0]
    headers = {"cookie": cookie, "origin": "http://127.0.0.1"}
    page = service._request("GET", "/jobs", headers=headers | HTML).text
    found = re.search(r'name="csrf" value="(\w+)"', page)
    assert found
    return headers, found[1]


def test_nobody_gets_in_without_a_token(
    store: Store, client: Client, scene: Scene, walk: Callable[[], Walker]
) -> None:
    client.tokens.add("first", scope="admin")
    before = belongings(store, scene)
    walker = walk()
    for headers in ({}, {"authorization": "Bearer lh_nobody"}, {"authorization": "Basic YTpi"}):
        for step in walker.steps:
            if step.path in OPEN:
                continue
            answer = walker.ask(step, headers=headers)
            assert answer.status_code in {401, 429}, step
            assert answer.headers["content-type"] == "application/problem+json", step
            assert SECRET not in answer.text, step
    assert {step.path for step in walker.steps if step.needs.right is None} == OPEN
    assert belongings(store, scene) == before


def test_what_is_served_is_what_is_walked(client: Client, walk: Callable[[], Walker]) -> None:
    walked = {step.path for step in walk().steps}
    served = {getattr(route, "path", "") for route in create_app(client).router.routes}
    assert {path for path in served - walked if path} == {"/api/openapi.json"}
    client.tokens.add("first")
    answer = walk()._service._request("GET", "/api/openapi.json")
    assert answer.status_code == 401


def test_who_may_only_read_changes_nothing(walk: Callable[[], Walker]) -> None:
    weak = {
        (step.method, step.path)
        for step in walk().steps
        if step.changes and (step.needs.right is None or step.needs.right is Right.READ)
    }
    assert weak == {("POST", "/login"), ("POST", "/logout")}  # what is one's own
    admins = {step.path for step in walk().steps if step.needs.right is Right.ADMIN}
    assert {"/api/retention", "/api/audit", "/audit"} <= admins


def test_a_browser_without_a_session_is_led_to_the_login(
    client: Client, walk: Callable[[], Walker]
) -> None:
    client.tokens.add("first", scope="admin")
    walker = walk()
    for step in walker.steps:
        if step.is_page and step.path not in OPEN:
            answer = walker.ask(step, headers=HTML)
            assert answer.status_code == 303, step
            assert answer.headers["location"].startswith("/login?next=/"), step
            assert answer.content == b""


@pytest.mark.timeout(180)
def test_a_scope_is_not_enough_for_more_than_it_names(
    store: Store, client: Client, scene: Scene, walk: Callable[[], Walker]
) -> None:
    tokens = {right: bearer(client, right, right) for right in Right}
    before = belongings(store, scene)
    walker = walk()
    for step in walker.steps:
        for right, headers in tokens.items():
            if step.needs.right is None or right.includes(step.needs.right):
                continue
            answer = walker.ask(step, headers=headers)
            assert answer.status_code == 403, step
            assert says(answer, "wrong-scope"), step
            assert SECRET not in answer.text, step
    assert belongings(store, scene) == before
    readable = [step for step in walker.steps if step.needs.right is Right.READ]
    for step in readable:
        if step.path not in ENDLESS:
            assert walker.ask(step, headers=tokens[Right.READ]).status_code < 500, step


@pytest.mark.timeout(180)
def test_who_is_bound_to_a_tenant_sees_and_changes_nothing_of_another_ones(
    store: Store, client: Client, scene: Scene, walk: Callable[[], Walker]
) -> None:
    headers = bearer(client, "acme", Right.ADMIN, tenant="acme")
    before = belongings(store, scene)
    walker = walk()
    for step in walker.steps:
        if step.path in ENDLESS or step.needs.right is None:
            continue
        answer = walker.ask(step, headers=headers)
        assert SECRET not in answer.text, step
        assert answer.status_code < 500, (step, answer.text)
        if not step.needs.for_tenants:
            assert answer.status_code == 403, step
            assert says(answer, "not-for-tenants"), step
        if "_id}" in step.path and not step.is_page and step.method != "DELETE":
            assert answer.status_code == 404, (step, answer.text)
        asked = {"params": {"tenant": GLOBEX}, "headers": headers}
        assert SECRET not in walker.ask(step, **asked).text, step
        assert belongings(store, scene) == before, step


@pytest.mark.timeout(180)
def test_what_is_another_tenants_is_the_same_as_nothing(
    client: Client, scene: Scene, walk: Callable[[], Walker]
) -> None:
    headers = bearer(client, "acme", Right.ADMIN, tenant="acme")
    walker = walk()
    nowhere = walker.theirs | {"job_id": str(uuid4()), "batch_id": str(uuid4())}
    nowhere |= {"name": "unheard-of", "key": "unlocked"}
    for step in walker.steps:
        if "{" not in step.path or step.needs.right is None or step.name == "set_schedule":
            continue
        answers = [
            _without(walker.ask(step, ids, headers=headers), ids)
            for ids in (walker.theirs, nowhere)
        ]
        assert answers[0] == answers[1], step


def _without(answer: httpx.Response, ids: dict[str, str]) -> tuple[int, str]:
    """Return what was said, but for what was asked for, and for moments."""
    text = answer.text
    for value in ids.values():
        for form in (value, value[-8:]):
            text = text.replace(form, "*")
    return answer.status_code, re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.]+", "", text)


@pytest.mark.timeout(180)
def test_no_other_site_and_no_replayed_form_changes_anything(
    store: Store, client: Client, scene: Scene, walk: Callable[[], Walker]
) -> None:
    secret = client.tokens.add("root", scope="admin").secret
    walker, other, former = walk(), walk(), walk()
    session, csrf = log_in(walker, secret)
    _, others_csrf = log_in(other, secret)
    left, left_csrf = log_in(former, secret)
    former._service._request("POST", "/logout", headers=left, data={"csrf": left_csrf})
    token = {"authorization": f"Bearer {secret}"}
    given = {"X-CSRF-Token": csrf}
    refused: list[tuple[str, int, dict[str, str], str]] = [
        ("no CSRF token", 403, session, ""),
        ("a wrong one", 403, session | {"X-CSRF-Token": "0" * 64}, "0" * 64),
        ("another session's", 403, session | {"X-CSRF-Token": others_csrf}, others_csrf),
        ("one that was left", 401, left | {"X-CSRF-Token": left_csrf}, left_csrf),
        ("another site", 403, session | given | {"origin": "https://evil.example"}, csrf),
        ("a sandbox", 403, session | given | {"origin": "null"}, csrf),
        ("another port", 403, session | given | {"origin": "http://127.0.0.1:99"}, csrf),
        ("a cross-site fetch", 403, session | given | {"sec-fetch-site": "cross-site"}, csrf),
        ("a same-site fetch", 403, session | given | {"sec-fetch-site": "same-site"}, csrf),
        ("a wrong host", 421, session | given | {"host": "evil.example"}, csrf),
        ("a token's page", 403, token | {"origin": "https://evil.example"}, ""),
        ("a token and host", 421, token | {"host": "evil.example"}, ""),
    ]
    before = belongings(store, scene)
    for step in walker.steps:
        if not step.changes or step.path == "/login":
            continue
        for why, status, headers, field in refused:
            answer = walker.ask(step, headers=headers, form={"csrf": field})
            assert answer.status_code in {status, 429 if status == 401 else status}, (step, why)
    assert belongings(store, scene) == before
    assert [each.name for each in store.queues()] == []
    answer = walker._service._request(
        "POST",
        "/queues/pause",
        headers=session,
        data={"name": "mail", "csrf": csrf},
    )
    assert answer.status_code == 303
    assert [each.name for each in store.queues()] == ["mail"]


def test_a_route_that_declares_nothing_is_not_served(client: Client) -> None:
    from starlette.routing import Route

    from leasehold.web.access.rights import refuse_undeclared

    with pytest.raises(RuntimeError, match="/forgotten"):
        refuse_undeclared([Route("/forgotten", lambda _request: None)])
