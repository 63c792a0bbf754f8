"""Who gets in: tokens, sessions, applications, rates, and how soon a right ends."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.web import WebSettings
from leasehold.web.access import access as access_module
from leasehold.web.access.depth import is_too_deep
from leasehold.web.access.rates import Rates
from tests.web.kit import Service, check_problem, serve_inside

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx

    from leasehold.client import Client

    Serve = Callable[[WebSettings], Service]

PAGE = {"accept": "text/html"}


def bearer(secret: str) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


@pytest.fixture(autouse=True)
def looks_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the service ask the store each time, not once a second."""
    monkeypatch.setattr(access_module, "LOOK_EVERY_SECONDS", 0.0)


def test_nobody_is_asked_until_there_is_a_token(service: Service, client: Client) -> None:
    assert service.get("/api/identity") == {
        "name": "",
        "right": "admin",
        "tenant": None,
        "expires_at": None,
    }
    secret = client.tokens.add("ci", scope="operate", tenant="acme").secret
    problem = service.refused(401, "GET", "/api/identity")
    assert problem["type"] == "urn:leasehold:problem:unauthenticated"
    known = service.get("/api/identity", headers=bearer(secret))
    assert (known["name"], known["right"], known["tenant"]) == ("ci", "operate", "acme")


def test_the_last_revocation_does_not_open_the_service(service: Service, client: Client) -> None:
    secret = client.tokens.add("ci").secret
    assert service.get("/api/jobs", headers=bearer(secret))
    client.tokens.revoke("ci")
    assert service.refused(401, "GET", "/api/jobs", headers=bearer(secret))
    assert service.refused(401, "GET", "/api/jobs")


def test_authentication_can_be_forced_and_switched_off(serve: Serve, client: Client) -> None:
    strict = serve(WebSettings(auth="required"))
    assert strict.refused(401, "GET", "/api/jobs")
    client.tokens.add("ci")
    assert serve(WebSettings(auth="off")).get("/api/jobs")["jobs"] == []


def test_a_token_ends_by_itself(service: Service, client: Client) -> None:
    secret = client.tokens.add("short", expires="60s").secret
    assert service.get("/api/identity", headers=bearer(secret))["expires_at"]
    client.store.skew_seconds = 61
    assert service.refused(401, "GET", "/api/identity", headers=bearer(secret))


@pytest.mark.parametrize("change", [lambda s: s[:-1] + "x", lambda s: s + "x", lambda s: s[:-1]])
def test_a_token_that_is_nearly_right_is_wrong(
    service: Service, client: Client, change: Callable[[str], str]
) -> None:
    secret = client.tokens.add("ci").secret
    wrong = change(secret)
    assert wrong != secret
    assert service.refused(401, "GET", "/api/jobs", headers=bearer(wrong))


def test_health_is_for_everybody_and_metrics_where_they_are_said_to_be(
    serve: Serve, client: Client
) -> None:
    reader = bearer(client.tokens.add("reader").secret)
    bound = bearer(client.tokens.add("bound", scope="admin", tenant="acme").secret)
    service = serve(WebSettings(needs_worker=False))
    for headers in ({}, bound, bearer("wrong")):
        assert service.get("/health/live", headers=headers) == {"status": "ok"}
        assert service.get("/health/ready", headers=headers) == {"status": "ok"}
    assert service.refused(401, "GET", "/metrics")
    assert service.refused(403, "GET", "/metrics", headers=bound)
    assert service.ask("GET", "/metrics", headers=reader).status_code == 200
    opened = serve(WebSettings(has_open_metrics=True))
    assert opened.ask("GET", "/metrics").status_code == 200
    assert opened.refused(401, "GET", "/api/jobs")


def test_wrong_credentials_are_slowed_down_and_right_ones_are_not(
    service: Service, client: Client
) -> None:
    secret = client.tokens.add("ci").secret
    assert service.get("/api/jobs", headers=bearer(secret))
    statuses = [
        service.ask("GET", "/api/jobs", headers=bearer(f"wrong-{number}")).status_code
        for number in range(20)
    ]
    assert statuses[:10] == [401] * 10
    assert set(statuses[10:]) == {429}
    answer = service.ask("GET", "/api/jobs", headers=bearer("wrong again"))
    assert int(answer.headers["retry-after"]) >= 1
    assert service.get("/api/jobs", headers=bearer(secret))  # it is known


def test_who_asks_too_often_waits(serve: Serve, client: Client) -> None:
    one, other = (bearer(client.tokens.add(name).secret) for name in ("one", "other"))
    service = serve(WebSettings(rate=0.01, burst=3))
    statuses = [service.ask("GET", "/api/jobs", headers=one).status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    assert service.refused(429, "GET", "/api/jobs", headers=one)["type"].endswith(
        "too-many-requests"
    )
    assert service.get("/api/jobs", headers=other)


def test_rates_fill_again() -> None:
    now = 100.0
    rates = Rates(2.0, 2.0, clock=lambda: now)
    assert [rates.take("a"), rates.take("a")] == [0.0, 0.0]
    assert rates.take("a") == 0.5
    rates.take("b")
    rates.give_back("b")
    assert [rates.take("b"), rates.take("b"), rates.take("b") > 0] == [0.0, 0.0, True]
    now += 0.5
    assert rates.take("a") == 0.0
    now += 1_000
    assert [rates.take("a"), rates.take("a"), rates.take("a") > 0] == [0.0, 0.0, True]


def test_json_is_not_nested_without_end(service: Service) -> None:
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    problem = service.refused(
        400, "POST", "/api/jobs", json={"kind": "web.add", "args": {"a": deep}}
    )
    assert problem["type"] == "urn:leasehold:problem:bad-request"
    raw = b"[" * 400_000
    headers = {"content-type": "application/json"}
    assert service.refused(400, "POST", "/api/jobs", content=raw, headers=headers)


def test_brackets_in_texts_are_not_depth() -> None:
    assert not is_too_deep(b'{"a": "' + b"[{" * 1_000 + b'"}')
    assert not is_too_deep(b'["\\"' + b"[" * 1_000 + b'"]')
    assert not is_too_deep(b"[]" * 1_000)
    assert is_too_deep(b'{"a":' * 200)


def test_the_description_says_what_each_route_needs(service: Service) -> None:
    document = service.get("/api/openapi.json")
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    for path, operations in document["paths"].items():
        for operation in operations.values():
            is_open = path.startswith("/health/")
            assert ("security" in operation) != is_open, path
            assert ({"401", "403", "429"} <= set(operation["responses"])) or is_open, path
    assert document["paths"]["/api/retention"]["put"]["x-leasehold-scope"] == "admin"
    assert document["paths"]["/worker"]["post"]["x-leasehold-tenants"] is False


# -- people ------------------------------------------------------------------------------------
def log_in(service: Service, secret: str, **form: str) -> httpx.Response:
    return service._request("POST", "/login", data={"token": secret, **form})


def test_a_person_logs_in_with_a_token_and_out_again(service: Service, client: Client) -> None:
    secret = client.tokens.add("ana", scope="operate").secret
    led = service._request("GET", "/jobs?state=dead", headers=PAGE)
    assert (led.status_code, led.headers["location"]) == (303, "/login?next=/jobs%3Fstate%3Ddead")
    page = service._request("GET", led.headers["location"], headers=PAGE)
    assert page.status_code == 200
    assert 'name="token"' in page.text
    done = log_in(service, secret, next="/jobs?state=dead")
    assert (done.status_code, done.headers["location"]) == (303, "/jobs?state=dead")
    cookie = done.headers["set-cookie"]
    assert cookie.startswith("leasehold_session=")
    for word in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert word in cookie
    shown = service._request("GET", "/queues", headers=PAGE).text  # the jar has the cookie
    assert "Log out" in shown
    assert "ana" in shown
    (csrf,) = set(re.findall(r'name="csrf" value="(\w+)"', shown))
    left = service._request("POST", "/logout", data={"csrf": csrf})
    assert left.headers["location"] == "/login"
    again = {"cookie": cookie.partition(";")[0]} | PAGE
    assert service._request("GET", "/queues", headers=again).status_code == 303
    assert [each.action for each in client.audit.list()][:2] == ["session.close", "session.open"]
    assert [each.actor for each in client.audit.list()][:2] == ["ana", "ana"]


def test_over_https_the_cookie_is_nobody_elses(client: Client) -> None:
    secret = client.tokens.add("ana").secret
    with serve_inside(client, WebSettings()) as service:
        done = service._request("POST", "https://127.0.0.1/login", data={"token": secret})
    cookie = done.headers["set-cookie"]
    assert cookie.startswith("__Host-leasehold_session=")
    assert "Secure" in cookie
    assert "Domain" not in cookie


def test_a_wrong_token_is_told_and_not_repeated(service: Service, client: Client) -> None:
    client.tokens.add("ana")
    answer = log_in(service, "lh_wrong")
    assert answer.status_code == 401
    assert "not known" in answer.text
    assert "lh_wrong" not in answer.text
    assert "set-cookie" not in answer.headers
    for _ in range(12):
        answer = log_in(service, "lh_wrong")
    assert answer.status_code == 429


@pytest.mark.parametrize(
    "where",
    ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:x", "/login"],
)
def test_the_login_leads_to_our_own_pages_only(
    service: Service, client: Client, where: str
) -> None:
    secret = client.tokens.add("ana").secret
    assert log_in(service, secret, next=where).headers["location"] == "/"


def test_the_script_is_told_to_go_to_the_login(service: Service, client: Client) -> None:
    client.tokens.add("ana")
    answer = service._request("GET", "/jobs", headers={"hx-request": "true"})
    assert answer.status_code == 401
    assert answer.headers["hx-redirect"] == "/login?next=/jobs"


def test_each_login_is_another_session_with_a_form_token_of_its_own(
    service: Service, client: Client
) -> None:
    secret = client.tokens.add("ana", scope="operate").secret
    tokens = set()
    for _ in range(2):
        cookie = log_in(service, secret).headers["set-cookie"].partition(";")[0]
        page = service._request("GET", "/queues", headers={"cookie": cookie} | PAGE).text
        tokens |= set(re.findall(r'name="csrf" value="(\w+)"', page))
    assert len(tokens) == 2


def test_a_token_is_no_cookie_and_a_cookie_is_no_token(
    service: Service, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_module, "LOOK_EVERY_SECONDS", 60.0)  # both are remembered
    secret = client.tokens.add("ana", scope="operate").secret
    cookie = log_in(service, secret).headers["set-cookie"].partition(";")[0].partition("=")[2]
    assert service.get("/api/identity", headers=bearer(secret))
    assert service.get("/api/identity", headers={"cookie": f"leasehold_session={cookie}"})
    assert service.refused(401, "GET", "/api/jobs", headers=bearer(cookie))
    shown = {"cookie": f"leasehold_session={secret}"}
    assert service.refused(401, "GET", "/api/jobs", headers=shown)


def test_who_may_only_read_sees_no_buttons(service: Service, client: Client) -> None:
    client.queues.pause("mail")
    client.throttles.set("host", running=1)
    reader = bearer(client.tokens.add("reader").secret) | PAGE
    operator = bearer(client.tokens.add("operator", scope="operate").secret) | PAGE
    for path in ("/queues", "/throttles"):
        pages = [
            service._request("GET", path, headers=headers).text for headers in (reader, operator)
        ]
        assert ["/resume" in page or "/set" in page for page in pages] == [False, True]


@pytest.mark.parametrize(("right", "tenant"), [("read", None), ("admin", None), ("admin", "acme")])
def test_every_page_that_is_linked_can_be_seen(
    service: Service, client: Client, right: str, tenant: str | None
) -> None:
    headers = bearer(client.tokens.add("x", scope=right, tenant=tenant).secret) | PAGE
    page = service._request("GET", "/jobs", headers=headers).text
    links = re.findall(r'<a href="([^"]+)" data-key', page)
    for link in links:
        answer = service._request("GET", link, headers=headers)
        assert answer.status_code == 200, link
    assert ("/audit" in links) == (right == "admin")
    assert ("/workers" in links) == (tenant is None)
    front = service._request("GET", "/", headers=headers)
    assert front.status_code == (200 if tenant is None else 303)


def test_no_credential_gets_into_a_log(
    service: Service, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = client.tokens.add("ana", scope="admin").secret
    cookie = log_in(service, secret).headers["set-cookie"].partition(";")[0]
    service.get("/api/jobs", headers=bearer(secret))
    service.ask("GET", "/api/jobs", headers=bearer(secret + "x"))
    log_in(service, secret + "x")
    kept = "\n".join(
        str({name: value for name, value in vars(each).items() if name != "args"})
        for each in caplog.records
        if not each.name.startswith(("httpx", "httpcore"))
    )
    assert secret not in kept
    assert cookie.partition("=")[2] not in kept
    assert secret not in repr(client.tokens.add("ben"))


def test_a_page_that_failed_is_a_problem_for_programs(service: Service, client: Client) -> None:
    client.tokens.add("ana")
    check_problem(service._request("GET", "/nowhere"))
