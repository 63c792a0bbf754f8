"""Drives over HTTP: consent and back, folders, imports, and what becomes of each file."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from leasehold_documents.servers import SERVERS
from leasehold_documents.servers.accounts import CLIENT_ID, CLIENT_SECRET
from leasehold_documents.settings import lending
from leasehold_documents.web.connecting import CALLBACK
from tests.documents.importing.kit import fill
from tests.documents.web.kit import serve_inside, settings_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import leasehold as lh
    from leasehold_documents.servers import FileServer
    from tests.documents.access.kit import Two
    from tests.documents.web.kit import DocumentAsker


@contextmanager
def drive(name: str, folder: Path, **more: Any) -> Iterator[FileServer]:
    """Serve a drive that the operator has set up."""
    with SERVERS[name]() as server:
        said = {f"{name}_id": CLIENT_ID, f"{name}_secret": CLIENT_SECRET}
        with lending(settings_for(folder, **said, **{f"{name}_url": server.url}, **more)):
            yield server


def consent(url: str) -> dict[str, str]:
    """Do what a browser does: ask for consent, and come back with what is in the address."""
    answer = httpx.get(url, trust_env=False, follow_redirects=False)
    where = urlsplit(answer.headers["location"])
    assert where.path == f"/documents{CALLBACK}"
    return dict(parse_qsl(where.query))


def connect(ada: DocumentAsker, name: str) -> dict[str, Any]:
    asked = ada.post("/api/connectors", {"provider": name, "name": "Ablage"}, status=201)
    back = consent(asked["url"])
    answer = {"state": back["state"], "code": back["code"]}
    return dict(ada.post(f"/api/connectors/{asked['connector_id']}/finish", answer))


@pytest.mark.parametrize("name", ["dropbox", "onedrive", "gdrive"])
def test_a_drive_is_connected_looked_into_and_copied(
    queue: lh.Client, two: Two, tmp_path: Path, name: str
) -> None:
    with drive(name, tmp_path) as server, serve_inside(queue) as asker:
        fill(server, 3)
        ada = asker.as_user(two.ada)
        found = connect(ada, name)
        assert (found["status"], found["name"]) == ("active", "Ablage")
        path = f"/api/connectors/{found['id']}"
        root = ada.get(f"{path}/files")["entries"]
        assert [(each["name"], each["kind"]) for each in root] == [("Verträge", "folder")]
        job_id = ada.post(f"{path}/imports", {"remote_path": "/Verträge"}, status=202)["job_id"]
        ada.work()
        done = ada.get(f"/api/imports/{job_id}")
        assert (done["status"], done["counts"]) == ("done", {"imported": 3})
        assert {each["state"] for each in done["files"]} == {"imported"}
        job = ada.get(f"/api/jobs/{job_id}")
        assert (job["type"], job["result"]["imported_count"]) == (f"import_{name}", 3)
        assert {each["source"] for each in ada.get("/api/documents")["documents"]} == {name}
        bob = asker.as_user(two.bob)
        assert bob.get("/api/connectors")["connectors"] == []
        for method, where in (
            ("GET", f"{path}/files"),
            ("POST", f"{path}/authorize"),
            ("DELETE", path),
            ("GET", f"/api/imports/{job_id}"),
        ):
            bob.refused(404, method, where)
        assert ada.ask("DELETE", path).status_code == 204
        assert ada.get("/api/connectors")["connectors"] == []
        assert len(ada.get("/api/documents")["documents"]) == 3


def test_consent_is_whose_it_is_and_good_once(queue: lh.Client, two: Two, tmp_path: Path) -> None:
    with drive("dropbox", tmp_path), serve_inside(queue) as asker:
        ada, bob = asker.as_user(two.ada), asker.as_user(two.bob)
        asked = ada.post("/api/connectors", {"provider": "dropbox"}, status=201)
        back = consent(asked["url"])
        answer = {"state": back["state"], "code": back["code"]}
        path = f"/api/connectors/{asked['connector_id']}/finish"
        bob.refused(404, "POST", path, json=answer)
        eve = asker.as_user(two.eve, two.first)
        invalid = eve.refused(403, "POST", path, json=answer)
        assert invalid["about"]["code"] == "STATE_INVALID"
        forged = answer | {"state": "e30.e30"}
        assert ada.refused(403, "POST", path, json=forged)["about"]["code"] == ("LINK_INVALID")
        ada.post(path, answer)
        used = ada.refused(409, "POST", path, json=answer)
        assert used["about"]["code"] == "STATE_USED"


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_drive_that_has_expired_says_so_and_is_connected_again(
    queue: lh.Client, two: Two, tmp_path: Path
) -> None:
    with drive("dropbox", tmp_path) as server, serve_inside(queue) as asker:
        ada = asker.as_user(two.ada)
        path = f"/api/connectors/{connect(ada, 'dropbox')['id']}"
        server.revoke()
        problem = ada.refused(409, "GET", f"{path}/files")
        assert problem["about"]["code"] == "CONNECTOR_EXPIRED"
        assert ada.get("/api/connectors")["connectors"][0]["status"] == "expired"
        ada.refused(409, "POST", f"{path}/imports", json={})
        assert "Connect again" in ada.page("/connectors")
        back = consent(ada.post(f"{path}/authorize")["url"])
        again = ada.post(f"{path}/finish", {"state": back["state"], "code": back["code"]})
        assert (again["status"], path.endswith(again["id"])) == ("active", True)
        for wanted, code in (
            ({"remote_path": "Verträge"}, "BAD_REMOTE_PATH"),
            ({"remote_path": "/", "files": ["a\0b"]}, "BAD_REMOTE_FILE"),
        ):
            bad = ada.refused(422, "POST", f"{path}/imports", json=wanted)
            assert bad["about"]["code"] == code


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_provider_that_nobody_has_set_up_is_not_offered(ada: DocumentAsker) -> None:
    problem = ada.refused(409, "POST", "/api/connectors", json={"provider": "gdrive"})
    assert problem["about"]["code"] == "PROVIDER_NOT_SET_UP"
    ada.refused(422, "POST", "/api/connectors", json={"provider": "floppy"})
    assert "No provider is set up" in ada.page("/connectors")


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_the_address_to_come_back_to_is_as_the_operator_says(
    queue: lh.Client, two: Two, tmp_path: Path
) -> None:
    public = "https://papers.example"
    with drive("dropbox", tmp_path, public_url=public), serve_inside(queue) as asker:
        url = asker.as_user(two.ada).post("/api/connectors", {"provider": "dropbox"}, status=201)
        said = dict(parse_qsl(urlsplit(url["url"]).query))
        assert said["redirect_uri"] == f"{public}/documents{CALLBACK}"
