"""The real service with the demo, in a process of its own, and what its pages are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import select

from leasehold.kit.data import Database
from leasehold_sync.data import runs
from tests.web.serving import Served, served
from tests.worker.kit import wait_until

WORDS = (
    *("--app", "leasehold_sync.web:application"),
    *("--app", "leasehold_sync.demo:application"),
    *("--migrate", "--log-level", "error"),
)
PATIENCE_SECONDS = 90.0


class Shown:
    """A service with the demo, and the first sync of each of its apps."""

    def __init__(self, service: Served, database: Database) -> None:
        self.service = service
        self._database = database

    def path(self, app_key: str) -> str:
        """Return where the API has the newest sync job of an app."""
        newest = self._newest(app_key)
        assert newest is not None, f"{app_key} has no sync yet"
        return f"/sync/jobs/{newest}"

    def _newest(self, app_key: str) -> UUID | None:
        jobs = runs.jobs.c
        query = select(jobs.id).where(jobs.app_key == app_key).order_by(jobs.created_at.desc())
        with self._database.browse() as connection:
            found: UUID | None = connection.scalar(query.limit(1))
        return found

    def job(self, app_key: str) -> dict[str, Any]:
        found: dict[str, Any] = self.service.http.get(self.path(app_key)).json()
        return found

    def wait(self) -> None:
        """Wait until there is something to see of each kind."""
        wait_until(self.is_ready, "the demo shows all that it has", PATIENCE_SECONDS)

    def is_ready(self) -> bool:
        if not all(map(self._newest, ("shop", "old_shop", "helpdesk", "notes"))):
            return False  # the demo begins them one after the other
        return (
            self.job("shop")["status"] == "completed"
            and self.job("old_shop")["status"] == "failed"
            and any(task["snooze_reason"] for task in self.job("helpdesk")["tasks"])
            and self.job("notes")["processed_entities"] > 0
        )


@contextmanager
def showing(url: str, folder: Path | None = None) -> Iterator[Shown]:
    """Serve the demo on a database."""
    with served(url, *WORDS, folder=folder) as service:
        database = Database(url)
        try:
            yield Shown(service, database)
        finally:
            database.close()
