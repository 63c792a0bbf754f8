"""Rich Text Format."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from striprtf.striprtf import rtf_to_text

from leasehold_documents.extracting.elements import Block
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.parsers.plain import paged, read
from leasehold_documents.extracting.tidying import tidy
from leasehold_documents.extracting.wording import type_of

_plain: Callable[..., str] = rtf_to_text  # it ships no types


def parse(source: BinaryIO, asked: Parse) -> Read:
    plain = _plain(source.read().decode("cp1252", "replace"), errors="replace")
    texts = (tidy(line) for line in plain.split("\n"))
    return read(paged(Block(type_of(text), text) for text in texts if text), asked)
