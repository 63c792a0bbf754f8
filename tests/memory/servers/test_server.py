"""The local model's server answers as OpenAI's does, always the same, and does what it is told."""

from __future__ import annotations

import math
import os
import ssl
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from leasehold_memory.servers import ModelServer, ServerProcess

_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # for nothing: to make one is slow


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def post(server: ModelServer | ServerProcess, path: str, **body: Any) -> httpx.Response:
    with httpx.Client(base_url=server.base_url, timeout=10, verify=_TLS) as client:
        return client.post(path, json=body)


def chat(server: ModelServer | ServerProcess, text: str = "Hello", **more: Any) -> httpx.Response:
    return post(
        server, "/chat/completions", model="m", messages=[{"role": "user", "content": text}], **more
    )


def vectors(server: ModelServer, *texts: str) -> list[list[float]]:
    answered = post(server, "/embeddings", model="m", input=list(texts)).json()["data"]
    return [each["embedding"] for each in answered]


def test_a_plain_question_of_anybody_has_a_completion(server: ModelServer) -> None:
    answered = chat(server, "I love tea.").json()

    (choice,) = answered["choices"]
    assert (choice["finish_reason"], choice["message"]["role"]) == ("stop", "assistant")
    assert "tea" in choice["message"]["content"]


def test_the_same_question_has_the_same_answer_also_of_another_process(
    server: ModelServer,
) -> None:
    with ServerProcess() as other:
        assert chat(server, "猫が好きです。").content == chat(other, "猫が好きです。").content


def test_a_stream_is_events_of_pieces_and_an_end(server: ModelServer) -> None:
    answered = chat(server, stream=True)

    lines = [line for line in answered.text.splitlines() if line]
    assert answered.headers["content-type"].startswith("text/event-stream")
    assert lines[-1] == "data: [DONE]"
    assert all(line.startswith("data: {") for line in lines[:-1])


def test_vectors_of_like_texts_are_near_and_all_are_of_length_one(server: ModelServer) -> None:
    cat, kitten, tax, nothing = vectors(
        server, "my cat sleeps on the sofa", "the cat on my sofa", "declared his taxes", ""
    )

    assert sum(a * b for a, b in zip(cat, kitten, strict=True)) > 0.3
    assert abs(sum(a * b for a, b in zip(cat, tax, strict=True))) < 0.3
    assert [math.hypot(*each) for each in (cat, kitten, tax, nothing)] == pytest.approx([1.0] * 4)


def test_vectors_can_be_of_no_use(server: ModelServer) -> None:
    for how in ("wrong_size", "nan", "zero", "too_few"):
        server.fail(how)

    short, nan, zero, few = (vectors(server, "a", "b") for _ in range(4))

    assert [len(each) for each in short] == [255, 255]
    assert math.isnan(nan[0][0])
    assert not any(zero[0])
    assert len(few) == 1


def test_it_lists_its_model_and_knows_nothing_else(server: ModelServer) -> None:
    with httpx.Client(base_url=server.base_url, verify=_TLS) as client:
        assert [each["id"] for each in client.get("/models").json()["data"]] == ["rules-1"]
        assert client.get("/files").status_code == 404
        assert client.post("/chat/completions", content=b"{").status_code == 400


def test_it_wants_its_key_where_it_has_one() -> None:
    with ModelServer(key="sk-1") as server:
        assert chat(server).status_code == 401
        with httpx.Client(headers={"Authorization": "Bearer sk-1"}, verify=_TLS) as client:
            assert client.get(f"{server.base_url}/models").status_code == 200


def test_trouble_meets_only_the_question_it_was_said_for(server: ModelServer) -> None:
    server.fail(429, what="facts", retry_after=5)
    server.fail(500, path="/v1/embeddings")
    task = [{"role": "system", "content": "TASK: facts"}, {"role": "user", "content": "{}"}]

    assert chat(server).status_code == 200
    answered = post(server, "/chat/completions", messages=task)
    assert (answered.status_code, answered.headers["retry-after"]) == (429, "5")
    assert post(server, "/embeddings", input="a").status_code == 500
    assert (server.asked("facts"), server.asked()) == (1, 2)


def test_what_only_a_model_does_is_kept_for_who_asks_it(server: ModelServer) -> None:
    server.fail("empty")
    server.fail("zero")

    assert any(vectors(server, "a")[0]) is False
    assert any(vectors(server, "a")[0]) is True
    assert chat(server).json()["choices"][0]["message"]["content"] == ""
    assert chat(server).json()["choices"][0]["message"]["content"]


def test_any_trouble_can_be_meant_for_one_question(server: ModelServer) -> None:
    server.fail(503, what="embeddings")
    server.fail("cut", what="chat")
    server.fail("hangup", what="chat")
    task = [{"role": "system", "content": "TASK: chat"}, {"role": "user", "content": "Hello"}]

    assert chat(server).status_code == 200
    assert post(server, "/embeddings", input="a").status_code == 503
    for _ in range(2):
        with pytest.raises(httpx.RemoteProtocolError):
            post(server, "/chat/completions", messages=task)
    with pytest.raises(ValueError, match="unknown trouble 'stuck_cursor'"):
        server.fail("stuck_cursor", what="chat")


def test_trouble_that_is_over_is_forgotten(server: ModelServer) -> None:
    server.fail(500, times=9)
    server.fail("empty", times=9)
    server.recover()

    assert chat(server).status_code == 200


def test_trouble_that_nobody_knows_is_refused_also_by_a_process() -> None:
    with ServerProcess() as server:
        with pytest.raises(ValueError, match="nobody asks 'riddles'"):
            server.fail(500, what="riddles")
        with pytest.raises(ValueError, match="unknown trouble 'locusts'"):
            server.fail("locusts")
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)
