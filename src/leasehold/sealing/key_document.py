"""The document that holds keys, in a file or a variable: reading it, and what can be changed in it.

    {"active": "k2", "keys": {"k1": "…", "k2": "…"}, "hashing": "…", "tenants": {"acme": null}}

Keys are 32 random bytes as base64. `hashing` makes names out of arguments and never changes.
`tenants` are those whose jobs are all encrypted, each with a key of its own or the active one.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable

import msgspec

from leasehold.errors import BadKeyring
from leasehold.model.envelopes import KEY_ID
from leasehold.sealing.ciphers import KEY_BYTES

_KEY_ID = re.compile(KEY_ID)
_NUMBERED = re.compile(r"k(\d{1,9})")
Draw = Callable[[int], bytes]


class KeyDocument(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys as they are written down. Its repr names them and shows none."""

    active: str
    keys: dict[str, str]
    hashing: str
    tenants: dict[str, str | None] = {}

    def __repr__(self) -> str:
        return f"<keys {', '.join(self.keys)}; active {self.active}>"

    def secret(self, key_id: str) -> bytes:
        """Return a key's bytes."""
        return _to_bytes(self.keys[key_id], f"key {key_id!r}")

    def with_key(self, key_id: str | None, draw: Draw) -> tuple[KeyDocument, str]:
        """Add a new key, which nothing is encrypted with yet; says under which id."""
        chosen = key_id or self._next_id()
        if chosen in self.keys:
            raise BadKeyring(f"there is a key {chosen!r} already")
        keys = {**self.keys, chosen: _to_text(draw(KEY_BYTES))}
        return checked(msgspec.structs.replace(self, keys=keys)), chosen

    def with_active(self, key_id: str) -> KeyDocument:
        """Encrypt with this key from now on."""
        return checked(msgspec.structs.replace(self, active=key_id))

    def without_key(self, key_id: str) -> KeyDocument:
        """Forget a key that is not in use."""
        if key_id == self.active or key_id in self.tenants.values():
            raise BadKeyring(f"key {key_id!r} is in use: encrypt with another one first")
        if key_id not in self.keys:
            raise BadKeyring(f"there is no key {key_id!r}; there are {', '.join(self.keys)}")
        left = {name: value for name, value in self.keys.items() if name != key_id}
        return msgspec.structs.replace(self, keys=left)

    def _next_id(self) -> str:
        numbers = [int(found[1]) for name in self.keys if (found := _NUMBERED.fullmatch(name))]
        return f"k{max(numbers, default=0) + 1}"


def new_document(draw: Draw) -> KeyDocument:
    """Make the first one."""
    keys = {"k1": _to_text(draw(KEY_BYTES))}
    return KeyDocument(active="k1", keys=keys, hashing=_to_text(draw(KEY_BYTES)))


def read_document(text: str | bytes) -> KeyDocument:
    """Read one, else `BadKeyring`, which never repeats what stands in it."""
    try:
        found = msgspec.json.decode(text, type=KeyDocument)
    except (msgspec.MsgspecError, UnicodeError) as error:
        reason = str(error) if isinstance(error, msgspec.ValidationError) else "it is no JSON"
        raise BadKeyring(reason) from None  # the cause would carry the text
    return checked(found)


def checked(document: KeyDocument) -> KeyDocument:
    """Refuse a document that could not be used."""
    for key_id, text in document.keys.items():
        if not _KEY_ID.fullmatch(key_id):
            raise BadKeyring(f"{key_id!r} can't name a key: letters, digits and ._- up to 64")
        _to_bytes(text, f"key {key_id!r}")
    _to_bytes(document.hashing, "hashing")
    for named in (document.active, *document.tenants.values()):
        if named is not None and named not in document.keys:
            raise BadKeyring(f"it names the key {named!r}, which it does not hold")
    return document


def write_document(document: KeyDocument) -> bytes:
    """Write it down, for a file that only its owner reads."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _to_text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode()


def _to_bytes(text: str, name: str) -> bytes:
    try:
        raw = urlsafe_b64decode(text)
    except ValueError:
        raw = b""
    if len(raw) != KEY_BYTES:
        raise BadKeyring(f"{name} is not {KEY_BYTES} bytes in base64")
    return raw
