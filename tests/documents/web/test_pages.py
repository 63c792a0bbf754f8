"""Pages as they are sent: texts in both languages, nothing of strangers' in force, forms."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

import pytest

from leasehold_documents.access import Access
from leasehold_documents.web.pages.search import marked
from leasehold_documents.web.pages.shell import PAGES
from leasehold_documents.web.texts.english import ENGLISH
from leasehold_documents.web.texts.german import GERMAN
from tests.documents.web.furnishing import SCRIPT, furnish
from tests.documents.web.test_flow import UNSURE
from tests.kit.wording import missing_texts, written_texts

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold.kit.data import Database
    from tests.documents.access.kit import Two
    from tests.documents.web.kit import DocumentAsker

ONCE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


def test_every_text_that_a_page_asks_for_is_there_and_stands_in_no_template() -> None:
    assert missing_texts(PAGES) == set()
    values = {"unstructured_fast", "unstructured_hires"}  # of forms
    assert written_texts(PAGES, values) == []
    assert set(GERMAN) == set(ENGLISH)
    for key, text in GERMAN.items():
        names = {each.partition("}")[0] for each in text.split("{")[1:]}
        others = {each.partition("}")[0] for each in ENGLISH[key].split("{")[1:]}
        assert names == others, key


def test_nothing_that_strangers_wrote_is_in_force_on_any_page(
    ada: DocumentAsker, queue: lh.Client, database: Database, two: Two
) -> None:
    paths = furnish(queue, Access(queue, database, two.ada, two.first))
    seen = ""
    for path in paths:
        answer = ada.ask("GET", path.removeprefix("/documents"), headers={"accept": "text/html"})
        assert answer.status_code in {200, 404, 422}, path
        assert "<script>window" not in answer.text, path
        assert "onerror=window" not in answer.text.replace("&lt;img src=x onerror=window", "")
        seen += answer.text
    assert seen.count("&lt;script&gt;") >= 4


def test_a_headline_has_marks_and_nothing_else() -> None:
    hostile = "a &lt;b&gt; <mark>c &amp; d</mark> <i>e</i> <mark>f"
    assert marked(hostile) == "a &lt;b&gt; <mark>c &amp; d</mark> &lt;i&gt;e&lt;/i&gt; f"


def test_a_document_goes_its_way_by_forms(ada: DocumentAsker) -> None:
    sent = ada.ask(
        "POST",
        "/papers",
        files={"file": ("Brief.pdf", UNSURE)},
        headers={"accept": "text/html"},
    )
    assert sent.status_code == 303
    page, _, said = sent.headers["location"].removeprefix("/documents").partition("?")
    assert said == "said=uploaded"
    ada.send(f"{page}/estimate", {"engine": "unstructured_fast"})
    extraction_id = ada.get(f"/api{page.replace('papers', 'documents')}")["extraction"]["id"]
    agreed = ada.send(f"{page}/confirm", {"extraction_id": extraction_id})
    assert agreed.headers["location"].endswith("said=confirmed")
    assert 'data-follow="/documents/api/documents/' in ada.page(page)
    ada.work()
    assert "Probably Notice of termination" in unescape(ada.page(page))
    review = page.replace("papers", "review")
    assert "Brief.pdf" in ada.page("/review")
    corrected = ada.send(f"{review}/correct", {"doc_type": "Versicherung"})
    assert corrected.headers["location"].endswith("/review?said=corrected")
    assert "Insurance" in ada.page(page)
    late = ada.send(f"{page}/withdraw", {"extraction_id": extraction_id})
    assert (late.status_code, 'role="alert"' in late.text) == (409, True)
    file = ada.ask("GET", f"{page}/file")
    assert (file.status_code, "/documents/api/file?token=" in file.headers["location"]) == (
        303,
        True,
    )
    gone = ada.send(f"{page}/delete", {})
    assert gone.headers["location"] == "/documents/papers?said=deleted"
    assert ada.ask("GET", page, headers={"accept": "text/html"}).status_code == 404


@ONCE
def test_figures_are_counted_as_asked(ada: DocumentAsker) -> None:
    ada.read(ada.upload()["id"])
    for window in ("24h", "all"):
        for by in ("finished", "created"):
            figures = ada.get("/api/dashboard", params={"window": window, "by": by})
            assert (figures["queued"], figures["failed"]) == (0, 0)
            assert figures["average_seconds"] > 0
            assert 'id="average"' in ada.page("/", params={"window": window, "by": by})
    ada.refused(422, "GET", "/api/dashboard", params={"window": "1h"})


@ONCE
def test_what_is_refused_is_a_page_for_people(ada: DocumentAsker) -> None:
    for path in ("/papers/01900000-0000-7000-8000-000000000000", "/nowhere", "/papers/x"):
        answer = ada.ask("GET", path, headers={"accept": "text/html"})
        assert (answer.status_code in {404, 422}, "<h1>" in answer.text) == (True, True)
    ada.refused(404, "GET", "/nowhere")
    german = ada.ask("GET", "/nowhere", headers={"accept": "text/html"})
    assert "<h1>Hier ist nichts</h1>" in german.text  # German first
    assert SCRIPT not in ada.ask("GET", f"/search?q={SCRIPT}").text
