"""An application as people and programs reach it: inside of the service, behind its door."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import httpx
from anyio.from_thread import start_blocking_portal

from leasehold.web import WebSettings
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold.web import Application

HOST = "http://127.0.0.1"
PROBLEM = "application/problem+json"
Request = Callable[..., httpx.Response]


class Asker:
    """Asks an application as somebody, and checks of each answer what must be true of all."""

    def __init__(
        self,
        request: Request,
        client: lh.Client,
        prefix: str,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._request = request
        self._client = client
        self._prefix = prefix
        self._headers = headers or {}

    def as_token(self, name: str, **words: Any) -> Self:
        """Return one who shows a token of this name."""
        secret = self._client.tokens.add(name, **words).secret
        shown = {"authorization": f"Bearer {secret}"}
        return type(self)(self._request, self._client, self._prefix, shown)

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = self._headers | options.pop("headers", {})
        answer = self._request(method, self._prefix + path, headers=headers, **options)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        is_page = "text/html" in headers.get("accept", "")
        if answer.status_code >= 400 and not is_page:
            assert answer.headers["content-type"] == PROBLEM, answer.text
            assert answer.json()["status"] == answer.status_code
        return answer

    def get(self, path: str, **options: Any) -> Any:
        return expect(200, self.ask("GET", path, **options))

    def post(self, path: str, document: Any = None, *, status: int = 200, **options: Any) -> Any:
        return expect(status, self.ask("POST", path, json=document, **options))

    def page(self, path: str, **options: Any) -> str:
        """Read a page."""
        headers = {"accept": "text/html", "accept-language": "en"} | options.pop("headers", {})
        answer = self.ask("GET", path, headers=headers, **options)
        assert answer.status_code == 200, answer.text
        return answer.text

    def send(self, path: str, form: dict[str, Any], **options: Any) -> httpx.Response:
        """Send a form as a page does."""
        return self.ask("POST", path, data=form, headers={"accept": "text/html"}, **options)

    def refused(self, status: int, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Ask for what is refused; returns the problem."""
        return dict(expect(status, self.ask(method, path, **options)))


def expect(status: int, answer: httpx.Response) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


@contextmanager
def asking(
    client: lh.Client, application: Application, settings: WebSettings | None = None
) -> Iterator[Request]:
    """Serve an application without a socket, in the service as it is."""
    found = [Found(name=application.name, application=application)]
    assembly = assemble(client, settings=settings or WebSettings(needs_worker=False), found=found)
    assert not assembly.broken, assembly.broken
    transport = httpx.ASGITransport(assembly.app, raise_app_exceptions=False)
    with start_blocking_portal() as portal:
        http = httpx.AsyncClient(transport=transport, base_url=HOST)
        yield lambda *a, **o: portal.call(partial(http.request, *a, **o))
        portal.call(http.aclose)
