"""`leasehold-documents upload`, `estimate`, `extract`, `search` and `work`, as people run them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from leasehold import Keyring
from leasehold_documents import billing
from leasehold_documents.access import Access, memberships_of, user_named
from leasehold_documents.demo import files
from tests.documents.cli.kit import Run

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold.kit.data import Database

LEASE = ("Mietvertrag", "Der Mieter zahlt dem Vermieter eine Kaltmiete von 920 Euro.")


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "Mietvertrag.pdf").write_bytes(files.pdf(LEASE, ("Anlage", "Hausordnung")))
    (folder / "Scan.pdf").write_bytes(files.scan(("Protokoll",)))
    (folder / "Notiz.txt").write_bytes("Wir können dienstags anrufen.".encode("cp1252"))
    (folder / "leer.txt").write_bytes(b" \n")
    return folder


@pytest.fixture
def ready(run: Run, papers: Path) -> Run:
    """An organization with one person, and two papers that nobody has read."""
    run("init", "--tenant", "Lindenhof", "--user", "anna@example.org")
    uploaded = run("upload", *(str(papers / name) for name in ("Mietvertrag.pdf", "Notiz.txt")))
    assert uploaded.code == 0
    return run


def balance(queue: lh.Client, database: Database) -> billing.Balance:
    user_id = user_named(database, "anna@example.org")
    (belongs,) = memberships_of(database, user_id)
    return billing.balance(Access(queue, database, user_id, belongs.tenant_id))


def test_files_come_in_and_one_that_is_refused_keeps_none_out(run: Run, papers: Path) -> None:
    run("init", "--user", "anna@example.org")
    names = ("leer.txt", "Notiz.txt", "Notiz.txt", "Scan.pdf")
    said = run("upload", *(str(papers / name) for name in names))
    assert said.code == 1
    assert "leer.txt was refused, EMPTY_FILE" in said.err
    assert "the same as" in said.out
    listed = run("list", "--json").json()["documents"]
    assert [row["name"] for row in listed] == ["Scan.pdf", "Notiz.txt", "Notiz.txt"]
    assert listed[1]["duplicate_of"] == listed[2]["id"]
    assert "Scan.pdf" in run("list", "--limit", "1").out


def test_a_pipe_has_the_name_that_it_is_given(run: Run) -> None:
    run("init", "--user", "anna@example.org")
    told = run("upload", "-", "--name", "Brief.txt", "--json", stdin="Guten Tag").json()
    (row,) = told["documents"]
    assert (row["name"], row["media_type"], told["refused"]) == ("Brief.txt", "text/plain", [])
    assert run("upload", "-", "-", "--name", "x", stdin="x").code == 2


def test_an_estimate_says_what_it_costs_and_charges_nothing(
    ready: Run, queue: lh.Client, database: Database
) -> None:
    told = ready("estimate", "Mietvertrag.pdf", "Notiz.txt", "--json").json()
    assert [(each["pages"], each["cents"]) for each in told["extractions"]] == [(2, 4), (1, 2)]
    assert told["cents"] == 6
    assert "0.10 €" in ready("estimate", "Mietvertrag.pdf", "--engine", "hires").out
    assert balance(queue, database) == (0, 0, 0)


def test_nothing_is_read_before_somebody_has_agreed(
    ready: Run, queue: lh.Client, database: Database
) -> None:
    for words in ((), ("--json",)):
        said = ready("extract", "Mietvertrag.pdf", *words)
        assert (said.code, "--yes" in said.err) == (2, True)
    assert balance(queue, database).reserved_cents == 0
    assert ready("work", "--until-empty", "--json").json()["succeeded"] == 0


def test_papers_are_read_by_a_worker_and_found(
    ready: Run, queue: lh.Client, database: Database
) -> None:
    begun = ready("extract", "Mietvertrag.pdf", "Notiz.txt", "--yes")
    assert (begun.code, "2 papers wait for a worker" in begun.out) == (0, True)
    assert balance(queue, database).reserved_cents == 6
    worked = ready("work", "--budget", "40s", "--json").json()
    assert worked["reason"] == "empty"
    assert balance(queue, database) == (6, 0, 0)
    (hit,) = ready("search", "vertrag", "kaltmieten", "--json").json()["hits"]
    assert (hit["name"], hit["page_number"]) == ("Mietvertrag.pdf", 1)
    assert "können" in ready("search", "koennen").out
    assert "nothing was found" in ready("search", "pacht").out
    assert ready("reindex", "--json").json()["chunks"] == 3
    assert ready("search", "vertrag", "kaltmieten", "--json").json()["hits"] == [hit]
    listed = ready("list", "--type", "Mietvertrag", "--json").json()["documents"]
    assert [row["name"] for row in listed] == ["Mietvertrag.pdf"]


def test_who_waits_where_no_worker_is_does_the_work(ready: Run) -> None:
    said = ready("extract", "Notiz.txt", "--yes", "--wait", "--json")
    (told,) = said.json()["extractions"]
    assert "this command does the work" in said.err
    assert (told["status"], told["chunk_count"], told["error"]) == ("done", 1, None)
    again = ready("extract", "Notiz.txt", "--yes", "--wait")
    assert again.code == 0
    assert "0.00 €" in again.out, "the same content costs nothing again"


def test_a_scan_read_fast_fails_with_its_code_and_costs_nothing(
    ready: Run, papers: Path, queue: lh.Client, database: Database
) -> None:
    ready("upload", str(papers / "Scan.pdf"))
    said = ready("extract", "Scan.pdf", "Notiz.txt", "--yes", "--wait")
    assert said.code == 5
    assert "Scan.pdf: dead, NO_TEXT_LAYER" in said.out
    assert "Notiz.txt: 1 page" in said.out
    assert balance(queue, database) == (2, 0, 2)


def test_a_removed_persons_papers_are_not_read(
    ready: Run, queue: lh.Client, database: Database
) -> None:
    ready("extract", "Notiz.txt", "--yes")
    ready("user", "add", "ben@example.org", "--role", "admin")
    assert "is shut out" in ready("user", "remove", "anna@example.org").out
    assert "was no member" in ready("user", "remove", "anna@example.org").out
    assert ready("work", "--until-empty", "--json").code == 0
    assert "nothing was found" in ready("search", "dienstags", "--user", "ben@example.org").out
    refused = ready("search", "dienstags", "--user", "anna@example.org")
    assert (refused.code, "only members" in refused.err) == (1, True)


def test_a_reader_may_look_and_change_nothing(ready: Run, papers: Path) -> None:
    ready("user", "add", "eva@example.org", "--role", "reader")
    eva = ("--user", "eva@example.org")
    assert ready("list", *eva).code == 0
    for words in (
        ("upload", str(papers / "Notiz.txt")),
        ("estimate", "Notiz.txt"),
        ("extract", "Notiz.txt", "--yes"),
    ):
        said = ready(*words, *eva)
        assert (said.code, "only who is member" in said.err) == (1, True)


def test_what_is_not_there_has_an_exit_code_of_its_own(ready: Run) -> None:
    for words in (
        ("estimate", "Nirgends.pdf"),
        ("extract", str(uuid4()), "--yes"),
        ("list", "--tenant", "Nowhere"),
        ("search", "x", "--user", "nobody@example.org"),
    ):
        assert ready(*words).code == 3, words


def test_jobs_are_listed_cancelled_and_tried_again(
    ready: Run, queue: lh.Client, database: Database
) -> None:
    assert "no jobs" in ready("jobs").out
    begun = ready("extract", "Notiz.txt", "Mietvertrag.pdf", "--yes", "--json").json()
    first, second = [each["job_id"] for each in begun["extractions"]]
    assert "is cancelled" in ready("jobs", "cancel", first).out
    ready("work", "--until-empty")
    listed = ready("jobs", "--json").json()["jobs"]
    assert {row["id"]: row["status"] for row in listed}.items() >= {
        (first, "cancelled"),
        (second, "done"),
    }
    (done, *_) = ready("jobs", "list", "--status", "done", "--json").json()["jobs"]
    assert done["type"] == "classify_document"
    assert "extract_document" in ready("jobs", "list", "--limit", "5").out
    assert ready("jobs", "cancel", second).code == 1
    refused = ready("jobs", "retry", first)
    assert (refused.code, "CONSENT_SPENT" in refused.err) == (1, True)
    assert ready("jobs", "cancel", str(uuid4())).code == 3
    assert balance(queue, database) == (4, 0, 2)


def test_a_password_opens_a_file_once_and_stands_nowhere(
    ready: Run, papers: Path, queue: lh.Client, database: Database
) -> None:
    locked = papers / "Loehne.xlsx"
    locked.write_bytes(files.excel(("Lohnabrechnung", 2850), password="swordfish"))
    ready("upload", str(locked))
    keys = papers / "keys.json"
    Keyring.generate().save(keys)
    words = ("extract", "Loehne.xlsx", "--yes", "--wait")

    without = ready(*words)
    assert (without.code, "DOCUMENT_ENCRYPTED" in without.out) == (5, True)
    keyless = ready(*words, "--password", stdin="swordfish\n")
    assert (keyless.code, "LEASEHOLD_KEYS" in keyless.err) == (1, True)
    wrong = ready(*words, "--password", stdin="guess\n", LEASEHOLD_KEYS=str(keys))
    assert wrong.code == 5
    right = ready(*words, "--password", stdin="swordfish\n", LEASEHOLD_KEYS=str(keys))
    assert (right.code, "1 page" in right.out) == (0, True)
    assert "Lohnabrechnung" in ready("search", "lohnabrechnung").out
    assert queue.credentials.list() == []
    said = [without, keyless, wrong, right]
    assert not any("swordfish" in each.out + each.err for each in said)
    assert balance(queue, database).booked_cents == 2
