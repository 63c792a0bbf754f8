"""Dropbox's own SDK reads the local Dropbox."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import dropbox
import pytest
from dropbox import exceptions, files
from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter

from leasehold_documents.model.digests import digest_of
from leasehold_documents.servers import DropboxServer
from leasehold_documents.servers.accounts import CLIENT_ID, CLIENT_SECRET
from leasehold_documents.servers.dropbox import PAPER


class Here(HTTPAdapter):
    """Brings what the SDK sends to Dropbox's hosts to the server on this machine."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._place = urlsplit(url)

    def send(self, request: PreparedRequest, *args: Any, **kwargs: Any) -> Response:
        said = urlsplit(str(request.url))
        request.url = urlunsplit((*self._place[:2], said.path, said.query, ""))
        return super().send(request, *args, **kwargs)


@pytest.fixture
def server() -> Iterator[DropboxServer]:
    with DropboxServer(page_size=7) as server:
        for number in range(1, 21):
            server.put(f"/Verträge/Mietvertrag {number:02}.pdf", b"%PDF " + bytes([number]))
        server.put("/Notizen/Größe.txt", "Größe".encode())
        yield server


def session_of(server: DropboxServer) -> Session:
    session = Session()
    session.mount("https://", Here(server.url))
    return session


@pytest.fixture
def sdk(server: DropboxServer) -> dropbox.Dropbox:
    token = server.grant()["access_token"]
    return dropbox.Dropbox(token, session=session_of(server), max_retries_on_rate_limit=0)


def entries(sdk: dropbox.Dropbox, path: str) -> list[Any]:
    page = sdk.files_list_folder(path, recursive=True)
    found = list(page.entries)
    while page.has_more:
        page = sdk.files_list_folder_continue(page.cursor)
        found += page.entries
    return found


def test_the_sdk_pages_through_all_folders(sdk: dropbox.Dropbox) -> None:
    found = entries(sdk, "")
    names = sorted(each.name for each in found if isinstance(each, files.FileMetadata))
    assert names == ["Größe.txt", *(f"Mietvertrag {number:02}.pdf" for number in range(1, 21))]
    assert {each.name for each in found if isinstance(each, files.FolderMetadata)} == {
        "Verträge",
        "Notizen",
    }


def test_the_sdk_downloads_by_a_name_with_umlauts(sdk: dropbox.Dropbox) -> None:
    metadata, response = sdk.files_download("/Notizen/Größe.txt")
    assert response.content == "Größe".encode()
    assert metadata.content_hash == digest_of("dropbox", response.content)


def test_the_sdk_exports_what_has_no_content_of_its_own(
    server: DropboxServer, sdk: dropbox.Dropbox
) -> None:
    server.put("/Notizen/Plan.paper", b"<p>Plan</p>", kind=PAPER)
    with pytest.raises(exceptions.ApiError) as refused:
        sdk.files_download("/Notizen/Plan.paper")
    assert refused.value.error.is_unsupported_file()
    result, response = sdk.files_export("/Notizen/Plan.paper")
    assert (result.export_metadata.name, response.content) == ("Plan.html", b"<p>Plan</p>")


def test_the_sdk_reads_of_changes_and_deletions_behind_its_cursor(
    server: DropboxServer, sdk: dropbox.Dropbox
) -> None:
    cursor = sdk.files_list_folder("/Notizen").cursor
    first = server.put("/Notizen/Neu.txt", b"neu")
    server.delete(first)
    server.put("/Notizen/Auch neu.txt", b"auch")
    found = sdk.files_list_folder_continue(cursor).entries
    assert [(type(each).__name__, each.name) for each in found] == [
        ("DeletedMetadata", "Neu.txt"),
        ("FileMetadata", "Auch neu.txt"),
    ]


def test_the_sdk_understands_how_the_server_says_no(
    server: DropboxServer, sdk: dropbox.Dropbox
) -> None:
    with pytest.raises(exceptions.ApiError) as missing:
        sdk.files_list_folder("/Nirgends")
    assert missing.value.error.get_path().is_not_found()
    cursor = sdk.files_list_folder("").cursor
    server.fail("reset", path="/2/files/list_folder/continue")
    with pytest.raises(exceptions.ApiError) as reset:
        sdk.files_list_folder_continue(cursor)
    assert reset.value.error.is_reset()
    server.fail(429, retry_after=7)
    with pytest.raises(exceptions.RateLimitError) as busy:
        sdk.files_list_folder("")
    assert busy.value.backoff == 7
    with pytest.raises(exceptions.BadInputError):
        sdk.files_list_folder("/")
    server.revoke()
    with pytest.raises(exceptions.AuthError):
        sdk.users_get_current_account()


def test_the_sdk_refreshes_a_token_that_has_run_out(server: DropboxServer) -> None:
    granted = server.grant()
    server.expire()
    sdk = dropbox.Dropbox(
        granted["access_token"],
        oauth2_refresh_token=granted["refresh_token"],
        oauth2_access_token_expiration=None,
        app_key=CLIENT_ID,
        app_secret=CLIENT_SECRET,
        session=session_of(server),
    )
    sdk.refresh_access_token()
    assert sdk.users_get_current_account().email == "erika@mustermann.example"
