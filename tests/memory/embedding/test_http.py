"""Vectors of a server are checked before they are kept, and its troubles are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

import leasehold as lh
from leasehold_memory.embedding import HttpEmbedder, LocalEmbedder, embedder_of
from leasehold_memory.errors import (
    BadEmbedding,
    ModelDown,
    ModelLimited,
    ModelRefusedKey,
    ModelRefusedRequest,
)
from leasehold_memory.model.presets import EmbeddingPreset, Provider
from leasehold_memory.servers import ModelServer

_KEY = "sk-very-secret"


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer(key=_KEY) as server:
        yield server


@pytest.fixture
def embedder(server: ModelServer) -> Iterator[HttpEmbedder]:
    server.recover()
    embedder = HttpEmbedder(_preset(server.base_url))
    yield embedder
    embedder.close()


def _preset(base_url: str, *, key: str = _KEY, dimension: int = 256) -> EmbeddingPreset:
    return EmbeddingPreset(
        id="served",
        name="Served",
        provider=Provider.HTTP,
        model="rules-1",
        dimension=dimension,
        base_url=base_url,
        api_key=lh.Secret(key),
    )


def _asking(base_url: str, *, key: str = _KEY) -> closing[HttpEmbedder]:
    return closing(HttpEmbedder(_preset(base_url, key=key)))


def test_each_text_has_a_vector_of_length_one_in_the_order_of_the_texts(
    embedder: HttpEmbedder,
) -> None:
    texts = [f"text {number}" for number in range(70)]
    rows = embedder.embed(texts)

    assert rows.shape == (70, 256)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert np.array_equal(rows[69], embedder.embed(texts[69:])[0])
    assert embedder.embed([]).shape == (0, 256)


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("wrong_size", "of the wrong size"),
        ("too_few", "of the wrong size"),
        ("nan", "not a number"),
        ("zero", "zero"),
    ],
)
def test_a_vector_that_is_none_is_refused(
    server: ModelServer, embedder: HttpEmbedder, how: str, reason: str
) -> None:
    server.fail(how)

    with pytest.raises(BadEmbedding) as caught:
        embedder.embed(["a secret thought"])
    assert caught.value.reason == reason
    assert "thought" not in str(caught.value)


def test_a_server_that_is_busy_or_down_may_be_asked_later(
    server: ModelServer, embedder: HttpEmbedder
) -> None:
    server.fail(429, retry_after=7)
    with pytest.raises(ModelLimited) as caught:
        embedder.embed(["hello"])
    assert caught.value.retry_after == 7

    server.fail(500)
    with pytest.raises(ModelDown):
        embedder.embed(["hello"])
    with _asking("http://127.0.0.1:9/v1") as nowhere, pytest.raises(ModelDown):
        nowhere.embed(["hello"])


def test_a_refused_key_is_told_and_never_shown(server: ModelServer) -> None:
    with (
        _asking(server.base_url, key="sk-wrong") as embedder,
        pytest.raises(ModelRefusedKey) as caught,
    ):
        embedder.embed(["hello"])
    assert "sk-wrong" not in f"{caught.value!r} {caught.value.__cause__!r}"


def test_a_wrong_address_is_no_outage(server: ModelServer) -> None:
    with (
        _asking(f"{server.base_url}/nowhere") as embedder,
        pytest.raises(ModelRefusedRequest),
    ):
        embedder.embed(["hello"])


def test_one_that_was_closed_may_be_asked_again(embedder: HttpEmbedder) -> None:
    embedder.close()
    assert embedder.embed(["hello"]).any()


def test_a_preset_names_its_embedder() -> None:
    local = EmbeddingPreset(id="local", name="Local", model="l2_supercat_256", dimension=256)

    assert isinstance(embedder_of(local), LocalEmbedder)
    assert isinstance(embedder_of(_preset("http://127.0.0.1:9/v1")), HttpEmbedder)
    with pytest.raises(BadEmbedding):
        embedder_of(EmbeddingPreset(id="other", name="Other", model="none", dimension=512))
