"""The real service with the demo: papers in every state, found over HTTP, and a clean end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import leasehold as lh
from leasehold_documents.demo.papers import BAKERY, HOUSES
from tests.web.serving import served
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    import httpx
    import pytest

WORDS = (
    *("--app", "leasehold_documents.web:application"),
    *("--app", "leasehold_documents.demo:application"),
    *("--migrate", "--log-level", "error"),
)
PATIENCE_SECONDS = 90.0
# What ending may take on a machine that does much else: the promise is 3 s on an idle one.
ENDING_SECONDS = 10.0
PAGES = ("", "papers", "inbox", "review", "search?q=vertrag", "connectors", "jobs")


def tenants(http: httpx.Client) -> dict[str, dict[str, str]]:
    """Return the header that names each organization, by its name."""
    found = http.get("/documents/api/me").json()["organizations"]
    return {each["name"]: {"X-Tenant": each["tenant_id"]} for each in found}


def connect(http: httpx.Client, tenant: dict[str, str], provider: str) -> None:
    """Do what a click does: consent over there, and come back with a code."""
    asked = http.post("/documents/api/connectors", json={"provider": provider}, headers=tenant)
    back = http.get(asked.json()["url"]).headers["location"]
    came = dict(parse_qsl(urlsplit(back).query))
    path = f"/documents/api/connectors/{asked.json()['connector_id']}/finish"
    assert http.post(path, json=came, headers=tenant).status_code == 200


def test_there_is_something_to_see_of_every_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lh.Keyring.generate().save(tmp_path / "keys.json")
    monkeypatch.setenv("LEASEHOLD_KEYS", str(tmp_path / "keys.json"))
    with served(f"sqlite:///{tmp_path / 'demo.db'}", *WORDS, folder=tmp_path) as service:
        http = service.http
        assert [each["error"] for each in service.told["applications"]] == [None, None]
        known = tenants(http)

        def look(path: str, tenant: str) -> Any:
            return http.get(f"/documents/api/{path}", headers=known[tenant]).json()

        def names(tenant: str) -> set[str]:
            return {each["name"] for each in look("documents?limit=100", tenant)["documents"]}

        def states() -> set[str]:
            return {each["status"] for each in look("jobs?limit=100", HOUSES)["jobs"]}

        wait_until(lambda: len(names(HOUSES)) == 10, "all papers are there", PATIENCE_SECONDS)
        wait_until(lambda: states() == {"done", "dead"}, "all are read", PATIENCE_SECONDS)
        wait_until(
            lambda: "Rechnung Mühle.pdf" in names(BAKERY), "a drive is imported", PATIENCE_SECONDS
        )
        hits = look("search?q=vertrag", HOUSES)["hits"]
        assert "Mietvertrag Lindenstraße 5, Weiß.pdf" in {hit["name"] for hit in hits}
        assert look("search?q=mietvertrag", BAKERY)["hits"] == []
        connect(http, known[BAKERY], "onedrive")
        drives = look("connectors", BAKERY)["connectors"]
        assert {(each["provider"], each["status"]) for each in drives} == {
            ("dropbox", "active"),
            ("onedrive", "active"),
        }
        for page in PAGES:
            assert http.get(f"/documents/{page}").status_code == 200, page
        assert "Dokumente: die Demo" in http.get("/documents-demo").text

        code, seconds, log = service.end()
        assert (code, seconds < ENDING_SECONDS, "Traceback" in log) == (0, True, False)
        assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"documents-vault"}
