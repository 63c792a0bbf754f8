"""Dates as browsers and services write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leasehold_links.model.dates import read_date

MOMENT = datetime(2023, 6, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "1685620800",
        "1685620800000",
        "1685620800000000",
        "13330094400000000",
        "1685620800000000000",
        "1685620800.0",
        " 1685620800 ",
    ],
)
def test_any_unit_is_the_same_moment(text: str) -> None:
    assert read_date(text) == MOMENT


@pytest.mark.parametrize(
    "text", [None, "", "0", "-1", "junk", "nan", "inf", "1e400", "12", "9" * 40, "2023-06-01"]
)
def test_what_is_no_date_is_none(text: str | None) -> None:
    assert read_date(text) is None
