"""The process that makes vectors by the table that comes with `wordllama`.

It reads requests from its input and answers on its output until the input ends, which it does
when the one who asks is gone. A request is a length of four bytes and a JSON list of texts, an
answer a length and the float32 of the vectors. It is started as a file, so that it imports no more
than it needs.

A text's vector is the mean of those of its tokens. Tokens are numbered about as often as they
occur: the rarer one is, the more it counts. Stop words count nothing, nor do the bytes that rare
characters are taken apart into, unless a text has nothing else.
"""

from __future__ import annotations

import importlib.util
import json
import os
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from tokenizers import Tokenizer

from leasehold_memory.model.stop_words import is_stop_word
from leasehold_memory.model.words import normalise_text, runs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSION = 256
LENGTH = struct.Struct("<I")
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_BYTES = slice(0, 259)  # tokens of single bytes, and marks
_LETTERS = 29_871  # from here on tokens are single characters, which come last however frequent
_PRIORITY = 5  # behind those who answer somebody


class StaticVectors:
    """The table of tokens and vectors, read from the installed package; it is not imported."""

    def __init__(self) -> None:
        folder = _folder()
        self._table = _read_table(folder / _WEIGHTS)
        self._tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._weights = _weights_of(len(self._table), self._tokenizer)

    def embed(self, texts: list[str]) -> NDArray[np.float32]:
        """Return a row for each text; of one with nothing in it, zeros."""
        found = self._tokenizer.encode_batch(
            [_content(text) for text in texts], add_special_tokens=False
        )
        rows = np.zeros((len(texts), DIMENSION), np.float32)
        for row, encoded in zip(rows, found, strict=True):
            if ids := encoded.ids:
                row[:] = self._mean(np.asarray(ids))
        return rows

    def _mean(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        weights = self._weights[ids]
        total = weights.sum()
        if not total:
            weights, total = np.ones_like(weights), np.float32(len(ids))
        mean: NDArray[np.float32] = weights @ self._table[ids] / total
        return mean


def _content(text: str) -> str:
    runs = runs_of(normalise_text(text))
    kept = [run.text for run in runs if not all(map(is_stop_word, run.words or [run.text]))]
    return " ".join(kept) or text


def _folder() -> Path:
    found = importlib.util.find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("wordllama is not installed")
    return Path(found.submodule_search_locations[0])


def _read_table(file: Path) -> NDArray[np.float32]:
    """Read the one table of a safetensors file: a length, a JSON header, then the numbers."""
    content = file.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    table = header["embedding.weight"]
    numbers = np.frombuffer(content, "<f2", count=table["shape"][0] * DIMENSION, offset=8 + length)
    return numbers.reshape(-1, DIMENSION).astype(np.float32)


def _weights_of(count: int, tokenizer: Tokenizer) -> NDArray[np.float32]:
    weights = np.log1p(np.arange(count)).astype(np.float32)
    weights[_BYTES] = 0
    for number in range(_LETTERS, count):
        if (tokenizer.id_to_token(number) or "").isascii():
            weights[number] = 1
    weights[_LETTERS] = 0  # a space
    return weights


def _answer(vectors: StaticVectors, asked: BinaryIO, told: BinaryIO) -> None:
    while head := asked.read(LENGTH.size):
        texts = json.loads(asked.read(*LENGTH.unpack(head)))
        rows = vectors.embed(texts).tobytes()
        told.write(LENGTH.pack(len(rows)) + rows)
        told.flush()


def main() -> None:
    """Answer until nobody asks any more."""
    told = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no answer
    if hasattr(os, "nice"):
        os.nice(_PRIORITY)
    _answer(StaticVectors(), sys.stdin.buffer, told)


if __name__ == "__main__":
    main()
