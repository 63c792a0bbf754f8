"""Search: every word somewhere in what is known of a link, in whichever case."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, cast, or_

from leasehold_links.data.tables import canonical, link

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

_ESCAPE = "/"
MOST_WORDS = 8
_TAGS = cast(link.c.tags, Text)
_PLACES: tuple[Any, ...] = (
    link.c.title,
    link.c.url,
    link.c.description,
    _TAGS,
    canonical.c.title,
    canonical.c.description,
    canonical.c.site_name,
)


def matches(
    words: Sequence[str], tag: str | None, *, is_sqlite: bool
) -> Iterator[ColumnElement[bool]]:
    """Say what a link has to fulfil."""
    for word in words[:MOST_WORDS]:
        patterns = [f"%{_literal(each)}%" for each in _shapes(word)]
        yield or_(*(_like(place, each, is_sqlite) for place in _PLACES for each in patterns))
    if tag is not None:
        quoted = json.dumps(tag, ensure_ascii=False)
        yield _TAGS.like(f"%{_literal(quoted)}%", escape=_ESCAPE)


def _like(place: Any, pattern: str, is_sqlite: bool) -> ColumnElement[bool]:  # noqa: FBT001 - of two databases
    # SQLite's own LIKE knows upper and lower case of A to Z, PostgreSQL's knows none.
    found: ColumnElement[bool] = (
        place.like(pattern, escape=_ESCAPE) if is_sqlite else place.ilike(pattern, escape=_ESCAPE)
    )
    return found


def _shapes(word: str) -> list[str]:
    """Write a word in its cases: the databases may know them of A to Z only."""
    if word.isascii():
        return [word]
    return list(dict.fromkeys([word, word.lower(), word.upper(), word.capitalize()]))


def _literal(text: str) -> str:
    for sign in (_ESCAPE, "%", "_"):
        text = text.replace(sign, _ESCAPE + sign)
    return text
