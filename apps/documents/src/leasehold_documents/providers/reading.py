"""What an answer holds, read with care: another cloud's mistake is no crash of ours."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from leasehold_documents.providers.errors import BadAnswer, RemoteMissing


def text(document: dict[str, Any], name: str) -> str:
    """Return a text that has to be there, without NUL and halves of letters: no base keeps them."""
    found = document.get(name)
    if not isinstance(found, str) or not found:
        raise BadAnswer(f"an answer without {name!r}")
    return found.replace("\0", "").encode("utf-8", "replace").decode()


def objects(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the list of objects that stands under a name."""
    found = document.get(name)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise BadAnswer(f"{name!r} is not a list of objects")
    return found


def member(document: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the object that stands under a name, or an empty one."""
    found = document.get(name)
    return found if isinstance(found, dict) else {}


def segment(identifier: str) -> str:
    """Write an id as one part of an address; what would lead out of it is nobody's id."""
    if not identifier.strip("."):
        raise RemoteMissing
    return quote(identifier, safe="")
