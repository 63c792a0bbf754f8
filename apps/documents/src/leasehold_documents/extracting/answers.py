"""What a service's answers mean: what it found, what it will never read, when to ask again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from leasehold_documents.errors import EngineClosed, ExtractorUnavailable, Rejected
from leasehold_documents.extracting.elements import Element
from leasehold_documents.extracting.tidying import tidy

_elements: msgspec.json.Decoder[list[Element]] = msgspec.json.Decoder(list[Element])
_FINAL = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    }
)
_CLOSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN})
_LOCKED = re.compile(r"\b(encrypted|password)\b", re.IGNORECASE)
# Codes of ours, which only our own server says; their sentences are written here.
_REASONS = {
    "ARCHIVE_BOMB": "it unpacks to more than is allowed, or holds another archive",
    "DOCUMENT_ENCRYPTED": "it needs a password, or another one",
    "DTD_REFUSED": "it declares a document type, which may define entities",
    "EMPTY_FILE": "there is nothing in it",
    "IMAGE_TOO_LARGE": "it has too many pixels",
    "NO_TEXT_FOUND": "no text can be seen on its pages",
    "NO_TEXT_LAYER": "there is no text in it; hires can read pictures",
    "OCR_NOT_INSTALLED": "the extraction service has no program that reads pictures",
    "PARSER_CRASH": "reading it failed",
    "TEXT_TOO_LONG": "there is more text in it than is allowed",
    "UNREADABLE": "it is broken beyond repair",
    "UNSUPPORTED_TYPE": "files of this type can't be read",
}
_MOST_SECONDS = 3_600.0


def elements_in(body: bytes) -> list[Element]:
    """Read elements, without those that say nothing; a service's text is tidied as ours is."""
    tidied = (_tidied(element) for element in _elements.decode(body))
    return [element for element in tidied if element.text]


def raise_for(status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Do nothing when all is well. Nothing of the body is quoted: it may be a document's text."""
    if status == HTTPStatus.OK:
        return
    if status in _FINAL:
        raise _refusal(status, body)
    if status in _CLOSED:
        raise EngineClosed(f"it answers {status}; look at LEASEHOLD_DOCUMENTS_EXTRACTION_KEY")
    raise ExtractorUnavailable(status, "", retry_after_seconds=_retry_after(headers))


def _refusal(status: int, body: bytes) -> Rejected:
    said = _object(body)
    code = str(said.get("code", ""))
    if code in _REASONS:
        return Rejected(code, _REASONS[code])
    if _LOCKED.search(str(said.get("detail", ""))[:1_000]):
        return Rejected("DOCUMENT_ENCRYPTED", _REASONS["DOCUMENT_ENCRYPTED"])
    return Rejected("EXTRACTION_REFUSED", f"the extraction service refuses it, by status {status}")


def _object(body: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return {}


def _retry_after(headers: Mapping[str, str]) -> float | None:
    said = headers.get("retry-after", "")
    return min(float(said), _MOST_SECONDS) if re.fullmatch(r"\d{1,6}", said) else None


def _tidied(element: Element) -> Element:
    """Keep text that can be stored; of the metadata, too, since that is stored beside it."""
    metadata: dict[str, Any] = _plain(element.metadata)
    return msgspec.structs.replace(element, text=tidy(element.text), metadata=metadata)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(each) for key, each in value.items()}
    return value
