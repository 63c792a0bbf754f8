"""Payloads are kept in one spelling, which any database takes, and by which they are compared."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from leasehold_sync.model.payloads import write_payload

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=6))
def test_the_order_of_fields_makes_no_difference(payload: dict[str, Any]) -> None:
    turned = dict(reversed(payload.items()))
    assert write_payload(turned) == write_payload(payload)


@given(st.dictionaries(st.text(), JSON, max_size=6))
def test_what_is_written_has_no_nul_and_is_what_was_given_but_for_that(
    payload: dict[str, Any],
) -> None:
    text = write_payload(payload).raw.decode()
    assert "\\u0000" not in text.replace("\\\\", "")
    if "\0" not in repr(payload) and "\\x00" not in repr(payload):
        assert json.loads(text) == payload


def test_whole_numbers_are_kept_however_large() -> None:
    assert json.loads(write_payload({"amount": 10**40}).raw.decode()) == {"amount": 10**40}


def test_half_a_character_is_replaced() -> None:
    assert json.loads(write_payload({"name": "a\ud800b"}).raw.decode()) == {"name": "a?b"}
