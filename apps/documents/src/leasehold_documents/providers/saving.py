"""A file that comes in: bounded in size, and checked by what the cloud says of its content."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from leasehold_documents.model.digests import digest_named
from leasehold_documents.providers.errors import ContentChanged, TooLarge


@dataclass(frozen=True, slots=True)
class Target:
    """Where content goes, and what it has to be; `digest` is `algorithm:value`, or nothing."""

    into: BinaryIO
    most_bytes: int
    digest: str

    def take(self, pieces: Iterable[bytes]) -> None:
        """Write all of it, from the start; the file is then at its start again."""
        algorithm, _, wanted = self.digest.partition(":")
        check = digest_named(algorithm) if wanted else None
        self.into.seek(0)
        self.into.truncate()
        size = 0
        for piece in pieces:
            size += len(piece)
            if size > self.most_bytes:
                raise TooLarge(self.most_bytes)
            self.into.write(piece)
            if check is not None:
                check.update(piece)
        if check is not None and check.text() != wanted:
            raise ContentChanged
        self.into.seek(0)
