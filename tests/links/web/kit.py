"""The library as people and programs reach it: inside of the service, behind its door."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold_links.data.enrichments import Wanted
from leasehold_links.web import application
from tests.kit import asking
from tests.kit.asking import HOST, PROBLEM
from tests.links.jobs.kit import run_imports

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold.web import WebSettings

ONE = b'<DL><DT><A HREF="https://example.com/a" TAGS="one,two">First</A></DL>'
__all__ = ["HOST", "ONE", "PROBLEM", "Asker", "Wanted", "serve_inside"]


class Asker(asking.Asker):
    """Asks the library as somebody."""

    def upload(self, data: bytes = ONE, **options: Any) -> str:
        """Hand a file in; returns the import's id."""
        answer = self.ask("POST", "/api/imports", content=data, **options)
        return str(asking.expect(202, answer)["id"])

    def import_now(self, data: bytes = ONE) -> dict[str, Any]:
        """Hand a file in and let it be imported; returns how that went."""
        import_id = self.upload(data)
        run_imports(self._client)
        return dict(self.get(f"/api/imports/{import_id}"))


@contextmanager
def serve_inside(client: lh.Client, settings: WebSettings | None = None) -> Iterator[Asker]:
    """Serve the library without a socket, in the service as it is."""
    with asking.asking(client, application(), settings) as request:
        yield Asker(request, client, "/links")


def id_of(document: dict[str, Any]) -> UUID:
    return UUID(document["id"])
