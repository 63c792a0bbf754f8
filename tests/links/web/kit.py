"""The library as people and programs reach it: inside of the service, behind its door."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

import httpx
from anyio.from_thread import start_blocking_portal

from leasehold.web import WebSettings
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from leasehold_links.data.enrichments import Wanted
from leasehold_links.web import application
from tests.links.jobs.kit import run_imports

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold.kit.data import Database

HOST = "http://127.0.0.1"
PROBLEM = "application/problem+json"
ONE = b'<DL><DT><A HREF="https://example.com/a" TAGS="one,two">First</A></DL>'
__all__ = ["HOST", "ONE", "PROBLEM", "Asker", "Wanted", "serve_inside"]


class Asker:
    """Asks the library as somebody."""

    def __init__(self, request: Any, client: lh.Client, headers: dict[str, str]) -> None:
        self._request = request
        self._client = client
        self._headers = headers

    def as_token(self, name: str, **words: Any) -> Asker:
        """Return one who shows a token of this name."""
        secret = self._client.tokens.add(name, **words).secret
        return Asker(self._request, self._client, {"authorization": f"Bearer {secret}"})

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = self._headers | options.pop("headers", {})
        answer: httpx.Response = self._request(method, f"/links{path}", headers=headers, **options)
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        is_page = "text/html" in headers.get("accept", "")
        if answer.status_code >= 400 and not is_page:
            assert answer.headers["content-type"] == PROBLEM, answer.text
            assert answer.json()["status"] == answer.status_code
        return answer

    def get(self, path: str, **options: Any) -> Any:
        return self._expect(200, self.ask("GET", path, **options))

    def post(self, path: str, document: Any = None, *, status: int = 200, **options: Any) -> Any:
        return self._expect(status, self.ask("POST", path, json=document, **options))

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
        return dict(self._expect(status, self.ask(method, path, **options)))

    def upload(self, data: bytes = ONE, **options: Any) -> str:
        """Hand a file in; returns the import's id."""
        answer = self.ask("POST", "/api/imports", content=data, **options)
        return str(self._expect(202, answer)["id"])

    def import_now(self, data: bytes = ONE) -> dict[str, Any]:
        """Hand a file in and let it be imported; returns how that went."""
        import_id = self.upload(data)
        run_imports(self._client)
        return dict(self.get(f"/api/imports/{import_id}"))

    def _expect(self, status: int, answer: httpx.Response) -> Any:
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None


@contextmanager
def serve_inside(
    client: lh.Client, database: Database, settings: WebSettings | None = None
) -> Iterator[Asker]:
    """Serve the library without a socket, in the service as it is."""
    found = [Found(name="links", application=application())]
    assembly = assemble(client, settings=settings or WebSettings(needs_worker=False), found=found)
    assert not assembly.broken, assembly.broken
    transport = httpx.ASGITransport(assembly.app, raise_app_exceptions=False)
    with start_blocking_portal() as portal:
        http = httpx.AsyncClient(transport=transport, base_url=HOST)
        yield Asker(lambda *a, **o: portal.call(partial(http.request, *a, **o)), client, {})
        portal.call(http.aclose)


def id_of(document: dict[str, Any]) -> UUID:
    return UUID(document["id"])
