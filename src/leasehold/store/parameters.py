"""One way to write parameters, `:name`, turned into what each driver reads."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

# Quoted text, comments and casts are looked for first, so that no colon inside them is a parameter.
_TOKENS = re.compile(
    r"""
      (?P<comment> --[^\n]* )
    | (?P<quoted> '(?:[^']|'')*' | "(?:[^"]|"")*" )
    | (?P<cast> :: )
    | : (?P<name> [A-Za-z_]\w* )
    """,
    re.VERBOSE,
)


class Piece(NamedTuple):
    """A stretch of SQL, or the name of a parameter."""

    text: str
    is_parameter: bool


@lru_cache(maxsize=64)
def split(sql: str) -> tuple[Piece, ...]:
    """Cut a statement at its parameters, and drop its comments."""
    pieces: list[Piece] = []
    start = 0
    for token in _TOKENS.finditer(sql):
        if token["comment"] is None and token["name"] is None:
            continue
        pieces.append(Piece(sql[start : token.start()], is_parameter=False))
        if token["name"] is not None:
            pieces.append(Piece(token["name"], is_parameter=True))
        start = token.end()
    pieces.append(Piece(sql[start:], is_parameter=False))
    return tuple(piece for piece in pieces if piece.text)


def to_pyformat(sql: str) -> str:
    """For psycopg: `%(name)s`, per cent signs doubled."""
    return "".join(
        f"%({piece.text})s" if piece.is_parameter else piece.text.replace("%", "%%")
        for piece in split(sql)
    )


def to_format(sql: str, parameters: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """For Django: `%s`, one value for each place."""
    text = "".join(
        "%s" if piece.is_parameter else piece.text.replace("%", "%%") for piece in split(sql)
    )
    return text, [parameters[piece.text] for piece in split(sql) if piece.is_parameter]


def to_numbered(sql: str, parameters: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """For asyncpg: `$1`, one value for each name."""
    names = list(dict.fromkeys(piece.text for piece in split(sql) if piece.is_parameter))
    numbers = {name: f"${index}" for index, name in enumerate(names, 1)}
    text = "".join(
        numbers[piece.text] if piece.is_parameter else piece.text for piece in split(sql)
    )
    return text, [parameters[name] for name in names]


def to_colons(sql: str) -> str:
    """For SQLAlchemy's `text()`: every colon that is not a parameter's is escaped."""
    return "".join(
        f":{piece.text}" if piece.is_parameter else piece.text.replace(":", r"\:")
        for piece in split(sql)
    )
