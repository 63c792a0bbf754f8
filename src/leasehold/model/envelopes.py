"""What an encrypted value looks like where it stands: valid JSON, or text, that names its key.

A JSON value becomes `{"$enc":"k1","value":"…"}`, a text `$enc:k1:…`. Nothing here knows a key: this
is for those who tell an encrypted value from a plain one, and show that it is one.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from leasehold.errors import BadCiphertext

# PostgreSQL writes the keys of an object by their length, so it begins with this there, too.
MARK = '{"$enc"'
RAW_MARK = MARK.encode()
NAME, VALUE = "$enc", "value"
KEY_ID = r"[A-Za-z0-9][A-Za-z0-9._\-]{0,63}"
_TEXT_MARK = "$enc:"
_TEXT = re.compile(rf"\$enc:(?P<key>{KEY_ID}):(?P<value>[A-Za-z0-9_\-]+)")


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An encrypted JSON value; `value` is base64."""

    key: str = msgspec.field(name=NAME)
    value: str


class Sealed(NamedTuple):
    """What an envelope holds, whatever its form."""

    key: str
    value: str


_decode = msgspec.json.Decoder(Envelope).decode
_encode = msgspec.json.Encoder().encode


def write_json(sealed: Sealed) -> bytes:
    """Write an encrypted JSON value."""
    return _encode(Envelope(*sealed))


def write_text(sealed: Sealed) -> str:
    """Write an encrypted text."""
    return f"{_TEXT_MARK}{sealed.key}:{sealed.value}"


def is_sealed(raw: str | bytes) -> bool:
    """Whether stored JSON is encrypted."""
    return raw.startswith(MARK) if isinstance(raw, str) else raw.startswith(RAW_MARK)


def read_json(raw: str | bytes) -> Sealed:
    """Read an encrypted JSON value, else `BadCiphertext`."""
    try:
        found = _decode(raw)
    except msgspec.MsgspecError as error:
        raise BadCiphertext("it looks encrypted and is no envelope") from error
    return Sealed(found.key, found.value)


def read_value(value: object) -> Sealed | None:
    """Read a decoded JSON value that is encrypted; None when it is plain."""
    if not isinstance(value, dict) or value.keys() != {NAME, VALUE}:
        return None
    key, sealed = value[NAME], value[VALUE]
    return Sealed(key, sealed) if isinstance(key, str) and isinstance(sealed, str) else None


def find_text(text: str) -> re.Match[str] | None:
    """Find the encrypted part of a text: an error keeps its class before it."""
    return _TEXT.search(text) if _TEXT_MARK in text else None


def key_in(stored: object) -> str | None:
    """Name the key of a stored value, decoded JSON or text; None when it is plain."""
    if isinstance(stored, str):
        found = find_text(stored)
        return None if found is None else found["key"]
    if isinstance(stored, dict) and stored.keys() == {NAME}:
        return str(stored[NAME])  # as it is shown
    sealed = read_value(stored)
    return None if sealed is None else sealed.key


def shown_value(value: Any) -> Any:
    """Return a decoded JSON value as people see it: of an encrypted one, which key it needs."""
    sealed = read_value(value)
    return value if sealed is None else {NAME: sealed.key}


def shown_text(text: str | None) -> str | None:
    """Do the same for a text."""
    if text is None or _TEXT_MARK not in text:
        return text
    return _TEXT.sub(lambda found: words(found["key"]), text)


def words(key: str) -> str:
    """Say that something is encrypted."""
    return f"(encrypted, key {key})"
