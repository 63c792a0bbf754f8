"""A mover is killed amid its work, twice; a third one ends it, and all is there, once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.faults.moved import run

if TYPE_CHECKING:
    from pathlib import Path

JOBS = 2_000


@pytest.mark.parametrize("direction", ["to postgres", "to sqlite"])
def test_a_move_that_is_killed_twice_loses_and_doubles_nothing(
    direction: str, postgres_url: str, tmp_path: Path
) -> None:
    sqlite_url = f"sqlite:///{tmp_path}/queue.db"
    urls = (sqlite_url, postgres_url)
    source_url, target_url = urls if direction == "to postgres" else reversed(urls)
    command = [sys.executable, "-m", "tests.faults.moving_main", source_url, target_url, "40"]

    figures = run(source_url, target_url, jobs=JOBS, command=command, kill_at=(0.2, 0.6))

    assert figures.kills == 2
    assert figures.rows > JOBS
    assert figures.taken_back > 0
