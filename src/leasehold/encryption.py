"""The keys, as people see them: `client.encryption`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from leasehold.acting import record
from leasehold.errors import BadKeyring, KeyInUse, NoKeyring
from leasehold.reencrypting import ReencryptReport, count_by_key, reencrypt_in_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.sealing.keyring import Keyring
    from leasehold.store.base import Store

DUTY = "reencryption"  # under which workers do it by and by


class KeyUse(msgspec.Struct, frozen=True, kw_only=True):
    """A key: whether it encrypts now, for whom, and whether this process has it."""

    id: str
    is_active: bool
    is_here: bool
    tenants: tuple[str, ...] = ()
    rows: int | None = None  # that it has encrypted something of; None: not counted


class Encryption:
    """Rotating keys: add one, let it encrypt, bring what stands there to it, take the old away."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    def keys(self, *, count: bool = False) -> list[KeyUse]:
        """List the keys; with `count` also how many rows each is needed for, which reads all."""
        keyring, store = self._store().keyring, self._store()
        counts = count_by_key(store) if count else {}
        document = None if keyring is None else keyring.document
        known = [] if document is None else list(document.keys)
        return [
            KeyUse(
                id=key,
                is_active=document is not None and key == document.active,
                is_here=key in known,
                tenants=() if document is None else _tenants_of(document.tenants, key),
                rows=counts.get(key, 0) if count else None,
            )
            for key in [*known, *(each for each in counts if each not in known)]
        ]

    def reencrypt(
        self, *, progress: Callable[[ReencryptReport], object] | None = None
    ) -> ReencryptReport:
        """Bring all that is encrypted to the key of now, in short steps, beside everything else.

        Workers do the same by and by. It may be ended at any time and begun again.
        """
        report = ReencryptReport()
        for report in reencrypt_in_steps(self._store(), self._keyring()):
            if progress is not None:
                progress(report)
        return report

    def background(self) -> str | None:
        """Say how far the workers are with the same, in a line; None when they never began."""
        return self._store().duty_cursor(DUTY)

    def retire(self, key_id: str) -> None:
        """Take a key away for good; `KeyInUse` while anything in the database needs it."""
        keyring = self._keyring()
        if key_id not in keyring.document.keys:
            raise BadKeyring(f"there is no key {key_id!r}")
        keyring.document.without_key(key_id)  # refuses one that encrypts now
        rows = count_by_key(self._store()).get(key_id, 0)
        if rows:
            raise KeyInUse(key_id, rows)
        keyring.forget(key_id)
        record(self._store(), "key.retire", key_id)

    def _keyring(self) -> Keyring:
        found = self._store().keyring
        if found is None:
            raise NoKeyring
        return found


def _tenants_of(tenants: dict[str, str | None], key: str) -> tuple[str, ...]:
    return tuple(sorted(tenant for tenant, own in tenants.items() if own == key))
