"""What a paper is, by what it says about itself."""

from __future__ import annotations

import pytest

from leasehold_documents.classifying import DOC_TYPES, rules
from leasehold_documents.classifying.bayes import Lesson, features, guess
from leasehold_documents.classifying.classify import agree
from leasehold_documents.classifying.values import Guess, Suggested
from leasehold_documents.model.filing import DEFAULT_PLACES, Place
from tests.documents.classifying.papers import EXPERT, MINUTES, TYPICAL


@pytest.mark.parametrize(
    ("doc_type", "text"), [(kind, text) for kind, texts in TYPICAL.items() for text in texts]
)
def test_a_typical_paper_is_recognized_surely_enough_to_be_filed(doc_type: str, text: str) -> None:
    found = rules.guess(text)
    assert found is not None
    assert found.doc_type == doc_type
    assert found.confidence >= 0.85


def test_what_fits_two_types_is_shown_to_people() -> None:
    found = rules.guess("Kündigung des Mietvertrags\nSehr geehrter Herr Vermieter, wir ziehen aus.")
    assert found is not None
    assert found.doc_type == "Kündigung"
    assert 0.6 <= found.confidence < 0.85


@pytest.mark.parametrize("text", ["", "Lorem ipsum dolor", "12345 ;-)", EXPERT])
def test_a_paper_that_says_nothing_of_itself_is_not_guessed_at(text: str) -> None:
    found = rules.guess(text)
    assert found is None or found.confidence < 0.6


def test_a_word_far_down_is_no_title() -> None:
    found = rules.guess("Protokoll der Sitzung. " * 20 + "Es ging um eine Rechnung.")
    assert found is None or found.confidence < 0.6


def test_every_type_has_a_place_in_a_new_tenants_tree() -> None:
    assert set(DOC_TYPES) <= set(_types(DEFAULT_PLACES))


def _types(places: tuple[Place, ...]) -> list[str | None]:
    return [kind for place in places for kind in (place.doc_type, *_types(place.below))]


def _lessons(doc_type: str, pattern: str, count: int) -> list[Lesson]:
    texts = (pattern.format(day=day) for day in range(1, count + 1))
    return [Lesson(doc_type, features(text)) for text in texts]


@pytest.mark.parametrize(("count", "state"), [(1, "inbox"), (2, "review"), (8, "filed")])
def test_the_more_was_decided_the_surer_it_gets(count: int, state: str) -> None:
    lessons = _lessons("Gutachten", EXPERT, count) + _lessons("Protokoll", MINUTES, count)
    found = guess(lessons, features(EXPERT.format(day=27)))
    assert found is not None
    assert found.doc_type == "Gutachten"
    assert Suggested(doc_type="Gutachten", confidence=found.confidence).state == state


def test_one_type_alone_teaches_nothing_and_neither_do_unknown_words() -> None:
    lessons = _lessons("Gutachten", EXPERT, 8)
    assert guess(lessons, features(EXPERT)) is None
    both = lessons + _lessons("Protokoll", MINUTES, 8)
    assert guess(both, features("Völlig andere Wörter")) is None
    mixed = guess(both, features(f"Sachverständige {' '.join(f'neu{n}es' for n in range(3))} " * 3))
    assert mixed is None or mixed.confidence < 0.95


def test_a_type_of_few_lessons_is_found_beside_one_of_many() -> None:
    lessons = _lessons("Gutachten", EXPERT, 100) + _lessons("Protokoll", MINUTES, 6)
    found = guess(lessons, features(MINUTES.format(day=9)))
    assert found is not None
    assert found.doc_type == "Protokoll"


def test_no_number_of_a_paper_is_kept_as_a_feature() -> None:
    words = features("IBAN DE89 3704 0044 0532 0130 00, Müller Müller, a@b.de 1a2b3c")
    assert all(word.isalpha() for word in words)
    assert max(words, key=lambda word: words[word]) == "mull"


@pytest.mark.parametrize(
    ("by_rule", "learnt", "doc_type", "state"),
    [
        (Guess("A", 0.7), None, "A", "review"),
        (None, Guess("B", 0.9), "B", "filed"),
        (Guess("A", 0.7), Guess("A", 0.7), "A", "filed"),
        (Guess("A", 0.95), Guess("B", 0.86), "B", "filed"),
        (Guess("A", 0.86), Guess("B", 0.5), "A", "review"),
        (Guess("A", 0.5), Guess("B", 0.7), "B", "review"),
    ],
)
def test_what_people_decided_outweighs_what_papers_usually_say(
    by_rule: Guess | None, learnt: Guess | None, doc_type: str, state: str
) -> None:
    found = agree(by_rule, learnt)
    assert found is not None
    suggested = Suggested(doc_type=found.doc_type, confidence=found.confidence)
    assert (suggested.doc_type, suggested.state) == (doc_type, state)
