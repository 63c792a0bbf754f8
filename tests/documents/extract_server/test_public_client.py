"""The public `unstructured-client` package talks to our server as to any other."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from unstructured_client import UnstructuredClient
from unstructured_client.models import errors, operations, shared
from unstructured_client.utils import BackoffStrategy, RetryConfig

from tests.documents.extract_server.conftest import KEY
from tests.documents.extracting import papers

# Its copies of the HTTP client, for the parts of a PDF, are made in an old way and never closed.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:`verify=<str>`:DeprecationWarning"),
]

_NO_RETRY = RetryConfig("none", BackoffStrategy(1, 1, 1.0, 1), retry_connection_errors=False)


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """Let what it leaves open be found here, where that is known, and not by another test."""
    yield
    gc.collect()


@pytest.fixture
def client(server: str) -> Iterator[UnstructuredClient]:
    with UnstructuredClient(server_url=server, api_key_auth=KEY, retry_config=_NO_RETRY) as opened:
        yield opened


def partition(client: UnstructuredClient, path: Path, **said: Any) -> list[dict[str, Any]]:
    files = shared.Files(content=path.read_bytes(), file_name=path.name)
    asked = operations.PartitionRequest(
        partition_parameters=shared.PartitionParameters(files=files, **said)
    )
    return client.general.partition(request=asked).elements or []


def test_it_reads_a_paper(client: UnstructuredClient, tmp_path: Path) -> None:
    path = papers.pdf(tmp_path / "mietvertrag.pdf", ["Mietvertrag\nDie Miete beträgt 850 Euro."])
    elements = partition(
        client, path, strategy=shared.Strategy.FAST, languages=["deu", "eng"], split_pdf_page=False
    )
    assert [(each["type"], each["text"]) for each in elements] == [
        ("Title", "Mietvertrag"),
        ("UncategorizedText", "Die Miete beträgt 850 Euro."),
    ]
    assert elements[0]["metadata"] == {
        "filename": "mietvertrag.pdf",
        "filetype": "application/pdf",
        "languages": ["deu", "eng"],
        "page_number": 1,
    }
    assert len(elements[0]["element_id"]) == 32


def test_it_splits_a_long_paper_and_the_pages_keep_their_numbers(
    client: UnstructuredClient, tmp_path: Path
) -> None:
    path = papers.pdf(tmp_path / "lang.pdf", [f"Seite {number}" for number in range(1, 31)])
    elements = partition(client, path, strategy=shared.Strategy.FAST, split_pdf_page=True)
    numbers = [(each["text"], each["metadata"]["page_number"]) for each in elements]
    assert numbers == [(f"Seite {number}", number) for number in range(1, 31)]


def test_it_has_a_scan_read_if_the_strategy_is_left_to_us(
    client: UnstructuredClient, tmp_path: Path
) -> None:
    path = papers.scan(tmp_path / "scan.pdf", "Kündigung der Wohnung")
    elements = partition(client, path, strategy=shared.Strategy.AUTO, languages=["deu"])
    assert [each["text"] for each in elements] == ["Kündigung der Wohnung"]


def test_it_is_told_what_will_never_be_read(client: UnstructuredClient, tmp_path: Path) -> None:
    path = papers.pdf(tmp_path / "a.pdf", ["Geheim"], password="x")
    with pytest.raises(errors.UnstructuredClientError) as refused:
        partition(client, path, split_pdf_page=False)
    assert refused.value.status_code == 422
    assert "DOCUMENT_ENCRYPTED" in refused.value.body


def test_it_is_not_let_in_without_the_key(server: str, tmp_path: Path) -> None:
    path = papers.pdf(tmp_path / "a.pdf", ["Text"])
    with (
        UnstructuredClient(server_url=server, api_key_auth="?", retry_config=_NO_RETRY) as stranger,
        pytest.raises(errors.SDKError) as refused,
    ):
        partition(stranger, path, split_pdf_page=False)
    assert refused.value.status_code == 401
