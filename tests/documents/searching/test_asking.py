"""What is typed is read as a person means it; what can't be looked for is said."""

from __future__ import annotations

import pytest

from leasehold_documents.errors import Rejected
from leasehold_documents.searching.asking import Every, Phrase, Plain, Prefix, Term, understand


def _told(term: Term) -> str:
    match term:
        case Plain():
            return term.folded
        case Prefix():
            return f"{term.folded}*"
        case Phrase():
            return f"<{' '.join(term.stems)}>" + (f"={term.whole}" if term.whole else "")


def _group(every: Every) -> str:
    unwanted = [f"-{_told(term)}" for term in every.unwanted]
    return " ".join([*map(_told, every.wanted), *unwanted])


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Miete Pacht", "miete pacht"),
        ("miete oder Pacht garage", "miete / pacht garage"),
        ("miete | pacht OR garage", "miete / pacht / garage"),
        ("oder miete oder", "miete"),
        ("miete miete oder miete", "miete"),
        ("-pacht miete", "miete -pacht"),
        ("miete - pacht", "miete pacht"),
        ("miet-vertrag", "<miet vertrag>=mietvertrag"),
        ("die miete", "miete"),
        ("die der", "die der"),
        ("die -miete", "die -miete"),
        ("Größe*", "groesse*"),
        ("2024/08*", "<2024> 08*"),
        ("*", None),
        ('"die Miete', "<die miet>"),
        ('-"die Miete" pacht', "pacht -<die miet>"),
        ("«Miete» “Pacht”", "<miet> <pacht>"),
        ("-miete", None),
        ("-miete oder pacht", "pacht"),
        ("", None),
        ('"" - ! ()', None),
    ],
)
def test_signs_are_read_as_people_use_them(typed: str, read: str | None) -> None:
    if read is None:
        with pytest.raises(Rejected, match="EMPTY_QUERY"):
            understand(typed)
        return
    assert " / ".join(map(_group, understand(typed).either)) == read


@pytest.mark.parametrize("typed", ["a" * 1_001, " ".join(f"wort{n}" for n in range(33))])
def test_what_is_too_long_is_refused_without_asking_a_database(typed: str) -> None:
    with pytest.raises(Rejected, match="QUERY_TOO_LONG"):
        understand(typed)
