"""Vectors of a server that speaks as OpenAI's does: `POST /embeddings`."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

import httpx
import msgspec
import numpy as np

from leasehold_memory.embedding.checking import checked
from leasehold_memory.embedding.interface import Matrix
from leasehold_memory.errors import (
    BadEmbedding,
    ModelDown,
    ModelLimited,
    ModelRefusedKey,
    ModelRefusedRequest,
)
from leasehold_memory.model.presets import EmbeddingPreset

_BATCH = 64
_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
_REFUSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
# A server that is overloaded or restarts; any other refusal stays one.
_PASSING = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.CONFLICT, HTTPStatus.TOO_EARLY})


class _Vector(msgspec.Struct):
    embedding: list[Any]
    index: int


class _Answer(msgspec.Struct):
    data: list[_Vector]


class HttpEmbedder:
    """One model of one server. Errors name neither the key nor the texts."""

    weight = 1.0

    def __init__(self, preset: EmbeddingPreset) -> None:
        self.dimension = preset.dimension
        self._model = preset.model
        self._url = f"{preset.base_url.rstrip('/')}/embeddings"
        self._key = preset.api_key
        self._http = self._open()

    def embed(self, texts: Sequence[str]) -> Matrix:
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        rows = [self._ask(batch) for batch in batches]
        return np.concatenate([np.empty((0, self.dimension), np.float32), *rows])

    def close(self) -> None:
        self._http.close()

    def _open(self) -> httpx.Client:
        return httpx.Client(timeout=_TIMEOUT, trust_env=False)

    def _ask(self, texts: Sequence[str]) -> Matrix:
        if self._http.is_closed:
            self._http = self._open()
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        key = self._key.reveal()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            answer = self._http.post(self._url, json=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ModelDown(type(error).__name__) from None
        _check(answer)
        return checked(_read(answer.content), count=len(texts), dimension=self.dimension)


def _check(answer: httpx.Response) -> None:
    status = answer.status_code
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        raise ModelLimited(_retry_after(answer))
    if status in _REFUSED:
        raise ModelRefusedKey(status)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _PASSING:
        raise ModelDown(f"status {status}", _retry_after(answer))
    if not answer.is_success:
        raise ModelRefusedRequest(status)


def _retry_after(answer: httpx.Response) -> float | None:
    said = answer.headers.get("Retry-After", "")
    return float(said) if said.isascii() and said.isdigit() else None


def _read(content: bytes) -> Matrix:
    """Put the vectors in the order of the texts, whatever is in them."""
    try:
        found = sorted(msgspec.json.decode(content, type=_Answer).data, key=lambda each: each.index)
        return np.array([each.embedding for each in found], np.float32)
    except (msgspec.MsgspecError, ValueError, TypeError, UnicodeDecodeError):
        raise BadEmbedding("not readable", "vectors of different sizes, or no vectors") from None
