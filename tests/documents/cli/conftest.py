"""The program, on either database."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents.cli.kit import Run, runner


@pytest.fixture
def run(url: str, tmp_path: Path) -> Run:
    return runner(url, tmp_path)
