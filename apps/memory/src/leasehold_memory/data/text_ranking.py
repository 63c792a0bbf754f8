"""Which units share words with a question, ranked by bm25: a rare word says more.

Ranking looks at every unit that has one of the words, counting them costs next to nothing. So of
very many units only those with the rarer words of the question are ranked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from leasehold.kit.data import driver_connection
from leasehold_memory.data.text_index import quoted
from leasehold_memory.model.stop_words import is_stop_word
from leasehold_memory.model.units import UnitKind
from leasehold_memory.model.words import normalise_text, runs_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

# All on the driver's connection: each chat asks several times, and somebody waits for it.
_RANKED = """
SELECT rowid
FROM unit_words
WHERE unit_words MATCH ?
ORDER BY rank
LIMIT ?
"""
_NEWEST = "SELECT max(id) FROM units"
_COUNTED = "SELECT count(*) FROM unit_words WHERE unit_words MATCH ?"
_MOST_TERMS = 32  # of a question: a long one is not answered better by all its words
_MOST_RANKED = 10_000  # units, about: some 15 ms


def search(
    connection: Connection,
    terms: Sequence[str],
    *,
    kinds: Collection[UnitKind] = (),
    limit: int = 50,
) -> list[int]:
    """Return the units that have some of the terms, the best first; of no `kinds` means of all.

    Where most units are of a kind that is asked for, others may be among them.
    """
    wanted = _of(kinds)
    kept = _rarer(connection, [f"{term}{wanted}" for term in terms])
    if not kept:
        return []
    match = " OR ".join(f"({term})" for term in kept)
    return [
        unit_id for (unit_id,) in driver_connection(connection).execute(_RANKED, (match, limit))
    ]


def terms_of(query: str) -> list[str]:
    """Write the words of a question, each for a match.

    Stop words are left out unless there are no others; of very many, the longer ones are kept.
    """
    runs = runs_of(normalise_text(query))
    words = {word: None for run in runs for word in (*run.pairs, *run.words)}
    telling = [word for word in words if not is_stop_word(word)] or [*words]
    telling = sorted(telling, key=len, reverse=True)[:_MOST_TERMS]
    alone = {run.text: None for run in runs if run.is_unspaced and not run.pairs}
    return [
        *(f"words : {quoted(word)}" for word in telling),
        *(f"singles : {quoted(word)}" for word in [*alone][:_MOST_TERMS]),
    ]


def _of(kinds: Collection[UnitKind]) -> str:
    """Write which kinds are wanted; not for episodes, as nearly all units are."""
    if not kinds or UnitKind.EPISODE in kinds:
        return ""
    return f" AND kind : ({' OR '.join(f'kind{int(kind)}' for kind in sorted(kinds))})"


def _rarer(connection: Connection, terms: list[str]) -> list[str]:
    """Leave out the most frequent words, as far as there are more units than can be ranked."""
    driver = driver_connection(connection)
    if (driver.execute(_NEWEST).fetchone()[0] or 0) <= _MOST_RANKED // 2:
        return terms
    counted = sorted((driver.execute(_COUNTED, (term,)).fetchone()[0], term) for term in terms)
    kept: list[str] = []
    ranked = 0
    for count, term in counted:
        ranked += count
        if kept and ranked > _MOST_RANKED:
            break
        kept.append(term)
    return kept
