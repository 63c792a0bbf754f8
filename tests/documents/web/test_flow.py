"""The whole way of a document over HTTP: uploaded, agreed to, read, found, classified, reviewed."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from leasehold_documents.demo.files import pdf
from tests.documents.web.kit import LEASE, DocumentAsker

if TYPE_CHECKING:
    from tests.documents.access.kit import Two


def test_from_the_upload_to_the_review(ada: DocumentAsker) -> None:
    uploaded = ada.upload(LEASE, "Mietvertrag Hauptstraße.pdf")
    assert (uploaded["name"], uploaded["media_type"]) == (
        "Mietvertrag Hauptstraße.pdf",
        "application/pdf",
    )
    assert (uploaded["extraction"], uploaded["source"]) == (None, "upload")
    where = f"/api/documents/{uploaded['id']}"

    estimate = ada.estimate(uploaded["id"])
    assert (estimate["pages"], estimate["cents"]) == (1, 2)
    waiting = ada.get(where)["extraction"]
    assert (waiting["status"], waiting["consent_given_at"]) == ("awaiting_consent", None)
    ada.work()
    assert ada.get(f"{where}/chunks")["chunks"] == []  # nothing is read without consent

    confirmed = ada.confirm(uploaded["id"], estimate["extraction_id"])
    assert confirmed["extraction"]["status"] == "queued"
    job = ada.get(f"/api/jobs/{confirmed['job_id']}")
    assert (job["type"], job["status"], job["max_attempts"]) == ("extract_document", "queued", 4)
    assert job["payload"]["document_id"] == uploaded["id"]
    ada.work()

    done = ada.get(where)
    assert (done["extraction"]["status"], done["extraction"]["actual_cost_cents"]) == ("done", 2)
    assert done["extraction"]["result_json"]["element_count"] >= 1
    assert (done["doc_type"], done["node_name"]) == ("Mietvertrag", "Mietverträge")
    chunks = ada.get(f"{where}/chunks")["chunks"]
    assert "Hauptstraße" in " ".join(each["text"] for each in chunks)
    job = ada.get(f"/api/jobs/{confirmed['job_id']}")
    assert job["status"] == "done"
    assert job["result"]["chunk_count"] == len(chunks)

    for asked in ("mietvertrag hauptstrasse", "vertrag", '"drei Monate"', "kündigungsfr*"):
        hits = ada.get("/api/search", params={"q": asked})["hits"]
        assert [each["document_id"] for each in hits] == [uploaded["id"]], asked
        assert "<mark>" in hits[0]["headline"]
    assert ada.get("/api/search", params={"q": "vertrag -hauptstraße"})["hits"] == []
    news = ada.get("/api/notifications")
    assert (news["unread"], news["notifications"][0]["document_id"]) == (1, uploaded["id"])
    assert ada.post("/api/notifications/read") == {"count": 1}
    assert ada.get("/api/notifications")["unread"] == 0


UNSURE = pdf(["Kündigung des Mietvertrags", "Sehr geehrte Frau Vermieterin, wir ziehen aus."])


def test_what_is_not_certain_is_reviewed(ada: DocumentAsker) -> None:
    found = ada.read(ada.upload(UNSURE, "Brief.pdf")["id"])
    assert found["suggestion"]["state"] == "review"
    assert 0.6 <= found["suggestion"]["confidence"] < 0.85
    assert found["id"] in {each["id"] for each in ada.get("/api/review")["documents"]}
    corrected = ada.post(f"/api/review/{found['id']}/correct", {"doc_type": "Versicherung"})
    assert (corrected["doc_type"], corrected["node_name"]) == ("Versicherung", "Versicherungen")
    assert corrected["suggestion"]["state"] == "corrected"
    assert found["id"] not in {each["id"] for each in ada.get("/api/review")["documents"]}
    rejected = ada.post(f"/api/review/{found['id']}/reject")
    assert (rejected["doc_type"], rejected["suggestion"]["state"]) == (None, "rejected")
    inbox = ada.get("/api/documents", params={"place": "inbox"})["documents"]
    assert found["id"] in {each["id"] for each in inbox}
    accepted = ada.post(f"/api/review/{found['id']}/accept")
    assert accepted["doc_type"] == found["suggestion"]["doc_type"]
    ada.refused(404, "POST", f"/api/review/{uuid4()}/accept")


def test_consent_is_taken_back_and_nothing_is_charged(ada: DocumentAsker) -> None:
    uploaded = ada.upload()
    estimate = ada.estimate(uploaded["id"])
    confirmed = ada.confirm(uploaded["id"], estimate["extraction_id"])
    again = ada.confirm(uploaded["id"], estimate["extraction_id"])
    assert again["job_id"] == confirmed["job_id"]  # and no second one
    path = f"/api/documents/{uploaded['id']}/extractions"
    withdrawn = ada.post(f"{path}/{estimate['extraction_id']}/withdraw")
    assert (withdrawn["status"], withdrawn["actual_cost_cents"]) == ("cancelled", 0)
    ada.work()
    assert ada.get(f"/api/jobs/{confirmed['job_id']}")["status"] == "cancelled"
    problem = ada.refused(
        409, "POST", f"{path}/confirm", json={"extraction_id": estimate["extraction_id"]}
    )
    assert problem["type"].endswith(":too-late")
    spent = ada.refused(409, "POST", f"/api/jobs/{confirmed['job_id']}/retry")
    assert spent["about"]["code"] == "CONSENT_SPENT"
    figures = ada.get("/api/dashboard")
    assert (figures["booked_cents"], figures["reserved_cents"]) == (0, 0)


def test_a_job_is_cancelled_and_its_price_given_back(ada: DocumentAsker) -> None:
    uploaded = ada.upload()
    job_id = ada.confirm(uploaded["id"], ada.estimate(uploaded["id"])["extraction_id"])["job_id"]
    assert ada.get("/api/dashboard")["reserved_cents"] == 2
    assert ada.post(f"/api/jobs/{job_id}/cancel")["status"] == "cancelled"
    ada.work()
    found = ada.get(f"/api/documents/{uploaded['id']}")
    assert found["extraction"]["status"] == "cancelled"
    assert ada.get("/api/dashboard")["reserved_cents"] == 0
    assert [each["id"] for each in ada.get("/api/jobs?status=cancelled")["jobs"]] == [job_id]
    done = ada.read(uploaded["id"])
    assert done["extraction"]["status"] == "done"
    problem = ada.refused(409, "POST", f"/api/jobs/{done['extraction']['job_id']}/cancel")
    assert problem["type"].endswith(":wrong-state")


def test_the_same_file_twice_is_charged_once(ada: DocumentAsker) -> None:
    first = ada.upload()
    ada.read(first["id"])
    second = ada.upload(name="Kopie.pdf")
    assert second["duplicate_of"] == first["id"]
    assert ada.estimate(second["id"])["cents"] == 0
    ada.read(second["id"])
    assert ada.get("/api/dashboard")["booked_cents"] == 2


def test_a_deleted_document_is_gone_with_what_waits(ada: DocumentAsker) -> None:
    uploaded = ada.upload()
    ada.read(uploaded["id"])
    link = ada.post(f"/api/documents/{uploaded['id']}/link")["url"].removeprefix("/documents")
    other = ada.upload(name="wartet.pdf", content=LEASE + b" ")
    job_id = ada.confirm(other["id"], ada.estimate(other["id"])["extraction_id"])["job_id"]
    for each in (uploaded, other):
        assert ada.ask("DELETE", f"/api/documents/{each['id']}").status_code == 204
        ada.refused(404, "GET", f"/api/documents/{each['id']}")
    assert ada.get(f"/api/jobs/{job_id}")["status"] == "cancelled"
    assert ada.get("/api/search", params={"q": "mietvertrag"})["hits"] == []
    ada.refused(404, "GET", link)
    ada.work()
    assert ada.get("/api/dashboard")["reserved_cents"] == 0


def test_documents_are_listed_by_page_and_narrowed(ada: DocumentAsker, two: Two) -> None:
    names = [f"Brief {number}.txt" for number in range(5)]
    for name in names:
        ada.upload(f"Text von {name}".encode(), name)
    seen: list[str] = []
    before: str | None = None
    while True:
        params = {"limit": 2} | ({"before": before} if before else {})
        page = ada.get("/api/documents", params=params)
        seen += [each["name"] for each in page["documents"]]
        before = page["next"]
        if before is None:
            break
    assert seen == names[::-1]
    found = ada.get("/api/documents", params={"name": "BRIEF 3"})["documents"]
    assert [each["name"] for each in found] == ["Brief 3.txt"]
    assert ada.get("/api/documents", params={"name": "%"})["documents"] == []
    nodes = {each["path"]: each["id"] for each in ada.get("/api/nodes")["nodes"]}
    empty = {"node_id": nodes["Verträge / Mietverträge"]}
    assert ada.get("/api/documents", params=empty)["documents"] == []
