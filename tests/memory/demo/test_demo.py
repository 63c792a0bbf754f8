"""The demo tells its story once, to a home where nothing was said."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path

from leasehold_memory.data import units
from leasehold_memory.demo.living import Demo, tell
from leasehold_memory.demo.story import STORY
from leasehold_memory.model.units import Sensitivity, UnitKind
from leasehold_memory.opening import open_memory
from leasehold_memory.settings import open_settings

PROJECT = Path(__file__).parents[3] / "apps" / "memory" / "pyproject.toml"


def test_the_story_is_told_once_with_the_jobs_that_remember_it(tmp_path: Path) -> None:
    Demo(tmp_path).start()
    Demo(tmp_path).start()
    settings = open_settings(tmp_path)
    with open_memory(tmp_path, settings.current().embedding, settings) as memory:
        assert tell(memory, now=datetime.now(UTC)) == 0
        with memory.database.read() as connection:
            said = units.find(connection, kind=UnitKind.EPISODE, limit=100).units
        jobs = memory.client.find(kind="extract_facts", limit=100)
    settings.close()
    assert len(said) == len(STORY) == len(jobs)
    assert [each.occurred_at for each in said] == sorted(
        (e.occurred_at for e in said), reverse=True
    )
    assert {each.sensitivity for each in said} >= {Sensitivity.NORMAL, Sensitivity.SECRET}


def test_nobody_gets_the_demo_who_did_not_name_it() -> None:
    entries = tomllib.loads(PROJECT.read_text())["project"].get("entry-points", {})
    assert "demo" not in str(entries)
