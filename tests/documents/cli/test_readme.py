"""The README's commands do what it says, one after the other."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from leasehold_documents.demo import files

if TYPE_CHECKING:
    import pytest

    from tests.documents.cli.kit import Run

README = Path(__file__).parents[3] / "apps/documents/README.md"
COMMAND = re.compile(r"^\$ leasehold-documents (?!serve)(.*)$", re.MULTILINE)


def test_the_commands_of_the_readme_run_as_they_are_printed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ("Mietvertrag", "Der Mieter zahlt eine Kaltmiete von 920 Euro.")
    Path("Mietvertrag.pdf").write_bytes(files.pdf(lines))
    commands = COMMAND.findall(README.read_text("utf-8"))
    assert len(commands) == 4
    said = [run(*shlex.split(command)) for command in commands]
    assert [each.code for each in said] == [0, 0, 0, 0], [each.err for each in said]
    assert "Mietvertrag.pdf: 1 page, Mietvertrag" in said[2].out
    assert "Kaltmiete" in said[3].out
