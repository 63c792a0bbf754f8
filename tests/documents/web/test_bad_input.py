"""Every bad input gets its code over HTTP, costs nothing, and the service goes on."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
import leasehold_documents
from leasehold_documents import billing, tasks
from leasehold_documents.access import remove_member
from leasehold_documents.demo.files import excel, pdf, scan
from leasehold_documents.errors import Rejected
from leasehold_documents.settings import Settings, lending
from leasehold_documents.vault import signing
from leasehold_documents.web.api.files import PURPOSE
from leasehold_documents.web.texts import LANGUAGES
from tests.documents.extracting.hostile import CORPUS
from tests.documents.flow.engines import Scripted, reading_with
from tests.documents.web.kit import LEASE, serve_inside, settings_for

if TYPE_CHECKING:
    from leasehold.kit.data import Database
    from tests.documents.access.kit import Two
    from tests.documents.web.kit import DocumentAsker

ONCE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
FILES = {
    "nothing": "EMPTY_FILE",
    "white space": "EMPTY_FILE",
    "locked PDF": "DOCUMENT_ENCRYPTED",
    "locked sheet": "DOCUMENT_ENCRYPTED",
    "bomb": "ARCHIVE_BOMB",
    "nested zip": "ARCHIVE_BOMB",
    "huge picture": "IMAGE_TOO_LARGE",
    "external entity": "DTD_REFUSED",
    "entities in a letter": "DTD_REFUSED",
    "PDF of noise": "UNREADABLE",
    "plain zip": "UNSUPPORTED_TYPE",
    "program": "UNSUPPORTED_TYPE",
}

CODED_QUERIES = (
    ("", "EMPTY_QUERY"),
    ("-pacht", "EMPTY_QUERY"),
    (" ".join(f"wort{number}" for number in range(40)), "QUERY_TOO_LONG"),
)


class Trial:
    """Takes files as far as they get: to a refusal, or to a worker."""

    def __init__(self, ada: DocumentAsker) -> None:
        self._ada = ada
        self.refused: dict[str, str] = {}
        self.waiting: dict[str, str] = {}  # documents that a worker is to read

    def take(self, name: str, content: bytes) -> None:
        answer = self._ada.ask("POST", "/api/documents", files={"file": (name, content)})
        if answer.status_code == 201:
            document_id = answer.json()["id"]
            path = f"/api/documents/{document_id}/extractions/"
            answer = self._ada.ask("POST", f"{path}estimate", json={})
            if answer.status_code == 201:
                agreed = {"extraction_id": answer.json()["extraction_id"]}
                answer = self._ada.ask("POST", f"{path}confirm", json=agreed)
                assert answer.status_code == 202, answer.text
                self.waiting[name] = document_id
                return
        assert answer.status_code == 422, (name, answer.text)
        problem = answer.json()
        code = problem["about"]["code"]
        assert problem["type"].endswith(f":{code.lower().replace('_', '-')}")
        self.refused[name] = code

    def codes(self) -> dict[str, str]:
        self._ada.work()
        found = dict(self.refused)
        for name, document_id in self.waiting.items():
            extraction = self._ada.get(f"/api/documents/{document_id}")["extraction"]
            assert extraction["status"] == "failed", (name, extraction)
            assert extraction["actual_cost_cents"] in {None, 0}
            found[name] = extraction["error_code"]
        return found


def test_every_bad_file_gets_its_code_and_costs_nothing(ada: DocumentAsker, tmp_path: Path) -> None:
    trial = Trial(ada)
    for name in FILES:
        path = tmp_path / "file"
        CORPUS[name].make(path)
        trial.take(name, path.read_bytes())
    trial.take("a scan", scan(["Rechnung Nummer 4711"]))
    assert trial.codes() == FILES | {"a scan": "NO_TEXT_LAYER"}
    figures = ada.get("/api/dashboard")
    assert (figures["booked_cents"], figures["reserved_cents"]) == (0, 0)
    assert ada.read(ada.upload()["id"])["extraction"]["status"] == "done"


@pytest.mark.parametrize(
    "code", ["PARSER_CRASH", "OCR_NOT_INSTALLED", "NO_TEXT_FOUND", "TEXT_TOO_LONG"]
)
@ONCE
def test_what_is_only_seen_while_reading_gets_its_code_and_a_refund(
    ada: DocumentAsker, code: str
) -> None:
    def refuse() -> None:
        raise Rejected(code, "because")

    with reading_with(Scripted(refuse)):
        found = ada.read(ada.upload()["id"])["extraction"]
    assert (found["status"], found["error_code"]) == ("failed", code)
    job = ada.get(f"/api/jobs/{found['job_id']}")
    assert (job["status"], job["attempts"]) == ("dead", 1)  # at once
    assert ada.get("/api/dashboard")["reserved_cents"] == 0
    assert ada.get("/api/notifications")["notifications"][0]["data"]["code"] == code


def test_an_encrypted_file_is_read_with_its_password_which_is_used_once(
    ada: DocumentAsker,
) -> None:
    locked = excel(["Name", "Lohn"], ["Weiß", 2_500.0], password="geheim")
    uploaded = ada.upload(locked, "Löhne.xlsx")
    for password, code in ((None, "DOCUMENT_ENCRYPTED"), ("falsch", "DOCUMENT_ENCRYPTED")):
        said = {} if password is None else {"password": password}
        assert ada.read(uploaded["id"], **said)["extraction"]["error_code"] == code
    done = ada.read(uploaded["id"], password="geheim")
    assert done["extraction"]["status"] == "done"
    assert "geheim" not in str(ada.get("/api/jobs"))
    chunks = ada.get(f"/api/documents/{uploaded['id']}/chunks")["chunks"]
    assert "Weiß" in " ".join(each["text"] for each in chunks)


@ONCE
def test_without_keys_a_password_is_not_kept(
    url: str, database: Database, two: Two, said: Settings
) -> None:
    with lh.Client(url) as client, serve_inside(client) as asker:
        ada = asker.as_user(two.ada)
        document_id = ada.upload()["id"]
        wanted = {"extraction_id": ada.estimate(document_id)["extraction_id"], "password": "x"}
        path = f"/api/documents/{document_id}/extractions/confirm"
        assert ada.refused(503, "POST", path, json=wanted)["type"].endswith(":no-keyring")
        assert ada.get(f"/api/documents/{document_id}")["extraction"]["status"] == (
            "awaiting_consent"
        )


@ONCE
def test_a_file_that_is_too_large_is_refused_whether_it_says_so_or_not(
    queue: lh.Client, two: Two, tmp_path: Path
) -> None:
    with lending(settings_for(tmp_path, file_bytes=100_000)), serve_inside(queue) as asker:
        ada = asker.as_user(two.ada)
        large = b"x" * 100_001
        problem = ada.refused(413, "POST", "/api/documents", content=large)
        assert problem["about"]["code"] == "FILE_TOO_LARGE"
        ada.refused(413, "POST", "/api/documents", files={"file": ("a.txt", large)})
        ada.refused(413, "POST", "/api/documents", content=_pieces(large))
        ada.refused(413, "POST", "/api/documents", content=b"x" * 3_000_000)
        path = f"/api/documents/{two.ada}/extractions/estimate"
        ada.refused(413, "POST", path, json={"engine": "x" * 300_000})
        page = ada.ask(
            "POST", "/papers", files={"file": ("a", large)}, headers={"accept": "text/html"}
        )
        assert (page.status_code, "zu groß" in page.text) == (413, True)
        assert ada.get("/api/documents")["documents"] == []
        assert not list((tmp_path / "vault").rglob("*.txt"))


async def _pieces(content: bytes) -> Any:
    for start in range(0, len(content), 10_000):
        yield content[start : start + 10_000]


@ONCE
def test_a_form_without_a_file_or_cut_short_is_refused(ada: DocumentAsker) -> None:
    form = ada.refused(422, "POST", "/api/documents", files={"other": ("a.txt", b"text")})
    assert form["type"].endswith(":no-file")
    headers = {"content-type": "multipart/form-data; boundary=x"}
    cut = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ntext'
    ada.refused(400, "POST", "/api/documents", content=cut, headers=headers)
    assert ada.get("/api/documents")["documents"] == []


def test_what_a_file_is_its_content_says_and_its_name_is_text_only(
    ada: DocumentAsker, said: Settings
) -> None:
    assert ada.upload(LEASE, "brief.txt")["media_type"] == "application/pdf"
    names = ("../../etc/passwd", "\u202efdp.exe", "n" * 300, "💥 Rechnung ✅.txt", "a\tb<c>.txt")
    for number, name in enumerate(names):
        answer = ada.ask(
            "POST", "/api/documents", params={"name": name}, content=f"Text {number}".encode()
        )
        assert (answer.status_code, answer.json()["name"]) == (201, name)
        link = ada.post(f"/api/documents/{answer.json()['id']}/link")["url"]
        file = ada.ask("GET", link.removeprefix("/documents"))
        assert file.content == f"Text {number}".encode()
        assert file.headers["content-disposition"].startswith("attachment;")
        assert file.headers["content-type"] == "application/octet-stream"
    root = Path(said.vault).resolve()
    kept = [each for each in root.rglob("*") if each.is_file()]
    assert len(kept) == 6
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,100}", each.name) for each in kept)


def test_a_link_to_a_file_is_good_for_everybody_and_for_15_minutes(
    asker: DocumentAsker, ada: DocumentAsker, said: Settings, two: Two
) -> None:
    document_id = ada.upload(LEASE)["id"]
    link = ada.post(f"/api/documents/{document_id}/link")
    left = datetime.fromisoformat(link["expires_at"]) - datetime.now(UTC)
    assert timedelta(minutes=14) < left <= timedelta(minutes=15)
    path = link["url"].removeprefix("/documents")
    assert asker.ask("GET", path).content == LEASE
    assert (
        asker.refused(403, "GET", path.replace("token=e", "token=f"))["about"]["code"]
        == "LINK_INVALID"
    )
    what = {"tenant": str(two.first), "document": document_id}
    old = signing.sign(said, PURPOSE, what, now=datetime.now(UTC) - timedelta(minutes=16))
    expired = asker.refused(410, "GET", f"/api/file?token={old}")
    assert expired["about"]["code"] == "LINK_EXPIRED"
    other = signing.sign(said, "another purpose", what)
    asker.refused(403, "GET", f"/api/file?token={other}")
    foreign = signing.sign(said, PURPOSE, what | {"tenant": str(two.second)})
    asker.refused(404, "GET", f"/api/file?token={foreign}")


@ONCE
def test_searches_and_reviews_that_can_not_be_are_told_so(ada: DocumentAsker) -> None:
    for asked, code in CODED_QUERIES:
        problem = ada.refused(422, "GET", "/api/search", params={"q": asked})
        assert problem["about"]["code"] == code
    ada.refused(422, "GET", "/api/search")
    ada.refused(422, "GET", "/api/search", params={"q": "x" * 1_001})
    ada.refused(422, "GET", "/api/search", params={"q": "a", "limit": 101})
    noise = ada.read(ada.upload(b"Lorem ipsum dolor sit amet.", "a.txt")["id"])
    assert (noise["suggestion"]["state"], noise["suggestion"]["doc_type"]) == ("inbox", None)
    path = f"/api/review/{noise['id']}"
    nothing = ada.refused(409, "POST", f"{path}/accept")
    assert nothing["about"]["code"] == "NOTHING_SUGGESTED"
    bad = ada.refused(422, "POST", f"{path}/correct", json={"doc_type": "  "})
    assert bad["about"]["code"] == "BAD_TYPE"
    foreign = {"doc_type": "Brief", "node_id": noise["id"]}
    ada.refused(404, "POST", f"{path}/correct", json=foreign)
    estimate = f"/api/documents/{noise['id']}/extractions/estimate"
    ada.refused(422, "POST", estimate, json={"engine": "magic"})
    ada.refused(422, "POST", estimate, json={"engin": "unstructured_fast"})


def test_a_job_for_another_tenants_document_ends_at_once(
    asker: DocumentAsker, ada: DocumentAsker, queue: lh.Client, two: Two
) -> None:
    document_id = ada.upload()["id"]
    task = tasks.extract_document.with_options(tenant=str(two.second))
    job = queue.enqueue(task, document_id, "unstructured_fast")
    ada.work()
    found = asker.as_user(two.bob).get(f"/api/jobs/{job.id}")
    assert (found["status"], "TENANT_MISMATCH" in found["error_message"]) == ("dead", True)
    ada.refused(404, "GET", f"/api/jobs/{job.id}")


def test_what_waits_by_the_consent_of_who_is_removed_is_cancelled(
    asker: DocumentAsker, ada: DocumentAsker, queue: lh.Client, database: Database, two: Two
) -> None:
    document_id = ada.upload()["id"]
    job_id = ada.confirm(document_id, ada.estimate(document_id)["extraction_id"])["job_id"]

    def cancel(tenant_id: Any, user_id: Any) -> None:
        billing.cancel_agreed(queue, database, tenant_id, user_id)

    remove_member(database, two.ada, two.first, cancel=cancel)
    ada.refused(403, "GET", "/api/documents", headers={"x-tenant": str(two.first)})
    eve = asker.as_user(two.eve, two.first)
    eve.work()
    assert eve.get(f"/api/jobs/{job_id}")["status"] == "cancelled"
    extraction = eve.get(f"/api/documents/{document_id}")["extraction"]
    assert (extraction["status"], extraction["error_code"]) == ("cancelled", "MEMBERSHIP_REMOVED")
    assert eve.get("/api/dashboard")["reserved_cents"] == 0


def test_a_long_document_is_read_in_ranges_of_pages(
    queue: lh.Client, two: Two, tmp_path: Path
) -> None:
    with lending(settings_for(tmp_path, range_pages=2)), serve_inside(queue) as asker:
        ada = asker.as_user(two.ada)
        pages = [[f"Seite {number}", "Ein langer Vertrag."] for number in range(1, 6)]
        done = ada.read(ada.upload(pdf(*pages), "lang.pdf")["id"])
        assert (done["extraction"]["status"], done["extraction"]["actual_pages"]) == ("done", 5)
        chunks = ada.get(f"/api/documents/{done['id']}/chunks")["chunks"]
        assert sorted({each["page_number"] for each in chunks}) == [1, 2, 3, 4, 5]
        assert [each["chunk_index"] for each in chunks] == list(range(len(chunks)))


def test_what_is_private_in_a_text_is_flagged(ada: DocumentAsker) -> None:
    text = b"Konto DE89 3704 0044 0532 0130 00, mail@example.org"
    document_id = ada.read(ada.upload(text, "a.txt")["id"])["id"]
    (chunk,) = ada.get(f"/api/documents/{document_id}/chunks")["chunks"]
    assert chunk["metadata"]["pii"]
    assert "DE89" not in str(ada.get("/api/jobs")) + str(ada.get("/api/notifications"))


def test_every_code_of_the_sources_has_words_in_both_languages() -> None:
    folder = Path(leasehold_documents.__file__).parent
    coded = re.compile(
        r"""(?:Rejected|Reason|Dead)\(\s*f?"([A-Z][A-Z_]{3,})(?:"|:)|^\s+code = "([A-Z_]+)\"""",
        re.MULTILINE,
    )
    codes = {
        one or other
        for path in folder.rglob("*.py")
        for one, other in coded.findall(path.read_text())
    }
    assert len(codes) > 30
    for texts in LANGUAGES.tables.values():
        missing = {each for each in codes if f"problem.{_name(each)}" not in texts}
        assert missing == set()


def _name(code: str) -> str:
    return code.lower().replace("_", "-")
