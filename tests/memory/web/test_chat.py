"""`POST /api/chat` over a real socket: words as they come, and whoever leaves is remembered."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy.exc import OperationalError

import leasehold as lh
from leasehold_memory.data import units
from leasehold_memory.embedding import LocalEmbedder
from leasehold_memory.model.stored import Unit
from leasehold_memory.opening import Memory
from leasehold_memory.servers import ModelServer
from tests.faults.waiting import wait_for
from tests.memory.web.kit import Standing
from tests.memory.web.serving import served

if TYPE_CHECKING:
    import httpx

TEXT = "妹の花子さんは京都に住んでいます。"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def companion(tmp_path: Path, embedder: LocalEmbedder, server: ModelServer) -> Iterator[Standing]:
    companion = Standing(tmp_path / "home", embedder)
    preset = {"id": "test", "name": "Test", "model": "m", "base_url": server.base_url}
    companion.change({"model_presets": [preset], "active_model_preset_id": "test"})
    yield companion
    companion.close()


@pytest.fixture
def http(companion: Standing) -> Iterator[httpx.Client]:
    with served(companion) as http:
        yield http


def events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def say(http: httpx.Client, text: str = TEXT, **rest: Any) -> list[tuple[str, Any]]:
    with http.stream("POST", "/api/chat", json={"text": text, **rest}) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        return list(events(answer.iter_lines()))


def stored(memory: Memory) -> list[Unit]:
    with memory.database.read() as connection:
        return units.find(connection).units


def test_a_reply_comes_as_tokens_and_ends_with_the_number_of_its_episode(
    http: httpx.Client, memory: Memory
) -> None:
    *tokens, (name, done) = say(http)
    assert {each for each, _ in tokens} == {"token"}
    (episode,) = stored(memory)
    assert (name, done) == (
        "done",
        {"preset_id": "local", "unit_id": episode.id, "is_reflected": True, "told": []},
    )
    assert "".join(data["text"] for _, data in tokens) == episode.payload["reply_text"]


def test_the_first_words_come_while_the_model_still_thinks(
    http: httpx.Client, server: ModelServer, memory: Memory
) -> None:
    server.pace(0.05)
    with http.stream("POST", "/api/chat", json={"text": TEXT}) as answer:
        name, _ = next(events(answer.iter_lines()))
        assert name == "token"
        assert stored(memory) == []


def test_whoever_leaves_in_the_midst_is_remembered(
    http: httpx.Client, server: ModelServer, memory: Memory
) -> None:
    server.pace(0.05)
    with http.stream("POST", "/api/chat", json={"text": TEXT}) as answer:
        _, first = next(events(answer.iter_lines()))
    wait_for("episode", lambda: stored(memory), 10)
    (episode,) = stored(memory)
    assert episode.payload["is_partial"] is True
    assert episode.payload["reply_text"].startswith(first["text"])
    assert "extract_facts" in {job.kind for job in memory.client.find(limit=50)}


def test_whoever_hangs_up_before_the_first_word_is_remembered_too(
    http: httpx.Client, server: ModelServer, memory: Memory
) -> None:
    server.pace(5.0)
    body = json.dumps({"text": "hello"}).encode()
    address = (http.base_url.host, http.base_url.port or 80)
    with socket.create_connection(address) as raw:
        head = (
            f"POST /api/chat HTTP/1.1\r\nHost: {address[0]}\r\n"
            f"Authorization: {http.headers['authorization']}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        raw.sendall(head.encode() + body)
        wait_for("question", lambda: server.asked("chat"), 10)
    wait_for("episode", lambda: stored(memory), 10)
    assert stored(memory)[0].payload["reply_text"] == ""


def test_at_the_end_of_the_service_what_had_come_is_stored(
    tmp_path: Path, companion: Standing, server: ModelServer
) -> None:
    server.pace(0.2)
    heard = threading.Event()

    def listen(http: httpx.Client) -> None:
        with http.stream("POST", "/api/chat", json={"text": TEXT}) as answer:
            for _ in answer.iter_lines():
                heard.set()

    with served(companion) as http:
        listener = threading.Thread(target=listen, args=(http,))
        listener.start()
        assert heard.wait(10)
    listener.join(10)
    again = Standing(tmp_path / "home")
    (episode,) = stored(again.memory)
    assert episode.payload["is_partial"] is True
    again.close()


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (401, (503, "model-refused-key")),
        (429, (503, "model-limited")),
        (500, (503, "model-down")),
        ("refusal", (502, "bad-answer")),
    ],
)
def test_a_model_that_fails_is_told_as_an_event_and_nothing_is_stored(
    http: httpx.Client, server: ModelServer, memory: Memory, how: int | str, told: tuple[int, str]
) -> None:
    server.fail(how)
    ((event, problem),) = say(http)
    assert event == "error"
    assert (problem["status"], problem["type"].rpartition(":")[2]) == told
    assert problem["unit_id"] is None
    assert stored(memory) == []


def test_where_memory_is_off_the_chat_works_and_nothing_is_stored(
    http: httpx.Client, companion: Standing, memory: Memory
) -> None:
    companion.change({"memory_enabled": False})
    *tokens, (name, done) = say(http)
    assert tokens
    assert (name, done["unit_id"]) == ("done", None)
    assert stored(memory) == []
    assert memory.client.find() == []


@pytest.mark.parametrize(
    "body",
    [
        {"text": ""},
        {"text": " \n"},
        {"text": "a\u0000b"},
        {"text": "a" * 8_001},
        {"text": 7},
        {"text": "a", "sensitivity": "hidden"},
        {"text": "a", "other": 1},
        {},
    ],
)
def test_what_is_no_chat_is_refused_before_the_model_is_asked(
    http: httpx.Client, server: ModelServer, body: Any
) -> None:
    assert http.post("/api/chat", json=body).status_code == 422
    assert server.asked() == 0


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (OperationalError("INSERT", {}, Exception("disk I/O error")), "store-unavailable"),
        (lh.StoreFull("the disk is full"), "store-full"),
    ],
)
def test_what_cannot_be_stored_is_told_at_the_end_of_the_reply(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, error: Exception, name: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("leasehold_memory.chatting.turn.store", fail)
    *tokens, (event, problem) = say(http)
    assert tokens
    assert (event, problem["type"].rpartition(":")[2]) == ("error", name)
    assert TEXT not in json.dumps(problem, ensure_ascii=False)
