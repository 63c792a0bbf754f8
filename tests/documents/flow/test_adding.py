"""Papers come in: what is in them decides, names are only words, and nothing comes in twice."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from sqlalchemy import insert

from leasehold_documents import papers
from leasehold_documents.data.tables import connectors
from leasehold_documents.errors import Rejected, TooLarge
from tests.documents.flow.kit import LEASE, Office, changed, pdf_of


@pytest.mark.parametrize(
    "data",
    [b"", b" \r\n\t" * 999, "\ufeff \n".encode("utf-16"), b"\xef\xbb\xbf", "\u00a0\n".encode()],
)
def test_nothing_but_white_space_is_no_document(office: Office, data: bytes) -> None:
    with pytest.raises(Rejected) as caught:
        office.add("leer.txt", data)
    assert caught.value.code == "EMPTY_FILE"
    assert office.rows("documents") == []


def test_a_file_that_is_too_long_is_refused_and_leaves_nothing(office: Office) -> None:
    with changed(file_bytes=1_000), pytest.raises(TooLarge):
        office.add("lang.txt", b"x" * 1_001)
    assert office.rows("documents") == []


def test_the_content_says_what_it_is_whatever_the_name_says(office: Office) -> None:
    assert office.add("Urlaub.jpg", pdf_of(LEASE))["media_type"] == "application/pdf"
    assert office.add("Vertrag.pdf", b"Nur Text.\n")["media_type"] == "text/plain"


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "\u202egnp.exe.pdf",
        "ä" * 300 + ".pdf",
        "📄🔥.pdf",
        "a\x00b",
        "\ud800.pdf",
        "",
    ],
)
def test_any_name_is_kept_as_words_and_never_becomes_a_path(office: Office, name: str) -> None:
    row = office.add(name)
    assert row["name"]
    assert row["name"] == name or "\x00" in name or "\ud800" in name or not name
    key = row["file_path"]
    assert key.startswith(f"tenant/{office.tenant_id}/original/{row['id']}/")
    assert key.isascii()
    assert ".." not in key
    with office.vault.open(key) as file:
        assert file.read() == pdf_of(LEASE)


def test_the_same_file_again_says_of_which_it_is_a_duplicate(office: Office) -> None:
    first = office.add("eins.pdf")
    second, third = office.add("zwei.pdf"), office.add("drei.pdf")
    assert first["duplicate_of"] is None
    assert second["duplicate_of"] == third["duplicate_of"] == first["id"]


def add_connector(office: Office) -> UUID:
    connector_id, now = uuid4(), datetime.now(UTC)
    row = {"id": connector_id, "tenant_id": office.tenant_id, "provider": "dropbox", "name": "D"}
    with office.database.write() as connection:
        connection.execute(insert(connectors), row | {"created_at": now, "updated_at": now})
    return connector_id


def test_a_file_of_a_source_is_imported_once(office: Office) -> None:
    said = {"source": "dropbox", "remote_id": "id:1", "remote_revision": "7"}
    connector = add_connector(office)
    first, again = (
        papers.add(
            office.access,
            office.vault,
            "a.pdf",
            io.BytesIO(pdf_of(LEASE)),
            connector_id=connector,
            **said,
        )
        for _ in range(2)
    )
    assert first["id"] == again["id"]
    assert len(office.rows("documents")) == 1
    assert office.vault.exists(first["file_path"])


def test_pages_of_the_list_hold_each_document_once_newest_first(office: Office) -> None:
    made = [office.add(f"{number}.txt", f"Brief {number}".encode())["id"] for number in range(5)]
    seen, before = [], None
    while True:
        page = papers.page(office.access, limit=2, before=before)
        seen += [row["id"] for row in page.rows]
        before = page.next
        if before is None:
            break
    assert seen == made[::-1]
