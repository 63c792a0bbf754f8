"""Tests use memory where there is room for them, and stay where they are told to be."""

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import in_memory


class Usage(NamedTuple):
    free: int


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that has room enough, in the place of memory."""
    monkeypatch.setattr(in_memory, "MEMORY", tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(in_memory.LEAST_BYTES))
    monkeypatch.setattr(tempfile, "tempdir", tempfile.gettempdir())
    monkeypatch.delenv(in_memory.FOLDER_VARIABLE, raising=False)
    return tmp_path


def test_temporary_files_are_in_memory_where_it_has_room(large: Path) -> None:
    in_memory.use_memory()
    assert tempfile.gettempdir() == str(large)
    assert os.environ[in_memory.FOLDER_VARIABLE] == str(large)


def test_a_small_memory_is_not_used(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: Usage(in_memory.LEAST_BYTES - 1))
    in_memory.use_memory()
    assert tempfile.gettempdir() != str(large)


def test_nor_is_it_where_somebody_has_named_a_folder(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(in_memory.FOLDER_VARIABLE, str(large.parent))
    in_memory.use_memory()
    assert os.environ[in_memory.FOLDER_VARIABLE] == str(large.parent)
