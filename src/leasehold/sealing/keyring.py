"""The keys of a process, read from a file that may change under it, or from a variable."""

from __future__ import annotations

import hmac
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from leasehold.errors import BadKeyring, LeaseholdError, MissingKey
from leasehold.sealing.ciphers import Cipher, derive
from leasehold.sealing.key_document import (
    KeyDocument,
    new_document,
    read_document,
    write_document,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.sealing.key_document import Draw

VARIABLE = "LEASEHOLD_KEYS"
LOOK_SECONDS = 1.0  # between looks whether the file has changed


class Keyring:
    """Knows the keys by their ids, and which one encrypts now. Safe in threads.

    One that was read from a file follows it: a key that is added there is known here within a
    second, or when it is first met. A file that can't be read any more leaves the keys as they are.
    """

    def __init__(
        self,
        document: KeyDocument,
        *,
        file: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.file = file
        self._clock = clock
        self._state = _State(document, {})
        self._stamp = None if file is None else _stamp(file)
        self._looked_at = clock()
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return repr(self._state.document)

    @classmethod
    def read(cls, source: str | os.PathLike[str]) -> Keyring:
        """Read a file's path, or the document itself (it begins with a brace)."""
        if isinstance(source, str) and source.lstrip().startswith("{"):
            return cls(read_document(source))
        path = Path(source)
        try:
            return cls(read_document(path.read_bytes()), file=path)
        except OSError as error:
            raise BadKeyring(f"its file can't be read: {error.strerror}") from error

    @classmethod
    def generate(cls, draw: Draw = os.urandom) -> Keyring:
        """Make new keys that stand nowhere yet."""
        return cls(new_document(draw))

    @property
    def document(self) -> KeyDocument:
        """What the keys are now."""
        return self._now().document

    @property
    def tenants(self) -> frozenset[str]:
        """The tenants whose jobs are all encrypted."""
        return self._now().tenants

    def active_for(self, tenant: str) -> str:
        """Name the key that encrypts this tenant's values now."""
        document = self.document
        return document.tenants.get(tenant) or document.active

    def is_newer(self, key_id: str, than: str) -> bool:
        """Whether a key was added after another one, or is not known here at all."""
        known = list(self.document.keys)
        return key_id not in known or known.index(key_id) > known.index(than)

    def cipher(self, key_id: str) -> Cipher:
        """Return what encrypts with that key, else `MissingKey`."""
        state = self._now()
        if key_id not in state.document.keys:
            state = self._look()  # it may have come just now
        found = state.ciphers.get(key_id)
        if found is None:
            if key_id not in state.document.keys:
                raise MissingKey(key_id)
            found = state.ciphers[key_id] = Cipher(state.document.secret(key_id))
        return found

    def hash(self, text: str) -> str:
        """Name something by what it is made of, without showing that; the same for ever."""
        return hmac.new(self._now().hashing, text.encode(), "sha256").hexdigest()

    # -- for people ------------------------------------------------------------------------------
    def add(self, key_id: str | None = None, draw: Draw = os.urandom) -> str:
        """Add a key that decrypts only, so that every machine can have it first; names it."""
        added, chosen = self.document.with_key(key_id, draw)
        self._write(added)
        return chosen

    def activate(self, key_id: str) -> None:
        """Encrypt with this key from now on."""
        self._write(self.document.with_active(key_id))

    def forget(self, key_id: str) -> None:
        """Take a key away; `client.encryption.retire` looks first whether it is needed."""
        self._write(self.document.without_key(key_id))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the keys to a file that is not there yet, readable by its owner only."""
        target = Path(path)
        try:
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise BadKeyring(f"{target.name} is there already, and keys are never lost") from error
        with os.fdopen(descriptor, "wb") as file:
            file.write(write_document(self.document))

    # -- inside ----------------------------------------------------------------------------------
    def _now(self) -> _State:
        if self.file is not None and self._clock() - self._looked_at >= LOOK_SECONDS:
            return self._look()
        return self._state

    def _look(self) -> _State:
        """Read the file again if it has changed."""
        if self.file is None:
            return self._state
        with self._lock:
            self._looked_at = self._clock()
            stamp = _stamp(self.file)
            if stamp is not None and stamp != self._stamp:
                try:
                    self._state = _State(read_document(self.file.read_bytes()), {})
                    self._stamp = stamp
                except (OSError, LeaseholdError):
                    return self._state  # somebody is writing it: the next look reads it
            return self._state

    def _write(self, document: KeyDocument) -> None:
        """Replace the file as a whole: a crash leaves the old one or the new one."""
        if self.file is None:
            raise BadKeyring("these keys come from no file, so they can't be changed here")
        beside = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(write_document(document))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.file)
        self._look()


class _State:
    """The keys at one moment, and the ciphers that were made of them."""

    __slots__ = ("ciphers", "document", "hashing", "tenants")

    def __init__(self, document: KeyDocument, ciphers: dict[str, Cipher]) -> None:
        self.document = document
        self.ciphers = ciphers
        self.tenants = frozenset(document.tenants)
        self.hashing = derive(document.hashing.encode(), "hash")


class _Stamp(NamedTuple):
    changed: int
    size: int
    number: int


def _stamp(file: Path) -> _Stamp | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return _Stamp(found.st_mtime_ns, found.st_size, found.st_ino)


def read_environment() -> Keyring | None:
    """Read the keys that LEASEHOLD_KEYS names, a file or the document itself; None without it."""
    source = os.environ.get(VARIABLE)
    return Keyring.read(source) if source else None
