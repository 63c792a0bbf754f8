"""What a store can do with encrypted values: find those of other keys, change them, keep some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leasehold.model.credentials import CredentialInfo
from leasehold.model.resealing import Resealed, SealedIn, SealedPage


class SecretStore(Protocol):
    """Each method is one atomic operation. A store sees ciphertext only."""

    def sealed_page(
        self, what: SealedIn, cursor: str | None = None, *, limit: int, fine: Sequence[str] = ()
    ) -> SealedPage:
        """Look at the next `limit` rows for those encrypted with other keys than the fine ones."""

    def reseal(self, what: SealedIn, changes: Sequence[Resealed]) -> int:
        """Put new values in the place of old ones, where these stand unchanged; says how many.

        Waits for nobody: what is locked is left to a later look.
        """

    def duty_cursor(self, name: str) -> str | None:
        """Read how far something is that only one worker does at a time."""

    def put_credential(self, name: str, value: str, *, tenant: str, by: str | None) -> None:
        """Write an encrypted value under a name, in place of what was there."""

    def credential(self, name: str, *, tenant: str) -> str | None:
        """Read an encrypted value; None when there is none."""

    def credentials(self, *, tenant: str | None = None) -> list[CredentialInfo]:
        """List the names, of one tenant or of all; no values."""

    def delete_credential(self, name: str, *, tenant: str) -> bool:
        """Delete one; False when it is not there."""


_NO_ID = "00000000-0000-0000-0000-000000000000"
# Below every key of the table, and the fields that may be encrypted there.
_TABLES: dict[SealedIn, tuple[tuple[str | int, ...], tuple[str, ...]]] = {
    SealedIn.JOBS: ((_NO_ID,), ("args",)),
    SealedIn.OUTCOMES: ((_NO_ID, -1), ("result", "error", "traceback")),
    SealedIn.CHECKPOINTS: ((_NO_ID,), ("cursor", "note")),
    SealedIn.STEPS: ((_NO_ID, ""), ("result",)),
    SealedIn.SCHEDULES: (("", ""), ("job",)),
    SealedIn.CREDENTIALS: (("", ""), ("value",)),
}


def first_keys(what: SealedIn) -> tuple[str | int, ...]:
    """Return what a walk through a table begins behind."""
    return _TABLES[what][0]


def sealed_fields(what: SealedIn) -> tuple[str, ...]:
    """Name the fields of a table that may be encrypted."""
    return _TABLES[what][1]
