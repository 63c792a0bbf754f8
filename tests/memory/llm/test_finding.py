"""JSON is found wherever a model put it, and no text costs more than it may."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_memory.llm.finding import find_document

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(string.ascii_letters + "{}[]\"'あ", max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(string.ascii_lowercase, min_size=1, max_size=4), inner, max_size=3
        )
    ),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1)


@given(
    DOCUMENTS,
    st.sampled_from(["{}", "```json\n{}\n```", "Sure!\n\n{}\n\nBye.", "<think>{{</think>{}"]),
)
def test_a_whole_document_is_found_as_it_was_written(document: dict[str, Any], around: str) -> None:
    begin, _, end = around.replace("{{", "\0").partition("{}")
    written = f"{begin}{json.dumps(document)}{end}".replace("\0", "{")

    assert find_document(written) == document


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ('{"a": [1, 2,], }', {"a": [1, 2]}),
        ("{'a': True, b: None}", {"a": True, "b": None}),
        ('Here {it} is: {"a": 1} {done}', {"a": 1}),
        ('{"x": 1} and the answer {"a": [1, 2, 3, 4]}', {"a": [1, 2, 3, 4]}),
        ('[{"a": 1}]', [{"a": 1}]),
        ('{"a": "one\\u0000two\\ud800", "b": " c "}', {"a": "onetwo", "b": "c"}),
        ("no JSON at all", None),
        ("", None),
        ("}{", None),
    ],
)
def test_what_is_a_bit_broken_is_mended_and_what_is_none_is_none(written: str, found: Any) -> None:
    assert find_document(written) == found


@pytest.mark.parametrize(
    "text",
    [
        "{" * 50_000,
        "[" * 9_000,
        '{"a":' * 2_000,
        "{x " * 3_000,
        '{"a":' + "(" * 9_000,
        '{"a":"' + '\\"' * 4_000,
    ],
)
def test_a_text_that_would_take_long_to_mend_is_given_up(text: str) -> None:
    assert find_document(text) is None


@given(st.text(alphabet='{}[]",:\\ab1 \n', max_size=80))
def test_any_text_gives_a_document_or_none(text: str) -> None:
    assert isinstance(find_document(text), dict | list | None)
