"""What every vault can do."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol


class Vault(Protocol):
    """Files by their keys, which `keys` makes. Safe in threads.

    `VaultFailed` when the storage does not answer as it should, `BadKey` for what is no key.
    """

    def put(self, key: str, file: BinaryIO) -> int:
        """Keep what is in the file from where it stands, and return how many bytes that are.

        All of it is there afterwards, also after a power cut, or nothing is. What was there under
        the key before is replaced; whoever reads it goes on reading that.
        """
        ...

    def open(self, key: str) -> AbstractContextManager[BinaryIO]:
        """Read a file from its beginning; `NotInVault` when there is none."""
        ...

    def local(self, key: str) -> AbstractContextManager[Path]:
        """Lend a file of this machine with the same bytes, for those who need a path.

        It must not be written to, and may be gone after the `with`.
        """
        ...

    def exists(self, key: str) -> bool: ...

    def delete(self, key: str) -> None:
        """Forget a file. Safe twice."""
        ...

    def delete_under(self, prefix: str) -> None:
        """Forget all files below a prefix, which ends with a slash. Safe twice."""
        ...

    def close(self) -> None:
        """Give back connections. Safe twice."""
        ...
