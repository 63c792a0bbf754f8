"""Words are the same words, however they are written, divided or spelled out."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_documents.model.stop_words import STOP_WORDS
from leasehold_documents.model.words import LONGEST, fold, is_english, joined, tidy, words_of

SPELLED_OUT: dict[int, int | str | None] = {
    ord(letter): letters
    for letter, letters in {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "ß": "ss",
        "Ä": "AE",
        "Ö": "Oe",
    }.items()
}
LETTERS = st.text("abcdefghinorstuäöüßÄÖÜéñAZ", min_size=1, max_size=20)


def _folded(text: str) -> list[str]:
    return [word.folded for word in words_of(tidy(text))]


@given(word=LETTERS)
def test_a_word_with_umlauts_is_the_one_that_is_spelled_out(word: str) -> None:
    spelled = word.translate(SPELLED_OUT)
    first, second = (next(words_of(tidy(each))) for each in (word, spelled))
    assert (first.folded, first.stem) == (second.folded, second.stem)


@given(text=st.text(max_size=200))
def test_composed_and_decomposed_text_has_the_same_words(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert _folded(composed) == _folded(decomposed)


@given(text=st.text(max_size=200))
def test_what_is_kept_of_a_word_means_nothing_to_a_database(text: str) -> None:
    for word in words_of(tidy(text)):
        for kept in (word.folded, word.stem):
            assert kept.isalnum()
            assert len(kept) <= LONGEST
            assert fold(kept) == kept


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Kündigungs-\nbestätigung", ["kuendigungsbestaetigung"]),
        ("Kündigungs- \n  bestätigung", ["kuendigungsbestaetigung"]),
        ("Neben\u00adkosten\u00ad\nabrechnung", ["nebenkostenabrechnung"]),
        ("Miet-\nVertrag", ["miet", "vertrag"]),
        ("Miet-\nund Kaufvertrag", ["miet", "und", "kaufvertrag"]),
        ("Miet- und Kaufvertrag", ["miet", "und", "kaufvertrag"]),
        ("Haus-\nnummer-\nliste", ["hausnummerliste"]),
        ("snake_case 1.234,56 a@b.de", ["snake", "case", "1", "234", "56", "a", "b", "de"]),
        ("\ufb01nden \u00bd m\u00b2 \uff21", ["finden", "12", "m2", "a"]),
        ("", []),
    ],
)
def test_what_was_divided_is_one_word_again(text: str, words: list[str]) -> None:
    assert _folded(text) == words


@pytest.mark.parametrize(
    ("text", "wholes"),
    [
        ("ein Miet-Vertrag", ["mietvertrag"]),
        ("E-Mail-Adresse und T-Shirt", ["emailadresse", "tshirt"]),
        ("Miet - Vertrag, Miet-, -Vertrag", []),
    ],
)
def test_what_stands_with_hyphens_is_also_one_word(text: str, wholes: list[str]) -> None:
    assert [*joined(text, [*words_of(text)])] == wholes


def test_a_text_is_english_by_its_small_words() -> None:
    assert is_english([*words_of("This is the agreement of the parties.")])
    assert not is_english([*words_of("Das ist die Vereinbarung der Parteien.")])
    assert not is_english([*words_of("Download Update Service")])


def test_small_words_are_folded_as_they_are_looked_for() -> None:
    assert {fold(word) for word in STOP_WORDS} == STOP_WORDS
