"""How the companion is, over HTTP, and as it lives in the service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from leasehold_memory.companion import Companion
from tests.memory.web.kit import Asker, asking


@pytest.fixture
def asker(tmp_path: Path) -> Iterator[Asker]:
    companion = Companion(tmp_path)
    companion.start()
    with asking(companion) as asker:
        yield asker
    companion.close()


def test_a_companion_that_works_says_so_with_its_backlog(asker: Asker) -> None:
    health = asker.get("/api/health")
    assert (health["status"], health["reasons"]) == ("ok", [])
    assert health["active_embedding_preset_id"] == "local"
    (backlog,) = health["backlogs"]
    assert (backlog["preset_id"], backlog["waiting"], backlog["is_active"]) == ("local", 0, True)
