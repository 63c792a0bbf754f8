"""What jobs hold is shown as text: whole, in its own direction, with nothing hidden."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.web.dashboard.texts import block, compact, is_cut, plain, reveal, short

TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


@given(st.text())
def test_no_markup_comes_out_that_is_not_ours(text: str) -> None:
    shown = str(reveal(text)).replace('<span class="hidden-character" title="', "")
    for ours in ("</span>", '">'):
        shown = shown.replace(ours, "")
    assert "<" not in shown
    assert '"' not in shown
    assert "'" not in shown


@given(st.text(alphabet=st.sampled_from(TURNS + "\x00\x01\x1b\x7f\x85\u200b\u2028\ufeffab<")))
def test_what_hides_or_turns_never_comes_out(text: str) -> None:
    for shown in (str(reveal(text)), str(short(text)), str(block(text)), plain(text)):
        assert not set(shown) & set(TURNS + "\x00\x01\x1b\x7f\x85\u200b\u2028\ufeff")


def test_a_control_character_has_its_picture_and_its_name() -> None:
    assert "␛" in reveal("\x1b[31m")
    assert 'title="U+202E right-to-left override">⟨202E⟩' in reveal("a\u202eb")


def test_lines_and_tabs_stay_in_a_block_and_become_spaces_on_one_line() -> None:
    assert str(block("a\n\tb")) == "a\n\tb"
    assert str(short("a\n\tb")) == "<bdi>a b</bdi>"


def test_long_texts_are_cut_and_say_so() -> None:
    assert str(short("x" * 200, 10)) == f"<bdi>{'x' * 9}…</bdi>"
    assert is_cut("x" * 5_000)
    assert not is_cut("x" * 100)
    assert len(block("x" * 5_000)) == 4_000


@pytest.mark.parametrize(
    ("value", "shown"), [({"a": 1, "b": "ü"}, 'a=1, b="ü"'), ([1], "[1]"), (None, "null"), ({}, "")]
)
def test_arguments_are_written_as_a_call_has_them(value: object, shown: str) -> None:
    assert compact(value) == shown
