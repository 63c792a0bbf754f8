"""The drawing in the guide is what the tested workflow gives."""

import re
from pathlib import Path

from tests.faults.flow import Size, build

GUIDE = Path(__file__).parents[2] / "docs/guides/workflows.md"


def test_the_guide_shows_the_workflow_that_is_tested() -> None:
    (drawn,) = re.findall(
        r"^```mermaid\n(.*?)^```$", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert drawn == build(Size()).mermaid()
