"""Asks for pages as a browser does, with its script or without."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from tests.web.kit import Service

PATHS = (
    "/",
    "/jobs",
    "/failures",
    "/queues",
    "/batches",
    "/schedules",
    "/workers",
    "/throttles",
    "/tenants",
    "/system",
    "/system/findings",
    "/audit",
)
SCRIPT = {"HX-Request": "true"}
_VOID = {"meta", "link", "input", "br", "path", "rect", "circle", "progress"}


class Pages:
    """Reads pages and sends forms."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Ask for anything, whatever comes of it."""
        return self._service._request(method, path, **options)

    def get(self, path: str, *, status: int = 200, **options: Any) -> httpx.Response:
        return self._expect(status, "GET", path, **options)

    def send(
        self, path: str, form: Mapping[str, Any] | None = None, *, status: int = 303, **options: Any
    ) -> httpx.Response:
        return self._expect(status, "POST", path, data=dict(form or {}), **options)

    def _expect(self, status: int, method: str, path: str, **options: Any) -> httpx.Response:
        answer = self._service._request(method, path, **options)
        assert answer.status_code == status, answer.text
        if answer.headers.get("content-type", "").startswith("text/html"):
            check_strict(answer.text)
        return answer


class _Strict(HTMLParser):
    """Fails for whatever a strict policy would refuse."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        assert "style" not in names, tag
        assert not [name for name in names if name.startswith("on")], names
        assert tag != "style"
        if tag == "script":
            assert names.get("src"), "an inline script"
        for name in ("href", "src", "action", "hx-get", "hx-post"):
            target = names.get(name) or "/"
            assert re.match(r"(/|#)", target), target
            assert not target.startswith("//"), target


def check_strict(html: str) -> None:
    """No inline code, no foreign address."""
    _Strict().feed(html)
