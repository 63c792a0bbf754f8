"""How long a server asks to wait is read however it says so, and never believed too much."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from leasehold_memory.llm.wire import retry_after


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("17", 17.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("999999", 3600.0),
        ("inf", 3600.0),
        ("nan", None),
        ("", None),
        ("soon", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
    ],
)
def test_seconds_to_wait_are_within_an_hour(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}) == seconds


def test_a_date_to_wait_for_is_counted_from_now() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)

    assert retry_after({"retry-after": date}) == pytest.approx(60, abs=5)
