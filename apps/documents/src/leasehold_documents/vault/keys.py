"""How files are called in the vault: names that no file system, address or person trips over."""

from __future__ import annotations

import re
import unicodedata
from uuid import UUID

from leasehold_documents.errors import BadKey

LONGEST_NAME = 100
_LONGEST_KEY = 500
_LONGEST_EXTENSION = 10
_SEGMENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")
_GERMAN = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}
)
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)  # of Windows


def original_key(tenant: UUID | str, document: UUID | str, name: str) -> str:
    """Where a document's file is, as it was given."""
    return f"tenant/{tenant}/original/{document}/{safe_name(name)}"


def derived_key(tenant: UUID | str, document: UUID | str, name: str = "unstructured.json") -> str:
    """Where something is that was made of a document: the elements that were found in it."""
    return f"tenant/{tenant}/derived/{document}/{safe_name(name)}"


def prefixes_of(tenant: UUID | str, document: UUID | str | None = None) -> list[str]:
    """Under what all files of a document are, or all files of a tenant."""
    if document is None:
        return [f"tenant/{tenant}/"]
    return [f"tenant/{tenant}/{kind}/{document}/" for kind in ("original", "derived")]


def safe_name(name: str) -> str:
    """Make a name of ASCII letters out of any: no folders, no tricks, still a bit like it.

    "../Mietvertrag Müller.pdf" becomes "Mietvertrag_Mueller.pdf". Two names may become one.
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    stem, extension = _split(_ascii(last).lstrip("."))
    stem = stem[: LONGEST_NAME - len(extension)].strip("._") or "file"
    return ("file_" if _DEVICES.match(stem) else "") + stem + extension


def _ascii(name: str) -> str:
    """Write German letters as two, take the accents off others, and leave out what remains."""
    plain = unicodedata.normalize("NFKD", name.translate(_GERMAN))
    return _ODD.sub("_", "".join(each for each in plain if not unicodedata.combining(each)))


def _split(name: str) -> tuple[str, str]:
    """Return the stem, and the extension with its dot if it is one."""
    stem, dot, extension = name.rpartition(".")
    is_extension = dot and 0 < len(extension.strip("_")) <= _LONGEST_EXTENSION
    return (stem, f".{extension.strip('_')}") if is_extension else (name, "")


def check_key(key: str) -> str:
    """Return a key that leads nowhere but into the vault; `BadKey` for all others."""
    parts = key.split("/")
    if len(key) > _LONGEST_KEY or not all(_SEGMENT.fullmatch(part) for part in parts):
        raise BadKey(key)
    return key


def check_prefix(prefix: str) -> str:
    """Return a prefix that is a key and a slash: never all of the vault."""
    if not prefix.endswith("/"):
        raise BadKey(prefix)
    check_key(prefix.removesuffix("/"))
    return prefix
