"""A preset that is switched in the midst of a chat: the turn ends where it began."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from leasehold_memory.companion import Companion
from leasehold_memory.servers import ModelServer
from leasehold_memory.settings import open_settings
from tests.memory.web.serving import served

if TYPE_CHECKING:
    import httpx

TEXT = "My sister Emma lives in Kyoto."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def http(tmp_path: Path, server: ModelServer) -> Iterator[httpx.Client]:
    """A companion of two presets, with its own worker."""
    settings = open_settings(tmp_path)
    first = settings.current().shown()["embedding_presets"][0]
    preset = {"id": "test", "name": "Test", "model": "m", "base_url": server.base_url}
    settings.change(
        {
            "embedding_presets": [first, first | {"id": "second", "name": "Second"}],
            "model_presets": [preset],
            "active_model_preset_id": "test",
        }
    )
    token = settings.token.reveal()
    settings.close()
    with served(Companion(tmp_path), token=token) as http:
        yield http


def said_in(http: httpx.Client, preset: str) -> list[Any]:
    answer = http.get(f"/api/memories/{preset}/units", params={"kind": "episode"})
    return list(answer.json()["units"])


def test_a_chat_that_began_before_a_switch_ends_in_the_old_file_and_the_next_in_the_new_one(
    http: httpx.Client, server: ModelServer
) -> None:
    server.pace(0.05)
    with http.stream("POST", "/api/chat", json={"text": TEXT}) as answer:
        lines = answer.iter_lines()
        assert next(lines) == "event: token"
        switched = http.put("/api/settings", json={"active_embedding_preset_id": "second"})
        assert switched.status_code == 200
        *_, last = [line for line in lines if line]
    assert json.loads(last.removeprefix("data: "))["preset_id"] == "local"
    server.pace(0.0)
    after = http.post("/api/chat", json={"text": TEXT})
    assert '"preset_id":"second"' in after.text
    assert [len(said_in(http, preset)) for preset in ("local", "second")] == [1, 1]


def test_a_switch_to_another_dimension_is_refused_while_chats_go_on(http: httpx.Client) -> None:
    presets = http.get("/api/settings").json()["embedding_presets"]
    worse = [presets[0] | {"dimension": 8}, presets[1]]
    refused = http.put("/api/settings", json={"embedding_presets": worse})
    assert refused.status_code == 400
    assert "event: done" in http.post("/api/chat", json={"text": TEXT}).text
    assert http.get("/api/settings").json()["embedding_presets"] == presets
