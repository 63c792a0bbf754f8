"""Google's own client, with the description of the API that it carries, reads the local Drive."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from google.oauth2.credentials import Credentials
from googleapiclient import discovery, errors
from googleapiclient.http import MediaIoBaseDownload

from leasehold_documents.servers import DriveServer
from leasehold_documents.servers.accounts import CLIENT_ID, CLIENT_SECRET
from leasehold_documents.servers.gdrive import DOCUMENT, SHORTCUT

_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.fixture
def server() -> Iterator[DriveServer]:
    with DriveServer(page_size=4) as server:
        for number in range(10):
            server.put(f"/Rechnungen/Rechnung {number}.pdf", b"%PDF " + bytes([number]))
        yield server


@pytest.fixture
def drive(server: DriveServer) -> Iterator[Any]:
    granted = server.grant()
    server.expire()  # so that the client has to refresh before anything else
    credentials = Credentials(  # type: ignore[no-untyped-call]  # it ships half its types
        granted["access_token"],
        refresh_token=granted["refresh_token"],
        token_uri=f"{server.url}/token",
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
    )
    with discovery.build(
        "drive",
        "v3",
        credentials=credentials,
        static_discovery=True,
        client_options={"api_endpoint": f"{server.url}/drive/v3/"},
    ) as drive:
        yield drive


def listed(drive: Any, query: str) -> list[dict[str, Any]]:
    found, token = [], None
    while True:
        asked = {"q": query, "fields": "nextPageToken, files(id, name, mimeType)"}
        page = drive.files().list(**asked, pageToken=token).execute()
        found += page["files"]
        token = page.get("nextPageToken")
        if token is None:
            return found


def test_the_client_pages_through_a_folder(drive: Any) -> None:
    (folder,) = listed(drive, "'root' in parents and trashed = false")
    found = listed(drive, f"'{folder['id']}' in parents and trashed = false")
    assert sorted(each["name"] for each in found) == [f"Rechnung {n}.pdf" for n in range(10)]


def test_the_client_downloads_in_one_piece(server: DriveServer, drive: Any) -> None:
    identifier = server.put("/Größe.txt", "Größe".encode())
    into = io.BytesIO()
    request = drive.files().get_media(fileId=identifier)
    _, is_done = MediaIoBaseDownload(into, request).next_chunk()
    assert is_done
    assert into.getvalue() == "Größe".encode()


def test_the_client_exports_papers_and_sees_shortcuts_and_equal_names(
    server: DriveServer, drive: Any
) -> None:
    paper = server.put("/Protokoll", b"PK docx", kind=DOCUMENT)
    server.put("/Verweis", b"", kind=SHORTCUT, target=paper)
    server.add("/Protokoll", b"PK other", kind=DOCUMENT)
    exported = drive.files().export(fileId=paper, mimeType=_DOCX).execute()
    assert exported == b"PK docx"
    names = [each["name"] for each in listed(drive, "'root' in parents and trashed = false")]
    assert names.count("Protokoll") == 2
    (shortcut,) = listed(drive, "name = 'Verweis' and trashed = false")
    found = drive.files().get(fileId=shortcut["id"], fields="shortcutDetails").execute()
    assert found["shortcutDetails"] == {"targetId": paper, "targetMimeType": DOCUMENT}


def test_the_client_understands_how_the_server_says_no(server: DriveServer, drive: Any) -> None:
    paper = server.put("/Protokoll", b"PK docx", kind=DOCUMENT)
    with pytest.raises(errors.HttpError) as refused:
        drive.files().get_media(fileId=paper).execute()
    assert refused.value.error_details[0]["reason"] == "fileNotDownloadable"
    server.fail("userRateLimitExceeded")
    with pytest.raises(errors.HttpError) as busy:
        drive.files().list().execute()
    assert (busy.value.status_code, busy.value.error_details[0]["reason"]) == (
        403,
        "userRateLimitExceeded",
    )
    with pytest.raises(errors.HttpError) as missing:
        drive.files().get(fileId="nothing").execute()
    assert missing.value.status_code == 404
    with pytest.raises(errors.HttpError) as about:
        drive.about().get().execute()
    assert about.value.status_code == 400
