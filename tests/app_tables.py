"""Databases with the tables of the queue and of an application: made once, then emptied."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold.kit.data import Migrations

if TYPE_CHECKING:
    from sqlalchemy import MetaData

    from tests.recycling import Shelf


@dataclass(frozen=True)
class AppTables:
    """An application's own tables."""

    migrations: Migrations
    metadata: MetaData

    def make(self, url: str) -> None:
        with lh.Client(url) as client:
            client.store.migrate()
            self.migrations.migrate(client)

    def make_file(self, folder: Path) -> Path:
        """Make a SQLite file, to be copied for each test."""
        file = folder / "leasehold.db"
        self.make(f"sqlite:///{file}")
        return file

    def empty(self, url: str, shelf: Shelf) -> str:
        names = [table.name for table in reversed(self.metadata.sorted_tables)]
        with shelf.open_tables(url) as tables:
            tables.execute("; ".join(f"DELETE FROM {name}" for name in names))  # noqa: S608 - ours
            tables.empty()
        return url


def copy_file(template: Path, folder: Path) -> str:
    """Copy a SQLite file; returns the URL of the copy."""
    return f"sqlite:///{shutil.copy(template, folder / 'leasehold.db')}"
