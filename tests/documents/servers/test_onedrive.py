"""The local OneDrive keeps to what Microsoft documents of the real one, down to the odd parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from leasehold_documents.servers import GraphServer, ServerProcess
from leasehold_documents.servers.accounts import CLIENT_ID, CLIENT_SECRET

_ROOT = "/v1.0/me/drive/root"


@pytest.fixture
def server() -> Iterator[GraphServer]:
    with GraphServer(page_size=3) as server:
        for number in range(8):
            server.put(f"/Verträge/Vertrag {number}.pdf", b"%PDF " + bytes([number]))
        yield server


@pytest.fixture
def http(server: GraphServer) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {server.grant()['access_token']}"}
    with httpx.Client(base_url=server.url, headers=headers, trust_env=False) as http:
        yield http


def pages(http: httpx.Client) -> list[dict[str, Any]]:
    found = [http.get(f"{_ROOT}/delta").json()]
    while link := found[-1].get("@odata.nextLink"):
        found.append(http.get(link).json())
    return found


def test_a_delta_shows_every_item_some_of_them_twice_and_no_path(http: httpx.Client) -> None:
    items = [item for page in pages(http) for item in page["value"]]
    names = [item["name"] for item in items if "file" in item]
    assert set(names) == {f"Vertrag {number}.pdf" for number in range(8)}
    assert len(names) > 8
    assert all("path" not in item["parentReference"] for item in items)


def test_the_delta_link_tells_what_came_after(server: GraphServer, http: httpx.Client) -> None:
    link = pages(http)[-1]["@odata.deltaLink"]
    (first, *_) = server.ids()
    server.rename(first, "Anders.pdf")
    server.delete(server.put("/Neu.pdf", b"neu"))
    found = http.get(link).json()["value"][1:]
    assert found[0]["name"] == "Anders.pdf"
    assert found[1]["deleted"] == {"state": "deleted"}


def test_content_is_somewhere_else_where_no_token_is_wanted(
    server: GraphServer, http: httpx.Client
) -> None:
    (first, *_) = server.ids()
    moved = http.get(f"/v1.0/me/drive/items/{first}/content")
    assert moved.status_code == 302
    link = moved.headers["location"]
    assert http.get(link).status_code == 401
    assert httpx.get(link, trust_env=False).content.startswith(b"%PDF")


def test_a_refresh_token_is_good_once_and_ends_all_when_used_again(server: GraphServer) -> None:
    granted = server.grant()

    def refresh(token: str) -> httpx.Response:
        form = {"grant_type": "refresh_token", "refresh_token": token}
        client = {"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}
        url = f"{server.url}/common/oauth2/v2.0/token"
        return httpx.post(url, data={**form, **client}, trust_env=False)

    fresh = refresh(granted["refresh_token"]).json()
    assert fresh["refresh_token"] != granted["refresh_token"]
    assert refresh(granted["refresh_token"]).json()["error"] == "invalid_grant"
    assert refresh(fresh["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("name", ["dropbox", "gdrive", "onedrive"])
def test_a_server_in_a_process_of_its_own_takes_the_same_controls(name: str) -> None:
    with ServerProcess(name) as server:
        identifier = server.put("/Größe.txt", "Größe".encode())
        assert server.ids() == {identifier: "/Größe.txt"}
        assert server.grant()["refresh_token"]
        server.delete(identifier)
        assert server.ids() == {}
