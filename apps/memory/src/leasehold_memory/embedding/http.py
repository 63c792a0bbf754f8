"""Vectors of a server that speaks as OpenAI's does: `POST /embeddings`."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import httpx
import msgspec
import numpy as np

from leasehold_memory.embedding.checking import checked
from leasehold_memory.embedding.interface import PATIENCE_SECONDS, Matrix
from leasehold_memory.errors import BadEmbedding, ModelDown
from leasehold_memory.llm.wire import check_status, told_plainly, trust
from leasehold_memory.model.presets import EmbeddingPreset

_BATCH = 64
_CONNECT_SECONDS = 5.0
_MOST_BYTES = 32 * 1024 * 1024  # of one answer: the longest vectors of a batch take less


class _Vector(msgspec.Struct):
    embedding: list[Any]
    index: int


class _Answer(msgspec.Struct):
    data: list[_Vector]


class HttpEmbedder:
    """One model of one server. It fails as a model does; errors name neither key nor texts."""

    weight = 1.0

    def __init__(self, preset: EmbeddingPreset) -> None:
        self.dimension = preset.dimension
        self._model = preset.model
        self._url = f"{preset.base_url.rstrip('/')}/embeddings"
        self._key = preset.api_key
        self._http = _open()

    def embed(self, texts: Sequence[str], *, seconds: float = PATIENCE_SECONDS) -> Matrix:
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        rows = [self._ask(batch, seconds) for batch in batches]
        return np.concatenate([np.empty((0, self.dimension), np.float32), *rows])

    def close(self) -> None:
        self._http.close()

    def _ask(self, texts: Sequence[str], seconds: float) -> Matrix:
        if self._http.is_closed:
            self._http = _open()
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        key = self._key.reveal()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        until = time.monotonic() + seconds
        timeout = httpx.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds))
        with (
            told_plainly(),
            self._http.stream(
                "POST", self._url, json=body, headers=headers, timeout=timeout
            ) as answer,
        ):
            check_status(answer.status_code, answer.headers)
            content = _whole(answer, until)
        return checked(_read(content), count=len(texts), dimension=self.dimension)


def _open() -> httpx.Client:
    # A key must not go to a proxy that somebody's shell names.
    return httpx.Client(trust_env=False, verify=trust())


def _whole(answer: httpx.Response, until: float) -> bytes:
    """Read an answer that may come drop by drop, within its time and a size that it may have."""
    content = bytearray()
    for piece in answer.iter_bytes():
        content += piece
        if time.monotonic() > until:
            raise ModelDown("no answer in time")
        if len(content) > _MOST_BYTES:
            raise BadEmbedding("not readable", "the answer has no end")
    return bytes(content)


def _read(content: bytes) -> Matrix:
    """Put the vectors in the order of the texts, whatever numbers are in them."""
    try:
        # By the library that reads NaN, which JSON has not, but servers write.
        found = msgspec.convert(json.loads(content), _Answer).data
        found.sort(key=lambda each: each.index)
        return np.array([each.embedding for each in found], np.float32)
    except (msgspec.ValidationError, ValueError, TypeError, RecursionError):
        raise BadEmbedding("not readable", "vectors of different sizes, or no vectors") from None
