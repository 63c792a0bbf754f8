"""The real service with the demo, in a process of its own, and a home below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from leasehold_memory.demo.story import STORY
from tests.web.serving import Served, served
from tests.worker.kit import wait_until

WORDS = (
    *("--app", "leasehold_memory.web:application"),
    *("--app", "leasehold_memory.demo:application"),
    *("--migrate", "--log-level", "error"),
)
PATIENCE_SECONDS = 120.0


class Shown:
    """A service with the demo."""

    def __init__(self, service: Served) -> None:
        self.service = service

    def get(self, path: str, **query: Any) -> Any:
        answer = self.service.http.get(f"/memory/api{path}", params=query)
        assert answer.is_success, answer.text
        return answer.json()

    def units(self, **query: Any) -> list[dict[str, Any]]:
        preset = self.get("/settings")["active_embedding_preset_id"]
        found: list[dict[str, Any]] = self.get(f"/memories/{preset}/units", **query)["units"]
        return found

    def wait(self) -> None:
        """Wait until the story has been thought over."""
        wait_until(self.is_ready, "the demo is remembered", PATIENCE_SECONDS)

    def is_ready(self) -> bool:
        if len(self.units(kind="episode")) < len(STORY):
            return False
        (backlog,) = self.get("/health")["backlogs"]
        return bool(backlog["waiting"] + backlog["running"] == 0)


@contextmanager
def showing(folder: Path) -> Iterator[Shown]:
    """Serve the demo in a home of its own."""
    with (
        patch.dict(os.environ, {"LEASEHOLD_MEMORY_HOME": str(folder / "memory")}),
        served(f"sqlite:///{folder / 'queue.db'}", *WORDS, folder=folder) as service,
    ):
        yield Shown(service)
