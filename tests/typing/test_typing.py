"""A type checker accepts right calls and refuses wrong ones, by the handler's own parameters."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

ROOT = Path(__file__).parents[2]
SNIPPETS = Path(__file__).parent / "snippets"
EXPECTED = re.compile(r"  # type: ignore\[([a-z-]+)\]$")
FOUND = re.compile(r"^[^:]*?(\w+)\.py:(\d+): error: .*\[([a-z-]+)\]$", re.MULTILINE)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, int, str]]:
    """What mypy says about the snippets when nothing silences it: file, line and code."""
    folder = tmp_path_factory.mktemp("typing")
    paths = []
    for snippet in SNIPPETS.glob("*.py"):
        bare = "\n".join(EXPECTED.sub("", line) for line in snippet.read_text("utf-8").split("\n"))
        paths.append(folder / f"snippet_{snippet.name}")
        paths[-1].write_text(bare, "utf-8")
    options = ["--strict", "--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary"]
    output, trouble, _ = api.run(
        [*options, "--cache-dir", str(ROOT / ".mypy_cache"), *map(str, paths)]
    )
    assert not trouble
    return {(name, int(line), code) for name, line, code in FOUND.findall(output)}


def test_right_calls_are_accepted(found: set[tuple[str, int, str]]) -> None:
    assert {each for each in found if each[0] != "snippet_wrong"} == set()


def test_wrong_calls_are_refused_each_for_its_reason(found: set[tuple[str, int, str]]) -> None:
    lines = (SNIPPETS / "wrong.py").read_text("utf-8").split("\n")
    expected = {
        (number, match[1])
        for number, line in enumerate(lines, 1)
        if (match := EXPECTED.search(line))
    }
    assert len(expected) > 25
    assert {each[1:] for each in found if each[0] == "snippet_wrong"} == expected
