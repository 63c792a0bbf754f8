"""A scan knows where it is, notices circles of any length, and says when nothing may be deleted."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_sync.model.pages import Page
from leasehold_sync.model.scans import Scan

START = datetime(2026, 1, 1, tzinfo=UTC)


def page(next_cursor: str | None, **said: Any) -> Page:
    return Page(version="1", next_cursor=next_cursor, **said)


@given(before=st.integers(0, 40), length=st.integers(1, 40))
def test_a_circle_of_any_length_is_noticed_within_four_rounds(before: int, length: int) -> None:
    scan = Scan(started_at=START)
    for step in range(4 * (before + length) + 4):
        place = step if step < before else before + (step - before) % length
        following = page(str(place))
        if scan.is_circling(following):
            return
        scan = scan.after(following)
    raise AssertionError(f"a circle of {length} after {before} pages was not noticed")


@given(pages=st.integers(1, 200))
def test_a_scan_that_gets_on_is_never_taken_for_a_circle(pages: int) -> None:
    scan = Scan(started_at=START)
    for step in range(pages):
        following = page(str(step))
        assert not scan.is_circling(following)
        scan = scan.after(following)
    assert (scan.pages, scan.is_read) == (pages, False)


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ([page(None, complete=True)], None),
        ([page(None)], "did not see everything"),
        ([page("1", capped=True), page(None, complete=True)], "would not show everything"),
        ([page("1", nameless=2), page(None, complete=True)], "2 objects had no id"),
    ],
)
def test_only_a_whole_scan_without_flaws_lets_the_rest_be_gone(
    pages: list[Page], reason: str | None
) -> None:
    scan = Scan(started_at=START)
    for each in pages:
        scan = scan.after(each)
    assert scan.is_read
    why = scan.why_not_delete()
    assert why is None if reason is None else reason in (why or "")


def test_a_scan_survives_being_saved() -> None:
    scan = Scan(started_at=START, since=START).after(page("a")).after(page("b"))
    assert msgspec.convert(msgspec.json.decode(msgspec.json.encode(scan)), Scan) == scan
