"""Our engine over HTTP: the same answers as here, and each class of error as it is meant."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

from leasehold_documents.errors import EngineClosed, ExtractorUnavailable, Rejected
from leasehold_documents.extracting import close_engines, engine_of, sniff
from leasehold_documents.extracting.builtin import BuiltIn
from leasehold_documents.extracting.unstructured import PATH, Unstructured
from leasehold_documents.settings import Settings
from tests.documents.extract_server.conftest import KEY, served
from tests.documents.extracting import papers

if TYPE_CHECKING:
    from starlette.requests import Request

PDF = "application/pdf"


class Scripted:
    """A service that answers what it was told to, and keeps what it was asked."""

    def __init__(self) -> None:
        self.status, self.body, self.headers = 200, b"[]", dict[str, str]()
        self.asked: list[dict[str, list[str]]] = []
        self.keys: list[str | None] = []
        self.app = Starlette(routes=[Route(PATH, self.answer, methods=["POST"])])

    async def answer(self, request: Request) -> Response:
        async with request.form() as form:
            said = {key: [str(each) for each in form.getlist(key)] for key in form}
            said["names"] = [getattr(each, "filename", "") for each in form.getlist("files")]
        self.asked.append(said)
        self.keys.append(request.headers.get("unstructured-api-key"))
        return Response(self.body, self.status, self.headers, "application/json")


@pytest.fixture(scope="module")
def script() -> Scripted:
    return Scripted()


@pytest.fixture(scope="module")
def script_url(script: Scripted) -> Iterator[str]:
    with served(script.app) as url:
        yield url


@pytest.fixture
def scripted(script: Scripted, script_url: str, engine: BuiltIn) -> Iterator[Unstructured]:
    script.__init__()  # type: ignore[misc]  # as new, at the same address
    with closing(Unstructured(script_url, "k", seconds=10.0, local=engine)) as opened:
        yield opened


@pytest.fixture
def remote(server: str, engine: BuiltIn) -> Iterator[Unstructured]:
    """Our engine, whose service is our own server."""
    with closing(Unstructured(server, KEY, seconds=30.0, local=engine)) as opened:
        yield opened


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    return papers.pdf(tmp_path / "geheimer-name.pdf", ["Eins\nErster Satz.", "Zwei", "Drei"])


def extract(engine: Unstructured, path: Path) -> list[str]:
    return [each.text for each in engine.extract(path, media_type=PDF).elements]


def test_the_answer_is_the_same_as_here(remote: Unstructured, engine: BuiltIn, paper: Path) -> None:
    there, here = remote.extract(paper, media_type=PDF), engine.extract(paper, media_type=PDF)
    assert [(e.type, e.text, e.page_number, e.element_id) for e in there.elements] == [
        (e.type, e.text, e.page_number, e.element_id) for e in here.elements
    ]
    assert there.page_count == here.page_count == 3
    assert there.backend.startswith("unstructured at 127.0.0.1:")


def test_a_range_of_pages_keeps_its_numbers(remote: Unstructured, paper: Path) -> None:
    part = remote.extract(paper, media_type=PDF, pages=(2, 3))
    assert [(e.text, e.page_number) for e in part.elements] == [("Zwei", 2), ("Drei", 3)]
    assert part.page_count == 2


def test_a_password_opens_a_paper_and_never_leaves(
    remote: Unstructured, scripted: Unstructured, script: Scripted, tmp_path: Path
) -> None:
    pdf = papers.pdf(tmp_path / "a", ["Geheim"], password="sesam")
    sheet = papers.sheet(tmp_path / "b", password="sesam")
    for path in (pdf, sheet):
        with path.open("rb") as file:
            media_type = sniff(file).media_type
        assert remote.extract(path, media_type=media_type, password="sesam").elements
        with pytest.raises(Rejected) as refused:
            remote.extract(path, media_type=media_type, password="falsch")
        assert refused.value.code == "DOCUMENT_ENCRYPTED"
        with pytest.raises(Rejected):
            scripted.extract(path, media_type=media_type, password="sesam")
    assert "sesam" not in json.dumps(script.asked)


def test_a_scan_has_the_codes_that_it_has_here(remote: Unstructured, tmp_path: Path) -> None:
    path = papers.scan(tmp_path / "a", "Kündigung der Wohnung")
    with pytest.raises(Rejected) as refused:
        remote.extract(path, media_type=PDF)
    assert refused.value.code == "NO_TEXT_LAYER"
    read = remote.extract(path, media_type=PDF, strategy="hi_res")
    assert read.elements[0].text == "Kündigung der Wohnung"


def test_the_service_is_told_what_it_needs_and_no_names(
    scripted: Unstructured, script: Scripted, paper: Path
) -> None:
    script.body = json.dumps([{"type": "Title", "text": "A\0b", "metadata": {"x": "\0"}}]).encode()
    read = scripted.extract(paper, media_type=PDF, strategy="hi_res")
    assert [(each.text, each.metadata) for each in read.elements] == [("Ab", {"x": ""})]
    (asked,) = script.asked
    assert asked["strategy"] == ["hi_res"]
    assert asked["languages"] == ["deu", "eng"]
    assert asked["names"] == ["document.pdf"]
    assert script.keys == ["k"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ((400, b'{"detail": "File type is not supported: Herr Geheim"}'), "EXTRACTION_REFUSED"),
        ((422, b'{"detail": "nothing"}'), "EXTRACTION_REFUSED"),
        (
            (422, b'{"detail": "File is encrypted. Decrypt it with password."}'),
            "DOCUMENT_ENCRYPTED",
        ),
        ((422, b'{"detail": "x", "code": "NO_TEXT_LAYER"}'), "NO_TEXT_LAYER"),
        ((422, b'{"detail": "x", "code": "SOMETHING_ELSE"}'), "EXTRACTION_REFUSED"),
        ((413, b"Herr Geheim"), "EXTRACTION_REFUSED"),
        ((200, b"[]"), "NO_TEXT_LAYER"),
    ],
)
def test_what_it_will_never_read_is_final(
    scripted: Unstructured, script: Scripted, paper: Path, answer: tuple[int, bytes], code: str
) -> None:
    script.status, script.body = answer
    with pytest.raises(Rejected) as refused:
        extract(scripted, paper)
    assert refused.value.code == code
    assert "Geheim" not in str(refused.value)


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_key_that_is_refused_closes_the_engine(
    scripted: Unstructured, script: Scripted, paper: Path, status: int
) -> None:
    script.status = status
    with pytest.raises(EngineClosed) as closed:
        extract(scripted, paper)
    assert str(status) in closed.value.reason


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [
        ((429, {"retry-after": "7"}), 7.0),
        ((429, {}), None),
        ((500, {}), None),
        ((502, {}), None),
        ((503, {"retry-after": "soon"}), None),
        ((504, {}), None),
        ((404, {}), None),
        ((302, {"location": "/elsewhere"}), None),
    ],
)
def test_what_may_be_gone_later_is_tried_again(
    scripted: Unstructured,
    script: Scripted,
    paper: Path,
    answer: tuple[int, dict[str, str]],
    seconds: float | None,
) -> None:
    script.status, script.headers = answer
    with pytest.raises(ExtractorUnavailable) as told:
        extract(scripted, paper)
    assert told.value.status == script.status
    assert told.value.retry_after_seconds == seconds


@pytest.mark.parametrize("body", [b"", b"null", b'{"a": 1}', b'[{"text": 1}]', b"[" * 100_000])
def test_an_answer_that_is_none_is_tried_again(
    scripted: Unstructured, script: Scripted, paper: Path, body: bytes
) -> None:
    script.body = body
    with pytest.raises(ExtractorUnavailable):
        extract(scripted, paper)


def test_silence_is_tried_again(engine: BuiltIn, paper: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}"
        with closing(Unstructured(url, "", seconds=0.2, local=engine)) as waiting:
            with pytest.raises(ExtractorUnavailable) as told:
                extract(waiting, paper)
            assert told.value.status is None
    with closing(Unstructured(url, "", seconds=0.2, local=engine)) as refused:
        with pytest.raises(ExtractorUnavailable) as told:
            extract(refused, paper)
        assert told.value.status is None


def test_the_settings_say_which_engine_it_is(server: str, paper: Path) -> None:
    said = Settings(extraction_url=server, extraction_key=KEY)
    try:
        assert engine_of(said) is engine_of(said)
        assert isinstance(engine_of(Settings()), BuiltIn)
        read = engine_of(said).extract(paper, media_type=PDF)
        assert read.backend.startswith("unstructured at ")
    finally:
        close_engines()
