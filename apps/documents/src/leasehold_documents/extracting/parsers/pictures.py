"""Pictures have pages, but no text of their own: it is recognised, or there is none."""

from __future__ import annotations

from typing import BinaryIO

from leasehold_documents.extracting.elements import Page
from leasehold_documents.extracting.guarding import open_picture
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.parsers.plain import read


def parse(source: BinaryIO, asked: Parse) -> Read:
    with open_picture(source) as picture:
        frames = int(getattr(picture, "n_frames", 1))
    if asked.media_type == "image/gif":
        frames = 1  # the others move it
    return read([Page(number, []) for number in range(1, frames + 1)], asked)
