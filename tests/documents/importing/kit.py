"""A cloud on this machine, and an office that is connected to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import leasehold as lh
from leasehold import testing
from leasehold.kit.servers import Request
from leasehold_documents import importing, tasks
from leasehold_documents.importing.tasks import CONNECTOR
from leasehold_documents.servers import SERVERS, FileServer
from leasehold_documents.servers.accounts import CLIENT_ID, CLIENT_SECRET
from tests.documents.flow.kit import Office, changed

ALL = [each for each in vars(tasks).values() if isinstance(each, lh.Task)]
BACK = "https://papers.example/documents/connectors/back"
# What each of them is asked for a file's content.
CONTENT = {
    "dropbox": "/2/files/download",
    "onedrive": "/v1.0/me/drive/items/",
    "gdrive": "/drive/v3/files/",
}
PAGES = {
    "dropbox": "/2/files/list_folder",
    "onedrive": "/v1.0/me/drive/root/delta",
    "gdrive": "/drive/v3/files",
}


@dataclass
class Cloud:
    """A server, an office and, once connected, the connector between both."""

    name: str
    server: FileServer
    office: Office
    connector_id: UUID | None = None

    def consent(self, url: str) -> dict[str, str]:
        """Do what a browser does: ask for consent, and come back with what is in the address."""
        place = urlsplit(url)
        asking = HTTPConnection(place.netloc)
        asking.request("GET", f"{place.path}?{place.query}")
        back = asking.getresponse().headers["location"]
        asking.close()
        return dict(parse_qsl(urlsplit(back).query))

    def connect(self) -> UUID:
        asked = importing.connect(self.office.access, self.name, redirect_uri=BACK)
        back = self.consent(asked.url)
        importing.finish(self.office.access, state=back["state"], code=back["code"])
        self.connector_id = asked.connector_id
        return asked.connector_id

    def start(self, path: str = "/", files: tuple[str, ...] = ()) -> UUID:
        assert self.connector_id is not None
        return importing.start(self.office.access, self.connector_id, path, files)

    def work(self, **options: Any) -> None:
        """Run all jobs that are due, with the throttle that a worker would declare."""
        self.office.client.throttles.set(CONNECTOR.name, running=1)
        testing.drain(self.office.client, ALL, **options)

    def run(self, path: str = "/", files: tuple[str, ...] = ()) -> dict[str, Any]:
        """Import and return the result; the job must succeed."""
        job_id = self.start(path, files)
        self.work()
        job = self.office.client.get(job_id)
        assert job.state == "succeeded", job.error
        result: dict[str, Any] = job.result
        return result

    def job(self, job_id: UUID) -> Any:
        return self.office.client.get(job_id)

    def documents(self) -> list[dict[str, Any]]:
        return sorted(self.office.rows("documents"), key=lambda row: str(row["name"]))

    def names(self) -> list[str]:
        return [row["name"] for row in self.documents()]

    def content(self, name: str) -> bytes:
        (row,) = (row for row in self.documents() if row["name"] == name)
        with self.office.vault.open(row["file_path"]) as file:
            return file.read()

    def connector(self) -> dict[str, Any]:
        (row,) = self.office.rows("connectors", id=self.connector_id)
        return row

    def outcomes(self, job_id: UUID) -> dict[str, tuple[str, str | None]]:
        """Say what became of each file, by name."""
        rows = self.office.rows("document_import_files", job_id=job_id, kind="file")
        return {row["name"]: (row["state"], row["code"]) for row in rows}

    def downloads(self) -> int:
        """Count how often content was asked for."""
        return sum(is_download(self.name, each.path, each.query) for each in self.server.seen())


def is_download(name: str, path: str, query: dict[str, str]) -> bool:
    match name:
        case "dropbox":
            return path in {"/2/files/download", "/2/files/export"}
        case "onedrive":
            return path.endswith("/content")
        case _:
            return query.get("alt") == "media" or path.endswith("/export")


def asks_for_content(name: str, request: Request) -> bool:
    return is_download(name, request.path, dict(request.query))


@contextmanager
def cloud_of(name: str, office: Office, **options: Any) -> Iterator[Cloud]:
    """Serve a cloud that the operator has set up."""
    with SERVERS[name](**options) as server:
        said = {
            f"{name}_id": CLIENT_ID,
            f"{name}_secret": CLIENT_SECRET,
            f"{name}_url": server.url,
        }
        with changed(secret="a secret of the office", **said):
            yield Cloud(name, server, office)


def fill(server: FileServer, count: int, folder: str = "/Verträge") -> list[str]:
    """Write so many texts, and return their names."""
    names = [f"Vertrag {number:03}.txt" for number in range(1, count + 1)]
    for name in names:
        server.put(f"{folder}/{name}", f"Mietvertrag {name}, Hauptstraße".encode())
    return names


def secret_words(server: FileServer) -> re.Pattern[str]:
    """Match any token that the server has given out."""
    tokens = [*server.accounts._access, *server.accounts._refresh, *server.accounts._used]
    return re.compile("|".join(map(re.escape, [*tokens, CLIENT_SECRET])))
