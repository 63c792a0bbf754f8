"""Check sums are the clouds' own, in pieces of any size."""

from __future__ import annotations

import base64
import hashlib
import random

import pytest

from leasehold_documents.model.digests import digest_named, digest_of

# Published with other programs that read OneDrive.
QUICK_XOR = [
    ("", "AAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    ("Sg==", "SgAAAAAAAAAAAAAAAQAAAAAAAAA="),
    ("tbQ=", "taAFAAAAAAAAAAAAAgAAAAAAAAA="),
    ("0pZP", "0rDEEwAAAAAAAAAAAwAAAAAAAAA="),
    ("jRRDVA==", "jaDAEKgAAAAAAAAABAAAAAAAAAA="),
    ("/aNzzCFPS/A=", "/RjFHJgRgicsAR4ACAAAAAAAAAA="),
]


@pytest.mark.parametrize(("content", "digest"), QUICK_XOR)
def test_microsofts_hash_is_the_published_one(content: str, digest: str) -> None:
    assert digest_of("quickxor", base64.b64decode(content)) == digest


def plain_quick_xor(content: bytes) -> str:
    """Do it bit by bit, as it is described."""
    state = bytearray(20)
    for place, byte in enumerate(content):
        for bit in range(8):
            where = (11 * place + bit) % 160
            state[where // 8] ^= (byte >> bit & 1) << where % 8
    for place, byte in enumerate(len(content).to_bytes(8, "little")):
        state[12 + place] ^= byte
    return base64.b64encode(bytes(state)).decode()


@pytest.mark.parametrize("size", [1, 19, 159, 160, 161, 320, 1_000, 5_003])
@pytest.mark.parametrize("piece", [1, 7, 160, 1_024])
def test_microsofts_hash_is_the_same_in_pieces_of_any_size(size: int, piece: int) -> None:
    content = random.Random(size).randbytes(size)
    digest = digest_named("quickxor")
    for begin in range(0, size, piece):
        digest.update(content[begin : begin + piece])
    assert digest.text() == plain_quick_xor(content)


def test_dropboxs_hash_is_that_of_its_blocks() -> None:
    block = 4 * 1_048_576
    content = random.Random(1).randbytes(block + 10)
    parts = hashlib.sha256(content[:block]).digest() + hashlib.sha256(content[block:]).digest()
    assert digest_of("dropbox", content) == hashlib.sha256(parts).hexdigest()
    assert digest_of("dropbox", b"") == hashlib.sha256(b"").hexdigest()
    digest = digest_named("dropbox")
    for begin in range(0, len(content), 1_000_003):
        digest.update(content[begin : begin + 1_000_003])
    assert digest.text() == digest_of("dropbox", content)
