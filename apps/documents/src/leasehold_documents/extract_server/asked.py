"""What a request asks for: a form of files and words, of which most are for other engines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.datastructures import FormData, UploadFile

from leasehold_documents.errors import BadForm
from leasehold_documents.extracting import LANGUAGES

STRATEGIES = ("auto", "fast", "hi_res", "ocr_only")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(_[A-Za-z]{2,10})?")
_SHORT = {"de": "deu", "en": "eng", "ger": "deu", "fr": "fra", "it": "ita", "es": "spa"}
_MOST_LANGUAGES = 10
_MOST_FILES = 10


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request, read and checked."""

    files: list[Any]
    strategy: str = "auto"
    languages: tuple[str, ...] = LANGUAGES
    password: str | None = None
    first_page: int = 1
    is_broken_by_page: bool = False


def asked_by(form: FormData) -> Asked:
    """Read a form; `BadForm` says what is wrong with it."""
    files = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
    files += [each for each in form.getlist("files[]") if isinstance(each, UploadFile)]
    if not 1 <= len(files) <= _MOST_FILES:
        raise BadForm("files", f"send 1 to {_MOST_FILES} files in the field `files`")
    words = {key: value for key, value in form.multi_items() if isinstance(value, str)}
    _refuse_unknown(words)
    return Asked(
        files=files,
        strategy=_strategy(words.get("strategy") or "auto"),
        languages=_languages(form),
        password=words.get("password") or None,
        first_page=_first_page(words.get("starting_page_number") or "1"),
        is_broken_by_page=words.get("include_page_breaks", "").lower() == "true",
    )


def _refuse_unknown(words: Mapping[str, str]) -> None:
    """What would change the answer and can't be done is said, not passed over."""
    if words.get("output_format", "application/json") not in {"", "application/json"}:
        raise BadForm("output_format", "only application/json can be answered")
    if words.get("chunking_strategy"):
        raise BadForm("chunking_strategy", "elements are not chunked here")
    if words.get("gz_uncompressed_content_type"):
        raise BadForm("gz_uncompressed_content_type", "files are not unpacked here")


def _strategy(said: str) -> str:
    if said not in STRATEGIES:
        raise BadForm("strategy", f"is one of {', '.join(STRATEGIES)}")
    return said


def _languages(form: FormData) -> tuple[str, ...]:
    named = ("languages", "languages[]", "ocr_languages", "ocr_languages[]")
    said = [word for name in named for word in form.getlist(name) if isinstance(word, str)]
    words = [part for word in said for part in re.split(r"[+,\s]+", word) if part]
    return _checked(words) if words else LANGUAGES


def _checked(words: Sequence[str]) -> tuple[str, ...]:
    if len(words) > _MOST_LANGUAGES or not all(map(_LANGUAGE.fullmatch, words)):
        raise BadForm("languages", "are codes of three letters, like deu and eng")
    return tuple(dict.fromkeys(_SHORT.get(word.lower(), word) for word in words))


def _first_page(said: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,6}", said):
        raise BadForm("starting_page_number", "is a whole number from 1 on")
    return int(said)
