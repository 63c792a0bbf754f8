"""Tests use memory where there is room for them, and stay where they are told to be."""

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import memory


class Usage(NamedTuple):
    free: int


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that has room enough, in the place of memory."""
    monkeypatch.setattr(memory, "MEMORY", tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(memory.LEAST_BYTES))
    monkeypatch.setattr(tempfile, "tempdir", tempfile.gettempdir())
    monkeypatch.delenv(memory.FOLDER_VARIABLE, raising=False)
    return tmp_path


def test_temporary_files_are_in_memory_where_it_has_room(large: Path) -> None:
    memory.use_memory()
    assert tempfile.gettempdir() == str(large)
    assert os.environ[memory.FOLDER_VARIABLE] == str(large)


def test_a_small_memory_is_not_used(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(memory.LEAST_BYTES - 1))
    memory.use_memory()
    assert tempfile.gettempdir() != str(large)


def test_nor_is_it_where_somebody_has_named_a_folder(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(memory.FOLDER_VARIABLE, str(large.parent))
    memory.use_memory()
    assert os.environ[memory.FOLDER_VARIABLE] == str(large.parent)
