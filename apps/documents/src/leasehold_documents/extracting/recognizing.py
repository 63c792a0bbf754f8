"""What a program for optical character recognition says of a page: Tesseract, if it is there."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting.drawing import DPI
from leasehold_documents.extracting.elements import Block
from leasehold_documents.extracting.tidying import unwrapped
from leasehold_documents.extracting.wording import type_of

_SECONDS = 20.0
_LEAST_CONFIDENCE = 20.0
_COLUMNS = 12
_WORD = "5"  # the level of a line of the table that tells of a word
_LANGUAGE = re.compile(r"[A-Za-z]{3}[A-Za-z_/]{0,20}")


class Program(NamedTuple):
    """An installed one, and what it can read."""

    path: str
    version: str
    languages: frozenset[str]


class Word(NamedTuple):
    paragraph: tuple[str, str]
    line: str
    text: str


@functools.lru_cache(maxsize=4)
def find_program(name: str = "tesseract") -> Program | None:
    """Look for it once; None when it is not installed."""
    path = shutil.which(name)
    if path is None:
        return None
    version = _ask(path, "--version").partition("\n")[0].split()
    languages = _ask(path, "--list-langs").splitlines()[1:]
    return Program(path, version[1] if version[1:] else "", frozenset(map(str.strip, languages)))


def command(languages: tuple[str, ...]) -> list[str]:
    """Return how it is called; `OCR_NOT_INSTALLED` when it, or a language, is missing."""
    program = find_program()
    if program is None:
        raise Rejected("OCR_NOT_INSTALLED", "pictures are read by tesseract, which is not there")
    missing = [each for each in languages if each not in program.languages]
    if missing:
        named = ", ".join(each for each in missing if _LANGUAGE.fullmatch(each))
        raise Rejected("OCR_NOT_INSTALLED", f"tesseract has no data for the languages: {named}")
    spoken = "+".join(languages)
    return [program.path, "stdin", "stdout", "--dpi", str(DPI), "-l", spoken, "tsv"]


def backend() -> str:
    program = find_program()
    return f"tesseract {program.version}" if program is not None else "tesseract"


def blocks_of(table: bytes) -> list[Block]:
    """Make paragraphs of the words that it has seen."""
    paragraphs = groupby(_words(table.decode("utf-8", "replace")), key=lambda word: word.paragraph)
    texts = (_paragraph(list(words)) for _, words in paragraphs)
    return [Block(type_of(text), text) for text in texts if any(map(str.isalnum, text))]


def _paragraph(words: list[Word]) -> str:
    lines = groupby(words, key=lambda word: word.line)
    return unwrapped("\n".join(" ".join(word.text for word in line) for _, line in lines))


def _words(table: str) -> Iterator[Word]:
    for row in table.split("\n")[1:]:
        cells = row.split("\t")
        if len(cells) == _COLUMNS and cells[0] == _WORD and _is_sure(cells[10]):
            yield Word((cells[2], cells[3]), cells[4], cells[11].strip())


def _is_sure(confidence: str) -> bool:
    try:
        return float(confidence) >= _LEAST_CONFIDENCE
    except ValueError:
        return False


def _ask(path: str, option: str) -> str:
    asked = subprocess.run(  # noqa: S603 - the program that we have found  # nosec B603
        [path, option], capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    return asked.stdout or asked.stderr
