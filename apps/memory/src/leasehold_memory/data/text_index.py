"""The words of all units: each is found, in any language and of any length.

`unit_trigrams` finds a row of three or more characters anywhere in a text. `unit_words` finds
words by their stem, pairs of Japanese characters and single ones, and knows which are rare: by it
hits are ranked. Both are written with the unit, and a trigger forgets a unit that is deleted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sqlalchemy import BindParameter, ColumnElement, and_, bindparam, text, true

from leasehold_memory.data.tables import unit
from leasehold_memory.model.words import Run, normalise_text, runs_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

RELATIONS = ("unit_trigrams", "unit_words")

# Texts come normalised: the tokenizers have no letters to fold. `ascii` takes all but ASCII's signs
# for letters, and gets none of those.
_MAKE = (
    "CREATE VIRTUAL TABLE unit_trigrams USING fts5(text, tokenize = 'trigram case_sensitive 1')",
    "CREATE VIRTUAL TABLE unit_words USING fts5(words, singles, kind, tokenize = 'porter ascii')",
    "INSERT INTO unit_words (unit_words, rank) VALUES ('rank', 'bm25(1.0, 0.5, 0.0)')",
    """
    CREATE TRIGGER units_gone
    AFTER DELETE ON units
    BEGIN
      DELETE FROM unit_trigrams WHERE rowid = old.id;
      DELETE FROM unit_words WHERE rowid = old.id;
    END
    """,
)
_PUT_TRIGRAMS = text("INSERT INTO unit_trigrams (rowid, text) VALUES (:unit_id, :text)")
_PUT_WORDS = text("""
INSERT INTO unit_words (rowid, words, singles, kind)
SELECT id, :words, :singles, 'kind' || kind
FROM units
WHERE id = :unit_id
""")
_REMOVE = (
    text("DELETE FROM unit_trigrams WHERE rowid = :unit_id"),
    text("DELETE FROM unit_words WHERE rowid = :unit_id"),
)
_EMPTY = (text("DELETE FROM unit_trigrams"), text("DELETE FROM unit_words"))
_MERGE = (
    text("INSERT INTO unit_trigrams (unit_trigrams) VALUES ('optimize')"),
    text("INSERT INTO unit_words (unit_words) VALUES ('optimize')"),
)
_TEXT = text("SELECT text FROM unit_trigrams WHERE rowid = :unit_id")
_OF_TRIGRAMS = "SELECT rowid FROM unit_trigrams WHERE unit_trigrams MATCH :a"
_OF_WORDS = "SELECT rowid FROM unit_words WHERE unit_words MATCH :a"
_SOMEWHERE = """
SELECT rowid
FROM unit_trigrams
WHERE rowid > (SELECT max(id) FROM units) - :a AND instr(text, :b) > 0
"""
_LOOKED_THROUGH = 20_000  # of the newest units, for what is no word
_TRIGRAM = 3


def make_text_index(connection: Connection) -> None:
    """Make it, for tables that stand already."""
    for statement in _MAKE:
        connection.exec_driver_sql(statement)


def put(connection: Connection, unit_id: int, content: str) -> None:
    """Let a unit that is stored be found by this text, and by no earlier one."""
    normalised = normalise_text(content)
    known = connection.scalar(_TEXT, {"unit_id": unit_id})
    if known == normalised:
        return
    if known is not None:
        remove(connection, unit_id)
    runs = runs_of(normalised)
    words = " ".join(word for run in runs for word in (*run.pairs, *run.words))
    singles = " ".join(each for run in runs if run.is_unspaced for each in run.text)
    connection.execute(_PUT_TRIGRAMS, {"unit_id": unit_id, "text": normalised})
    connection.execute(_PUT_WORDS, {"unit_id": unit_id, "words": words, "singles": singles})


def remove(connection: Connection, unit_id: int) -> None:
    """Let it be found no more; one that is deleted is removed by itself."""
    for statement in _REMOVE:
        connection.execute(statement, {"unit_id": unit_id})


def merge(connection: Connection) -> None:
    """Write the index anew, without the words of what was removed: they stay in it till then."""
    for statement in _MERGE:
        connection.execute(statement)


def rebuild(connection: Connection, contents: Iterable[tuple[int, str]]) -> None:
    """Forget all and put these texts of units."""
    for statement in _EMPTY:
        connection.execute(statement)
    for unit_id, content in contents:
        put(connection, unit_id, content)
    merge(connection)


def containing(query: str) -> ColumnElement[bool]:
    """Return the condition on `units.id` that its text has every word of the query somewhere.

    Words are what stands between spaces, and may be parts of longer ones. One or two signs, or one
    or two letters inside of a word of a language with spaces, are looked for in the newest units.
    """
    words = dict.fromkeys(normalise_text(query).split())
    return and_(true(), *(_having(word) for word in words))


def _having(word: str) -> ColumnElement[bool]:
    if len(word) >= _TRIGRAM:
        return _among(_OF_TRIGRAMS, a=quoted(word))
    somewhere = _among(_SOMEWHERE, a=_LOOKED_THROUGH, b=word)
    match [run for run in runs_of(word) if run.text == word]:
        case [Run(is_unspaced=False)]:
            return _among(_OF_WORDS, a=f"words : {quoted(word)} *") | somewhere
        case [run]:
            return _among(_OF_WORDS, a=f"{'words' if run.pairs else 'singles'} : {quoted(word)}")
    return somewhere


def _among(statement: str, **values: object) -> ColumnElement[bool]:
    binds: list[BindParameter[Any]] = [
        bindparam(name, value, unique=True) for name, value in values.items()
    ]
    return unit.c.id.in_(text(statement).bindparams(*binds).columns(unit.c.id))


def quoted(word: str) -> str:
    """Write a word for a match, so that no sign in it means anything."""
    return '"' + word.replace('"', '""') + '"'
