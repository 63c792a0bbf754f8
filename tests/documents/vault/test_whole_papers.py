"""A paper from its upload to its end, in either vault: nothing else knows where files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import msgspec

import leasehold as lh
from leasehold_documents import papers, tasks
from leasehold_documents.access import Access
from leasehold_documents.demo import files
from leasehold_documents.errors import NotInVault
from leasehold_documents.settings import Settings, lending
from leasehold_documents.vault import Vault, derived_key
from tests.documents.cli.kit import runner

if TYPE_CHECKING:
    from leasehold.kit.data import Database

LINES = ("Mietvertrag", "Der Mieter zahlt eine Kaltmiete von 920 Euro.")


def test_a_paper_is_read_found_and_forgotten_wherever_its_file_is(
    queue: lh.Client, database: Database, settings: Settings, vault: Vault, tmp_path: Path
) -> None:
    paper = tmp_path / "Mietvertrag.pdf"
    paper.write_bytes(files.pdf(LINES))
    with lending(settings):
        run = runner(queue.url, tmp_path)
        made = {key: UUID(text) for key, text in run("init", "--json").json().items()}
        (row,) = run("upload", str(paper), "--json").json()["documents"]
        assert run("extract", row["id"], "--yes", "--wait").code == 0
        (hit,) = run("search", "kaltmiete", "--json").json()["hits"]
        assert hit["name"] == paper.name

        access = Access(queue, database, made["user_id"], made["tenant_id"])
        original = papers.get(access, UUID(row["id"]))["file_path"]
        derived = derived_key(made["tenant_id"], row["id"])
        with vault.open(original) as file:
            assert file.read() == paper.read_bytes()
        with vault.open(derived) as file:
            assert "Kaltmiete" in str(msgspec.json.decode(file.read()))

        papers.delete(access, UUID(row["id"]))
        lh.Worker(queue, tasks).run(until_empty=True)
        assert not vault.exists(original)
        assert not vault.exists(derived)
        assert run("search", "kaltmiete", "--json").json()["hits"] == []


def test_a_paper_whose_file_is_lost_says_so_and_is_no_crash(
    queue: lh.Client, database: Database, settings: Settings, vault: Vault, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("Guten Tag")
    with lending(settings):
        run = runner(queue.url, tmp_path)
        made = {key: UUID(text) for key, text in run("init", "--json").json().items()}
        (row,) = run("upload", str(tmp_path / "a.txt"), "--json").json()["documents"]
        access = Access(queue, database, made["user_id"], made["tenant_id"])
        vault.delete(papers.get(access, UUID(row["id"]))["file_path"])
        said = run("estimate", row["id"])
        assert (said.code, said.out) == (3, "")
        assert str(NotInVault("x"))[:10] in said.err
