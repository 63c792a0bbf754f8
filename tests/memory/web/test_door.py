"""Where no service stands around it, whoever does not show the token gets nothing."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import httpx
import pytest
from anyio.from_thread import start_blocking_portal

from leasehold_memory.web.alone import Alone
from leasehold_memory.web.app import make_app
from leasehold_memory.web.door import COOKIE, cookie_of

TOKEN = "a-token-of-this-test"
HOST = "http://127.0.0.1"


class Quiet:
    """A companion that has nothing to tell."""

    settings: Any = None

    def start(self) -> None: ...

    def close(self) -> None: ...

    def current(self, preset_id: str | None = None) -> Any:
        return nullcontext(preset_id)

    def change(self, fields: Any) -> Any:
        return fields

    def health(self) -> dict[str, str]:
        return {"status": "ok"}


def ask(method: str = "GET", path: str = "/api/openapi.json", **options: Any) -> httpx.Response:
    alone = Alone(make_app(Quiet()), token=lambda: TOKEN)

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(alone, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=HOST) as http:
            return await http.request(method, path, **options)

    with start_blocking_portal() as portal:
        return portal.call(ask)


def test_the_token_opens_it() -> None:
    answer = ask(headers={"authorization": f"Bearer {TOKEN}"})
    assert (answer.status_code, answer.json()["info"]["title"]) == (200, "leasehold-memory")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "shown",
    [
        {},
        {"authorization": "Bearer "},
        {"authorization": "Bearer wrong"},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": f"{TOKEN}"},
        {"cookie": f"{COOKIE}={TOKEN}"},
        {"cookie": f"{COOKIE}="},
        {"authorization": "Bearer wrong", "cookie": f"{COOKIE}={cookie_of(TOKEN)}"},
        {"authorization": "Bearer あ".encode()},
    ],
)
def test_anything_else_does_not(shown: dict[str, str]) -> None:
    answer = ask(headers=shown)
    assert answer.status_code == 401
    assert answer.json()["type"] == "urn:leasehold:problem:unauthenticated"
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_browser_shows_it_once_and_keeps_a_cookie_that_is_not_the_token() -> None:
    answer = ask(path=f"/memories?q=%E7%8C%AB&token={TOKEN}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/memories?q=%E7%8C%AB")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    kept = cookie.partition(";")[0]
    assert ask(headers={"cookie": kept}).status_code == 200


def test_a_wrong_token_in_an_address_gives_no_cookie() -> None:
    answer = ask(path="/?token=wrong")
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_no_token_in_an_address_lets_anything_change() -> None:
    assert ask("POST", f"/api/chat?token={TOKEN}", json={"text": "hello"}).status_code == 401


@pytest.mark.parametrize("headers", [{"host": "evil.example"}, {"origin": "https://evil.example"}])
def test_other_names_and_other_sites_are_refused(headers: dict[str, str]) -> None:
    shown = {"cookie": f"{COOKIE}={cookie_of(TOKEN)}"}
    answer = ask("POST", "/api/chat", json={"text": "hello"}, headers=shown | headers)
    assert answer.status_code in {403, 421}
