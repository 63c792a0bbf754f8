"""The demo has papers in every state, an invoice now and then, and nobody gets it unasked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents import billing, importing, searching, tasks
from leasehold_documents.access import Access, organization_named, user_named
from leasehold_documents.demo.drives import Drives
from leasehold_documents.demo.living import Demo
from leasehold_documents.demo.papers import BAKERY, HOUSES, PAPERS, invoice
from leasehold_documents.demo.texts import TEXTS, THINGS, language_of
from leasehold_documents.settings import Settings, lending, settings
from leasehold_documents.web.people import DEMO_EMAIL
from tests.worker.kit import wait_until

PROJECT = Path(__file__).parents[3] / "apps" / "documents" / "pyproject.toml"


@pytest.fixture
def demo(queue: lh.Client, tmp_path: Path) -> Iterator[Demo]:
    """A demo whose people are there; it lives when a test says so."""
    with lending(Settings(vault=str(tmp_path / "vault"))):
        demo = Demo(queue, life_seconds=0.01)
        demo.settle_in()
        yield demo
        demo.close()


@pytest.fixture
def houses(queue: lh.Client, database: Database, demo: Demo) -> Access:
    user_id = user_named(database, DEMO_EMAIL)
    return Access(queue, database, user_id, organization_named(database, HOUSES))


def test_there_is_a_paper_of_each_kind_to_see(queue: lh.Client, demo: Demo, houses: Access) -> None:
    demo.take_first()
    lh.Worker(queue, tasks).run(until_empty=True)

    def states(name: str) -> list[tuple[str, str | None]]:
        (row,) = [each for each in demo.rows(HOUSES) if name in each["name"]]
        found = billing.extractions_of(houses, row["id"])
        return [(each["status"], each["error_code"]) for each in found]

    assert states("Mietvertrag Linden") == [("done", None)]
    assert states("Scan") == [("failed", "NO_TEXT_LAYER")]
    assert states("Passwort") == [("failed", "DOCUMENT_ENCRYPTED")]
    assert states("Gutachten") == [("awaiting_consent", None)]
    assert states("Kopie") == []
    assert {hit.name for hit in searching.search(houses, "vertrag")} >= {
        "Mietvertrag Lindenstraße 5, Weiß.pdf",
        "Kündigung Wohnung 12.docx",
    }
    assert all(
        each["doc_type"] for each in demo.rows(HOUSES) if "Mietvertrag Linden" in each["name"]
    )


def test_a_second_start_takes_no_paper_twice(demo: Demo) -> None:
    demo.take_first()
    before = [row["id"] for tenant in (HOUSES, BAKERY) for row in demo.rows(tenant)]
    demo.settle_in()
    demo.take_first()
    assert [row["id"] for tenant in (HOUSES, BAKERY) for row in demo.rows(tenant)] == before
    assert len(before) == len(PAPERS)


def test_invoices_come_and_the_oldest_go(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leasehold_documents.demo.living._MOST_INVOICES", 2)
    other = invoice(1)._replace(name="Rechnung Mühle.pdf")  # somebody's own
    demo.take(other)
    for _ in range(4):
        demo.take_invoice()
    names = [row["name"] for row in demo.rows(BAKERY)]
    assert names == [invoice(4).name, invoice(3).name, other.name]


def test_it_lives_until_it_is_closed(demo: Demo) -> None:
    demo.start()
    wait_until(lambda: len(demo.rows(BAKERY)) > 3, "an invoice has come", 60)
    demo.close()
    demo.close()


@pytest.fixture
def keyed(url: str, tmp_path: Path) -> Iterator[lh.Client]:
    """A client that can keep secrets, and settings in which no drive is set up."""
    with (
        lending(Settings(vault=str(tmp_path / "vault"))),
        lh.Client(url, keyring=lh.Keyring.generate()) as client,
    ):
        yield client


def test_a_drive_is_connected_again_after_a_restart_and_imported_once(keyed: lh.Client) -> None:
    for _ in range(2):
        demo = Demo(keyed)
        demo.open()
        demo.drives.start()
        demo.settle_in()
        demo.import_first()
        lh.Worker(keyed, tasks).run(until_empty=True)
        imported = [row["name"] for row in demo.rows(BAKERY)]
        (connector,) = importing.find(demo.access(BAKERY))
        importing.browse(demo.access(BAKERY), connector["id"])  # refused, were its tokens bad
        demo.close()
        assert sorted(imported) == ["Rechnung Molkerei.pdf", "Rechnung Mühle.pdf"]
        assert connector["status"] == "active"


def test_an_operators_own_drives_and_one_without_keys_are_left_alone(queue: lh.Client) -> None:
    with lending(Settings(dropbox_id="ours", dropbox_secret="ours")):
        drives = Drives()
        drives.open()
        assert set(drives.servers) == {"onedrive", "gdrive"}
        assert settings().dropbox_id == "ours"
        assert settings().onedrive_url == drives.servers["onedrive"].url
        drives.close()
        assert settings().onedrive_url == ""
    with lending(Settings()):
        demo = Demo(queue)
        demo.open()
        demo.settle_in()
        assert demo.drives.connect(demo.access(BAKERY)) is None
        demo.close()


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("", "de"), ("en-GB,en;q=0.9", "en"), ("de-DE,en", "de"), ("fr", "de"), ("fr,en", "en")],
)
def test_its_page_is_german_unless_english_is_wanted(accepted: str, language: str) -> None:
    assert language_of(accepted) == language
    assert TEXTS["de"].keys() == TEXTS["en"].keys()
    assert len(THINGS["de"]) == len(THINGS["en"])


def test_nobody_gets_the_demo_who_did_not_name_it() -> None:
    entries = tomllib.loads(PROJECT.read_text())["project"].get("entry-points", {})
    assert "demo" not in str(entries)
