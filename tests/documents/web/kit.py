"""The application as programs and people reach it: tokens of its own, files, the whole flow."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

import jwt

import leasehold as lh
from leasehold_documents import tasks
from leasehold_documents.demo.files import pdf
from leasehold_documents.settings import Settings
from leasehold_documents.web import application
from tests.kit.asking import Asker, asking

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from leasehold.web import WebSettings

PREFIX = "/documents"
SECRET = "a secret that is known to these tests alone, and long"
SERVICE_TOKEN = "the token of a cron job"
LEASE = pdf(
    [
        "Mietvertrag",
        "zwischen Erika Mustermann, Vermieterin, und Max Beispiel, Mieter.",
        "Die Wohnung in der Hauptstraße 5 wird ab dem 1. März vermietet.",
        "Die monatliche Kaltmiete beträgt 850 Euro, die Kaution drei Mieten.",
        "Die Kündigungsfrist des Mietverhältnisses beträgt drei Monate.",
    ]
)


def settings_for(folder: Path, **more: Any) -> Settings:
    """People show tokens, and files are below the folder."""
    said = {"vault": str(folder / "vault"), "secret": SECRET, "service_token": SERVICE_TOKEN}
    return Settings(**(said | more))


def token_of(user_id: UUID, *, seconds: float = 600, secret: str = SECRET, **claims: Any) -> str:
    now = time.time()
    said = {"sub": str(user_id), "iat": int(now), "exp": int(now + seconds)} | claims
    return jwt.encode(said, secret, algorithm="HS256")


class DocumentAsker(Asker):
    """Asks for documents."""

    def as_user(self, user_id: UUID, tenant_id: UUID | None = None, **claims: Any) -> Self:
        """Return one who shows a token of this person, and names a tenant."""
        shown = {"authorization": f"Bearer {token_of(user_id, **claims)}"}
        if tenant_id is not None:
            shown["x-tenant"] = str(tenant_id)
        return type(self)(self._request, self._client, self._prefix, shown)

    def upload(self, content: bytes = LEASE, name: str = "Vertrag.pdf", status: int = 201) -> Any:
        files = {"file": (name, content)}
        answer = self.ask("POST", "/api/documents", files=files)
        assert answer.status_code == status, answer.text
        return answer.json()

    def estimate(self, document_id: str, engine: str = "unstructured_fast") -> dict[str, Any]:
        path = f"/api/documents/{document_id}/extractions/estimate"
        return dict(self.post(path, {"engine": engine}, status=201))

    def confirm(self, document_id: str, extraction_id: str, **rest: Any) -> dict[str, Any]:
        path = f"/api/documents/{document_id}/extractions/confirm"
        return dict(self.post(path, {"extraction_id": extraction_id, **rest}, status=202))

    def read(self, document_id: str, engine: str = "unstructured_fast", **rest: Any) -> Any:
        """Agree to whatever it costs, and let a worker do it."""
        estimate = self.estimate(document_id, engine)
        self.confirm(document_id, estimate["extraction_id"], **rest)
        self.work()
        return self.get(f"/api/documents/{document_id}")

    def work(self) -> None:
        """Let a worker do all that waits."""
        lh.Worker(self._client, tasks, poll="0.1s").run(until_empty=True)


@contextmanager
def serve_inside(client: lh.Client, settings: WebSettings | None = None) -> Iterator[DocumentAsker]:
    """Serve it without a socket, in the service as it is."""
    with asking(client, application(), settings) as request:
        yield DocumentAsker(request, client, PREFIX)


def events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Read the events of a stream."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
