"""`leasehold-documents import`, from a drive on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.access import Access, memberships_of, user_named
from leasehold_documents.demo.drives import Drives
from leasehold_documents.settings import Settings, lending
from tests.documents.cli.kit import Run, runner


@pytest.fixture
def drives(tmp_path: Path) -> Iterator[Drives]:
    """Three that are set up, and none connected."""
    with lending(Settings(vault=str(tmp_path / "vault"))):
        drives = Drives()
        drives.open()
        drives.start()
        yield drives
        drives.close()


@pytest.fixture
def run(url: str, tmp_path: Path, drives: Drives) -> Run:
    """The program, with keys to keep tokens by, and an organization."""
    keys = tmp_path / "keys.json"
    lh.Keyring.generate().save(keys)
    run = runner(url, tmp_path, LEASEHOLD_KEYS=str(keys))
    run("init", "--tenant", "Sommer", "--user", "anna@example.org")
    return run


@pytest.fixture
def connected(run: Run, url: str, tmp_path: Path, database: Database, drives: Drives) -> Run:
    """Anna has connected the Dropbox."""
    with lh.Client(url, keyring=lh.Keyring.read(tmp_path / "keys.json")) as client:
        anna = user_named(database, "anna@example.org")
        (belongs,) = memberships_of(database, anna)
        assert drives.connect(Access(client, database, anna, belongs.tenant_id)) is not None
    return run


def test_a_folder_is_imported_and_what_is_there_already_is_not_again(connected: Run) -> None:
    (row,) = connected("import", "--json").json()["connectors"]
    assert (row["provider"], row["status"]) == ("dropbox", "active")
    first = connected("import", "dropbox", "/Lieferanten", "--wait", "--json").json()
    assert (first["status"], first["imported_count"]) == ("done", 2)
    again = connected("import", row["id"], "/Lieferanten", "--wait")
    assert (again.code, again.out) == (0, "0 files were imported\n")
    names = [each["name"] for each in connected("list", "--json").json()["documents"]]
    assert sorted(names) == ["Rechnung Molkerei.pdf", "Rechnung Mühle.pdf"]


def test_a_file_is_imported_by_its_path_when_a_worker_comes(connected: Run) -> None:
    said = connected("import", "Dropbox", "--file", "/Rezepte/Roggenbrot.txt")
    assert "waits for a worker" in said.out
    assert connected("work", "--until-empty").code == 0
    (row,) = connected("list", "--json").json()["documents"]
    assert row["name"] == "Roggenbrot.txt"


def test_what_cannot_be_imported_says_why(run: Run) -> None:
    assert "no drive yet" in run("import").out
    assert run("import", "Dropbox").code == 3


def test_a_drive_that_was_disconnected_over_there_says_so(connected: Run, drives: Drives) -> None:
    drives.servers["dropbox"].revoke()
    said = connected("import", "Dropbox", "/Lieferanten", "--wait")
    assert said.code == 5
    assert "dead" in said.out
    refused = connected("import", "Dropbox", "/Lieferanten")
    assert (refused.code, "CONNECTOR_EXPIRED" in refused.err) == (1, True)
