"""A vault in storage that speaks Amazon's S3 protocol: Amazon's own, MinIO, Ceph, R2 and others."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, cast

from leasehold_documents.errors import NotInVault
from leasehold_documents.vault.bucket import Bucket, Sent
from leasehold_documents.vault.keys import check_key, check_prefix
from leasehold_documents.vault.listing import read_listing

_IN_MEMORY_BYTES = 1 << 20
_PIECE_BYTES = 1 << 20


class S3Vault:
    """Files in a bucket, all below one prefix."""

    def __init__(self, bucket: Bucket, prefix: str = "") -> None:
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""

    def put(self, key: str, file: BinaryIO) -> int:
        """Send it whole, with its hash: the storage keeps all of it, or says no."""
        with _seekable(file) as whole:
            sent = _measured(whole)
            self._bucket.ask("PUT", self._name(key), sent=sent)
        return sent.size

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        """Read all of it first, into memory if it is small: no connection waits for a reader."""
        with tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES) as spooled:
            copy = cast("BinaryIO", spooled)
            self._bucket.ask("GET", self._name(key), into=copy)
            yield copy

    @contextmanager
    def local(self, key: str) -> Iterator[Path]:
        with tempfile.NamedTemporaryFile(prefix="leasehold-documents-") as copy:
            self._bucket.ask("GET", self._name(key), into=cast("BinaryIO", copy))
            copy.flush()
            yield Path(copy.name)

    def exists(self, key: str) -> bool:
        try:
            self._bucket.ask("HEAD", self._name(key))
        except NotInVault:
            return False
        return True

    def delete(self, key: str) -> None:
        self._bucket.ask("DELETE", self._name(key))

    def delete_under(self, prefix: str) -> None:
        """One by one, page by page: not every storage can delete many at once."""
        query = {"list-type": "2", "prefix": self._prefix + check_prefix(prefix)}
        while True:
            listing = read_listing(self._bucket.ask("GET", query=query))
            for name in listing.keys:
                self._bucket.ask("DELETE", name)
            if listing.next_token is None:
                return
            query["continuation-token"] = listing.next_token

    def close(self) -> None:
        self._bucket.close()

    def _name(self, key: str) -> str:
        return self._prefix + check_key(key)


@contextmanager
def _seekable(file: BinaryIO) -> Iterator[BinaryIO]:
    """Return a file that can be read twice: for its hash, and to be sent."""
    if file.seekable():
        yield file
        return
    with tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES) as spooled:
        shutil.copyfileobj(file, spooled)
        spooled.seek(0)
        yield cast("BinaryIO", spooled)


def _measured(file: BinaryIO) -> Sent:
    start, digest, size = file.tell(), sha256(), 0
    while piece := file.read(_PIECE_BYTES):
        digest.update(piece)
        size += len(piece)
    return Sent(file, start, size, digest.hexdigest())
