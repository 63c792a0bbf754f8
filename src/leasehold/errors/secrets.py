"""Encryption, its keys, and what is kept encrypted."""

from __future__ import annotations

from leasehold.errors.root import LeaseholdError


class CredentialNotFound(LeaseholdError, LookupError):
    """There is no credential of that name, or it is another tenant's."""

    def __init__(self, name: str, tenant: str = "") -> None:
        whose = f" of tenant {tenant!r}" if tenant else ""
        super().__init__(f"no credential {name!r}{whose}; `leasehold credentials` lists them")
        self.name = name
        self.tenant = tenant


class EncryptionError(LeaseholdError):
    """A value can't be encrypted, or an encrypted one not be read."""


class NoKeyring(EncryptionError):
    """Something is to be encrypted, and this process has no keys."""

    def __init__(self) -> None:
        super().__init__(
            "this has to be encrypted, and there are no keys here: make some with `leasehold "
            "keyring init FILE` and set LEASEHOLD_KEYS to that file"
        )


class MissingKey(EncryptionError):
    """The key that a value is encrypted with is not among those of this process."""

    def __init__(self, key_id: str) -> None:
        super().__init__(
            f"key {key_id!r} is missing here: add it to the file that LEASEHOLD_KEYS names"
        )
        self.key_id = key_id


class CryptoMissing(EncryptionError):
    """Encryption needs a library that is not installed."""

    def __init__(self) -> None:
        super().__init__("encryption needs the extra: pip install 'leasehold[crypto]'")


class PlainArguments(EncryptionError):
    """A job of an encrypted task was asked for by its name, with plain arguments."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"jobs of {kind!r} are encrypted: enqueue its task, or by its name with encrypted=True"
        )
        self.kind = kind


class KeyInUse(EncryptionError):
    """A key can't be taken away: values that it has encrypted still stand in the database."""

    def __init__(self, key_id: str, rows: int) -> None:
        super().__init__(
            f"key {key_id!r} is still needed for {rows:,} rows: let `leasehold keyring reencrypt` "
            "finish, see that every process has the new keys, and try again"
        )
        self.key_id = key_id
        self.rows = rows


class BadCiphertext(EncryptionError):
    """An encrypted value was changed, or moved from another job; no retry can help."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"an encrypted value can't be read: {reason}")
        self.reason = reason
