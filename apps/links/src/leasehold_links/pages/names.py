"""Titles of what is no page: the name of a file."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from leasehold.kit.texts import tidy
from leasehold_links.encodings import codec_of
from leasehold_links.pages.metadata import LONGEST_TITLE

_EXTENDED = re.compile(r"filename\*\s*=\s*([\w-]+)'[^']*'([^;]+)", re.IGNORECASE)
_PLAIN = re.compile(r"""filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))""", re.IGNORECASE)


def title_of_file(url: str, disposition: str = "") -> str | None:
    """Return a file's name as its header says it, else as its address does."""
    name = _from_header(disposition) or unquote(urlsplit(url).path.rpartition("/")[2])
    name = tidy(name.replace("\\", "/").rpartition("/")[2])
    return name[:LONGEST_TITLE] or None


def _from_header(disposition: str) -> str:
    extended = _EXTENDED.search(disposition)
    if extended is not None and (codec := codec_of(extended[1])) is not None:
        return unquote(extended[2].strip(), encoding=codec)
    plain = _PLAIN.search(disposition)
    if plain is None:
        return ""
    return re.sub(r"\\(.)", r"\1", plain[1]) if plain[1] is not None else plain[2]
