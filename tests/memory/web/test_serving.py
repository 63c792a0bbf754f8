"""The application inside of `leasehold serve`, by a process of its own: it chats and remembers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from leasehold_memory.settings.home import VARIABLE
from tests.faults.waiting import wait_for
from tests.web.serving import served

if TYPE_CHECKING:
    import pytest

WORDS = ("--app", "leasehold_memory.web:application", "--no-worker", "--no-needs-worker")


def test_it_chats_without_any_key_and_remembers_afterwards_with_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "C")
    with served(f"sqlite:///{tmp_path}/queue.db", *WORDS) as service:
        said = {"text": "妹の花子さんは京都に住んでいます。"}
        answer = service.http.post("/memory/api/chat", json=said)
        assert "event: done" in answer.text
        units = "/memory/api/memories/local/units"

        def facts() -> list[dict[str, object]]:
            answer = service.http.get(units, params={"kind": "fact"})
            return list(answer.json()["units"])

        (fact, *_) = wait_for("fact", facts, 60)
        assert fact["evidence"] == [1]
        assert service.http.get("/memory/api/health").json()["status"] == "ok"
        code, _, log = service.end()
    assert code == 0
    assert "Traceback" not in log
