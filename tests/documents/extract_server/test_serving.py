"""What our server answers to what it can't do, and to too much of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

from leasehold_documents.errors import DocumentsError
from leasehold_documents.extract_server import serve
from leasehold_documents.extracting.builtin import BuiltIn
from leasehold_documents.extracting.unstructured import PATH
from tests.documents.extract_server.conftest import KEY
from tests.documents.extracting import papers
from tests.documents.extracting.hostile import CORPUS


def post(server: str, data: bytes, **form: Any) -> httpx.Response:
    return httpx.post(
        server + PATH,
        files={"files": ("a.pdf", data)},
        data=form,
        headers={"unstructured-api-key": KEY},
        trust_env=False,
    )


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"strategy": "magic"}, "strategy"),
        ({"languages": "../deu"}, "languages"),
        ({"starting_page_number": "0"}, "starting_page_number"),
        ({"output_format": "text/csv"}, "output_format"),
        ({"chunking_strategy": "by_title"}, "chunking_strategy"),
        ({"gz_uncompressed_content_type": "text/plain"}, "gz_uncompressed_content_type"),
    ],
)
def test_what_it_cannot_do_is_said(server: str, form: dict[str, str], field: str) -> None:
    answer = post(server, b"Ein Text", **form)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(field)


def test_a_form_without_a_file_is_refused(server: str) -> None:
    headers = {"unstructured-api-key": KEY}
    answer = httpx.post(server + PATH, data={"a": "b"}, headers=headers, trust_env=False)
    assert answer.status_code == 422


def test_two_files_have_two_lists(server: str) -> None:
    files = [("files", ("a.txt", b"Erster Text")), ("files", ("b.txt", b"Zweiter Text"))]
    headers = {"unstructured-api-key": KEY}
    answer = httpx.post(server + PATH, files=files, headers=headers, trust_env=False).json()
    assert [[each["text"] for each in one] for one in answer] == [["Erster Text"], ["Zweiter Text"]]


def test_page_breaks_are_shown_to_those_who_want_them(server: str, tmp_path: Path) -> None:
    data = papers.pdf(tmp_path / "a", ["Eins", "Zwei"]).read_bytes()
    answer = post(server, data, include_page_breaks="true").json()
    assert [each["type"] == "PageBreak" for each in answer] == [False, True, False]


def test_a_file_over_the_limit_is_413(server: str) -> None:
    assert post(server, b"x" * 3 * 1_048_576).status_code == 413


@pytest.mark.parametrize("name", ["nothing", "locked PDF", "external entity", "huge picture"])
def test_a_hostile_file_has_its_code_here_too(server: str, tmp_path: Path, name: str) -> None:
    CORPUS[name].make(tmp_path / "a")
    answer = post(server, (tmp_path / "a").read_bytes(), strategy="fast")
    assert answer.status_code == 422
    assert answer.json()["code"] in CORPUS[name].codes


def test_it_says_that_it_is_well(server: str) -> None:
    assert httpx.get(f"{server}/healthcheck", trust_env=False).status_code == 200


def test_no_other_address_is_served_without_a_key(engine: BuiltIn) -> None:
    with pytest.raises(DocumentsError, match="a key is needed"):
        serve(engine, host="192.0.2.1", port=0, most_bytes=1)
