"""What is encrypted of a job, a schedule or a credential, each value bound to where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from leasehold.errors import MissingKey, NoKeyring
from leasehold.model.envelopes import (
    Sealed,
    find_text,
    is_sealed,
    read_json,
    write_json,
    write_text,
)

if TYPE_CHECKING:
    from uuid import UUID

    from leasehold.sealing.keyring import Keyring

JOB, SCHEDULE, CREDENTIAL = "job", "schedule", "credential"
# The fields of a job; each is part of what its value is bound to.
ARGUMENTS, RESULT, ERROR, TRACEBACK = "args", "result", "error", "traceback"
CURSOR, NOTE, STEP = "cursor", "note", "step"
VALUE = "value"  # of a credential
_encode = msgspec.json.Encoder().encode


class Seal:
    """Encrypts and reads the values of one owner. What is plain is read as it stands."""

    __slots__ = ("_keyring", "_owner", "_tenant", "_what")

    def __init__(self, keyring: Keyring | None, what: str, owner: str, tenant: str) -> None:
        self._keyring = keyring
        self._what = what
        self._owner = owner
        self._tenant = tenant

    def seal_json(
        self, field: str, raw: bytes, *, repeats: bool = False, key: str | None = None
    ) -> bytes:
        """Encrypt JSON, with the key of now or another one; what comes out is JSON, too."""
        return write_json(self._seal(field, raw, repeats=repeats, key=key))

    def seal_text(self, field: str, text: str) -> str:
        """Encrypt a text."""
        return write_text(self._seal(field, text.encode(), repeats=False))

    def open_json(self, field: str, raw: str | bytes) -> str | bytes:
        """Decrypt JSON: `MissingKey`, or `BadCiphertext` when it was tampered with."""
        return self._open(field, read_json(raw)) if is_sealed(raw) else raw

    def open_text(self, field: str, text: str) -> str:
        """Decrypt the encrypted part of a text."""
        found = find_text(text)
        if found is None:
            return text
        opened = self._open(field, Sealed(found["key"], found["value"])).decode()
        return text[: found.start()] + opened + text[found.end() :]

    def reseal_text(self, field: str, text: str) -> str:
        """Encrypt the encrypted part of a text anew, with the key of now."""
        found = find_text(text)
        if found is None:
            return text
        opened = self._open(field, Sealed(found["key"], found["value"]))
        sealed = write_text(self._seal(field, opened, repeats=False))
        return text[: found.start()] + sealed + text[found.end() :]

    def _seal(self, field: str, plain: bytes, *, repeats: bool, key: str | None = None) -> Sealed:
        if self._keyring is None:
            raise NoKeyring
        key = key or self._keyring.active_for(self._tenant)
        cipher = self._keyring.cipher(key)
        return Sealed(key, cipher.seal(plain, self._place(field), repeats=repeats))

    def _open(self, field: str, sealed: Sealed) -> bytes:
        if self._keyring is None:
            raise MissingKey(sealed.key)
        return self._keyring.cipher(sealed.key).open(sealed.value, self._place(field))

    def _place(self, field: str) -> bytes:
        """Say where a value stands: moved elsewhere, it can't be read."""
        return _encode((self._what, self._owner, field, self._tenant))


def credential_seal(keyring: Keyring | None, name: str, tenant: str) -> Seal:
    """Return the seal of a value that an application keeps."""
    return Seal(keyring, CREDENTIAL, name, tenant)


def job_seal(keyring: Keyring | None, job_id: UUID | str, tenant: str) -> Seal:
    """Return the seal of a job's values."""
    return Seal(keyring, JOB, str(job_id), tenant)


def schedule_seal(keyring: Keyring | None, name: str, tenant: str) -> Seal:
    """Return the seal of the arguments that a schedule holds."""
    return Seal(keyring, SCHEDULE, name, tenant)
