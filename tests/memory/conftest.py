"""Fixtures of the application's tests: one preset's file, with the queue's tables and its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import leasehold as lh
from leasehold.kit.data import Database, close_databases, database_of
from leasehold_memory.data.migrating import MIGRATIONS
from leasehold_memory.data.tables import metadata
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.settings import Settings, memory_file, open_settings
from tests.app_tables import AppTables, copy_file


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return AppTables(MIGRATIONS, metadata).make_file(tmp_path_factory.mktemp("template"))


@pytest.fixture
def url(tmp_path: Path, sqlite_template: Path) -> str:
    """A file with the tables of the queue and of the memory, and nothing in them."""
    return copy_file(sqlite_template, tmp_path)


@pytest.fixture
def queue(url: str) -> Iterator[lh.Client]:
    """A client of the queue."""
    with lh.Client(url) as client:
        yield client


@pytest.fixture
def database(queue: lh.Client) -> Database:
    return database_of(queue.url)


@pytest.fixture
def home(tmp_path: Path, sqlite_template: Path) -> Path:
    """A companion's folder, in which the memory of the default preset is made already."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    shutil.copy(sqlite_template, memory_file(folder, "local"))
    return folder


@pytest.fixture
def settings(home: Path) -> Iterator[Settings]:
    """The settings of that home: nothing but defaults."""
    opened = open_settings(home)
    yield opened
    opened.close()


@pytest.fixture
def memory(home: Path, settings: Settings) -> Iterator[Memory]:
    """The memory of the active preset, open; nobody works at its jobs."""
    with open_memory(home, settings.current().embedding, settings) as opened:
        yield opened


@pytest.fixture(autouse=True)
def close_left_open() -> Iterator[None]:
    """Whatever a test has opened by the way."""
    yield
    close_databases()
