"""A service to ask, and what is asked of it again and again."""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx
from anyio.from_thread import start_blocking_portal

from leasehold.web import WebSettings, create_app
from tests.web.tasks import REGISTRY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.client import Client

HOST = "http://127.0.0.1"
PROBLEM = "application/problem+json"


class Service:
    """Asks one service, and checks of each answer what must be true of all."""

    def __init__(self, request: Callable[..., httpx.Response]) -> None:
        self._request = request

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        if options.get("json") is not None:  # written here: httpx refuses what we want refused
            options["content"] = json.dumps(options.pop("json")).encode()
            options["headers"] = {"content-type": "application/json", **options.get("headers", {})}
        answer = self._request(method, path, **options)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        if answer.status_code >= 400:
            check_problem(answer)
        return answer

    def get(self, path: str, **options: Any) -> Any:
        return self._expect(200, self.ask("GET", path, **options))

    def post(self, path: str, document: Any = None, *, status: int = 200) -> Any:
        return self._expect(status, self.ask("POST", path, json=document))

    def enqueue(self, kind: str = "web.add", **words: Any) -> str:
        """Enqueue one job; returns its id."""
        words.setdefault("args", {"left": 1})
        found: str = self.post("/api/jobs", {"kind": kind, **words}, status=201)["id"]
        return found

    def refused(self, status: int, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Ask for what is refused; returns the problem."""
        return dict(self._expect(status, self.ask(method, path, **options)))

    def _expect(self, status: int, answer: httpx.Response) -> Any:
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None


def check_problem(answer: httpx.Response) -> None:
    """Every error is a whole problem document."""
    assert answer.headers["content-type"] == PROBLEM, answer.text
    problem = answer.json()
    assert problem["status"] == answer.status_code
    assert problem["type"].startswith("urn:leasehold:problem:")
    assert problem["title"]
    assert problem["detail"]


@contextmanager
def serve_inside(client: Client, settings: WebSettings) -> Iterator[Service]:
    """Serve without a socket: the application is called directly."""
    app = create_app(client, settings=settings, registry=REGISTRY)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    with start_blocking_portal() as portal:
        http = httpx.AsyncClient(transport=transport, base_url=HOST)
        yield Service(lambda *args, **options: portal.call(partial(http.request, *args, **options)))
        portal.call(http.aclose)
