"""Vectors by rule: texts that share words and letters point the same way."""

from __future__ import annotations

import hashlib
import json
import unicodedata

import msgspec

from leasehold.kit.servers import Reply

SPOILED = frozenset({"wrong_size", "nan", "zero", "too_few"})
_GRAM = 2  # letters


class Asked(msgspec.Struct):
    """A request for embeddings."""

    input: str | list[str]
    model: str = ""


def answer(asked: Asked, dimension: int, how: str) -> Reply:
    """Send a vector for each text, unless something was to go wrong."""
    texts = [asked.input] if isinstance(asked.input, str) else asked.input
    vectors = [_spoiled(_vector(text, dimension), how) for text in texts]
    if how == "too_few":
        vectors.pop()
    data = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in enumerate(vectors)
    ]
    # By the library that writes NaN as servers do, though JSON has none.
    document = {"object": "list", "data": data, "model": asked.model}
    return Reply(body=json.dumps(document).encode())


def _spoiled(vector: list[float], how: str) -> list[float]:
    match how:
        case "wrong_size":
            return vector[:-1]
        case "nan":
            return [float("nan"), *vector[1:]]
        case "zero":
            return [0.0] * len(vector)
        case _:
            return vector


def _vector(text: str, dimension: int) -> list[float]:
    vector = [0.0] * dimension
    for gram in _grams(text):
        digest = hashlib.blake2b(gram.encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "big")
        vector[number % dimension] += 1.0 if number >> 63 else -1.0
    length = sum(each * each for each in vector) ** 0.5
    return [each / length for each in vector] if length else [1.0, *vector[1:]]


def _grams(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    pairs = [plain[begin : begin + _GRAM] for begin in range(len(plain) - 1)]
    return [*plain.split(), *pairs]
