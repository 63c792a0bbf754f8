"""Every Python block of the documents runs, in order, in a folder of its own."""

import re
from pathlib import Path

import pytest
import sqlalchemy as sa

import leasehold as lh

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

PREAMBLE = {
    "README.md": """
import sqlalchemy as sa
from sqlalchemy import insert
engine = sa.create_engine("sqlite:///leasehold.db")
columns = sa.Column("id", sa.Integer), sa.Column("charged", sa.Boolean)
orders = sa.Table("orders", sa.MetaData(), *columns)
orders.create(engine)
""",
}


PAGES = [
    "README.md",
    "docs/tutorial.md",
    "docs/guides.md",
    "docs/apps/connectors.md",
    "docs/apps/documents.md",
    "docs/apps/links.md",
    "docs/apps/memory.md",
    "docs/apps/sync.md",
    *sorted(f"docs/guides/{path.name}" for path in (ROOT / "docs/guides").glob("*.md")),
]


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_run_as_they_are_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / name).read_text("utf-8")
    blocks = BLOCK.findall(text)
    assert blocks
    names: dict[str, object] = {"__name__": "examples"}
    exec(PREAMBLE.get(name, ""), names)  # noqa: S102 - our own text
    for block in blocks:
        exec(compile(block, name, "exec"), names)  # noqa: S102 - our own text
    for value in names.values():
        if isinstance(value, lh.Client):
            value.close()
        if isinstance(value, sa.Engine):
            value.dispose()
