"""An answer is of the shape that was asked for in every length, range and word, or it is none."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from leasehold_memory.llm import Prompt, prompts
from leasehold_memory.llm.fitting import fit
from leasehold_memory.model import answers
from leasehold_memory.model.answers import MOST_ITEMS, Answer, Entities, Facts, Loops, Reflection
from leasehold_memory.model.predicates import MEANINGS, Predicate
from tests.memory.llm.asking import said

FACT = {"subject": "user", "predicate": "likes", "object": "tea", "confidence": 0.9}


@pytest.mark.parametrize(
    "change",
    [
        {"predicate": "is_admin"},
        {"predicate": None},
        {"subject": ""},
        {"subject": "x" * 81},
        {"object": "x" * 301},
        {"object": ["tea"]},
        {"confidence": 1.1},
        {"confidence": "very"},
    ],
)
def test_a_fact_that_is_none_is_dropped_and_counted(change: dict[str, Any]) -> None:
    found = fit(Facts, {"facts": [FACT, FACT | change, FACT]})

    assert ([each.object for each in found.facts], found.dropped) == (["tea", "tea"], 1)


def test_a_number_in_quotes_is_a_number_and_what_nobody_asked_for_is_left_out() -> None:
    found = fit(Facts, {"facts": [FACT | {"confidence": "0.4", "note": "x"}], "dropped": 7})

    assert (found.facts[0].confidence, found.dropped) == (0.4, 0)


def test_a_bad_alias_costs_the_alias_and_not_the_person() -> None:
    person = {"kind": "person", "name": "花子", "aliases": ["花ちゃん", "", 7]}

    found = fit(Entities, {"entities": [person]})

    assert (found.entities[0].aliases, found.dropped) == (["花ちゃん"], 2)


def test_a_list_without_end_is_cut_and_counted() -> None:
    found = fit(Facts, {"facts": [FACT] * (MOST_ITEMS + 5)})

    assert (len(found.facts), found.dropped) == (MOST_ITEMS, 5)


def test_a_bare_list_is_taken_for_the_list_that_was_asked_for() -> None:
    assert len(fit(Facts, [FACT, FACT]).facts) == 2


@pytest.mark.parametrize("due", ["2026-02-30", "tomorrow", 5])
def test_a_loop_with_a_day_that_there_is_not_is_dropped(due: Any) -> None:
    assert fit(Loops, {"loops": [{"text": "x", "due_on": due}]}).dropped == 1


@pytest.mark.parametrize(
    ("schema", "document"),
    [
        (Facts, {}),
        (Facts, {"facts": "none"}),
        (Facts, {"facts": ["Emma lives in Berlin"]}),
        (Facts, "facts"),
        (Facts, None),
        (Reflection, {"summary": "x", "emotion": "hungry"}),
        (Reflection, {"summary": "x", "intensity": 2}),
        (Reflection, {"summary": "x", "sensitivity": "public"}),
        (Reflection, {"summary": "x" * 301}),
        (answers.Summary, {"summary_text": ""}),
    ],
)
def test_what_is_not_of_the_shape_is_refused(schema: type[Answer], document: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        fit(schema, document)


def test_an_answer_is_kept_without_the_count_of_what_was_dropped() -> None:
    found = fit(answers.Summary, {"summary_text": "x", "key_events": ["a", ""]})

    assert found.dropped == 1
    assert answers.document_of(found) == {
        "summary_text": "x",
        "key_events": ["a"],
        "bond_state": "",
    }


@pytest.mark.parametrize(
    ("schema", "prompt"),
    [
        (Reflection, prompts.reflect(said("x"))),
        (answers.FoundEntity, prompts.entities(said("x"))),
        (answers.FoundFact, prompts.facts(said("x"))),
        (answers.FoundLoop, prompts.loops(said("x"))),
        (answers.Summary, prompts.bond([said("x")], scope_key="rolling:7d")),
        (answers.Summary, prompts.person("花子", ["x"], [said("x")])),
        (answers.Summary, prompts.topic("AI", ["x"], [said("x")])),
        (answers.Capsule, prompts.capsule([said("x")])),
    ],
)
def test_a_prompt_names_every_field_that_its_answer_may_have(
    schema: type[msgspec.Struct], prompt: Prompt
) -> None:
    fields = {each.name for each in msgspec.structs.fields(schema)} - {"dropped"}

    assert all(f'"{name}"' in prompt.instructions for name in fields)


def test_every_predicate_has_a_meaning_and_stands_in_the_prompt() -> None:
    instructions = prompts.facts(said("x")).instructions

    assert set(MEANINGS) == set(Predicate)
    assert all(f"- {each.value}: " in instructions for each in Predicate)
