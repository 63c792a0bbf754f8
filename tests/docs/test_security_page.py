"""The security page names the tests of its promises: they are there."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def _named() -> Iterator[Path]:
    """Give each test file; one without a folder stands in that of the one before."""
    folder = Path()
    for name in re.findall(
        r"`([\w/]+\.py)`", (ROOT / "docs/guides/security.md").read_text("utf-8")
    ):
        path = Path(name)
        folder = path.parent if "/" in name else folder
        yield folder / path.name


def test_every_test_that_is_named_is_there() -> None:
    named = list(_named())
    assert len(named) > 15
    assert [each for each in named if not (ROOT / each).is_file()] == []
