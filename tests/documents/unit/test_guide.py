"""The guide names all that there is to say, to call and to ask for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import leasehold as lh
import leasehold_documents
from leasehold_documents.cli.program import program
from leasehold_documents.settings import Settings
from leasehold_documents.web.app import make_app

REFUSAL = re.compile(r'Rejected\(\s*"([A-Z_]+)"')
GUIDE = (Path(__file__).parents[3] / "docs/apps/documents.md").read_text("utf-8")


@pytest.mark.parametrize("name", Settings.__struct_fields__)
def test_every_setting_is_told(name: str) -> None:
    assert f"`{name.upper()}`" in GUIDE


@pytest.mark.parametrize("name", sorted(program.commands))
def test_every_command_is_told(name: str) -> None:
    section = GUIDE.partition("## Command line")[2].partition("## ")[0]
    assert f"`leasehold-documents {name}" in section or f"`{name}" in section


def test_every_code_of_a_refusal_is_told() -> None:
    sources = Path(leasehold_documents.__file__).parent.rglob("*.py")
    codes = {code for path in sources for code in REFUSAL.findall(path.read_text("utf-8"))}
    assert len(codes) > 30
    assert {code for code in codes if f"`{code}`" not in GUIDE} == set()


def test_every_part_of_the_api_is_told(tmp_path: Path) -> None:
    section = GUIDE.partition("## HTTP")[2].partition("## ")[0]
    with lh.Client(f"sqlite:///{tmp_path / 'guide.db'}") as client:
        paths = make_app(client).openapi()["paths"]
    parts = {"/".join(path.split("/")[1:3]).partition("/{")[0] for path in paths}
    assert {part for part in parts if part not in section} <= {"api/nodes", "api/file"}
