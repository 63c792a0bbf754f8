"""The table of outcomes, row by row."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leasehold_links.model.outcomes import (
    Past,
    Reason,
    Step,
    Verdict,
    judge_robots,
    judge_status,
    pause_of,
)

NOW = datetime(2023, 6, 1, 12, tzinfo=UTC)
FRESH = Past()


def judge(status: int, retry_after: str | None = None, past: Past = FRESH) -> Verdict:
    return judge_status(status, retry_after=retry_after, past=past, now=NOW)


@pytest.mark.parametrize("status", [200, 201, 203, 206, 299])
def test_what_came_is_taken(status: int) -> None:
    assert judge(status).is_good


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (400, Reason.CLIENT_ERROR),
        (401, Reason.UNAUTHORISED),
        (402, Reason.PAYMENT),
        (404, Reason.NOT_FOUND),
        (405, Reason.CLIENT_ERROR),
        (410, Reason.GONE),
        (418, Reason.CLIENT_ERROR),
        (451, Reason.LEGAL),
        (100, Reason.ODD_STATUS),
        (304, Reason.ODD_STATUS),
        (999, Reason.ODD_STATUS),
    ],
)
def test_what_will_not_change_is_not_asked_again(status: int, reason: Reason) -> None:
    assert judge(status) == Verdict(Step.DIE, reason)


@pytest.mark.parametrize("status", [500, 501, 502, 504, 520, 599])
def test_what_may_pass_is_tried_once_more(status: int) -> None:
    assert judge(status) == Verdict(Step.FAIL, Reason.SERVER_ERROR)


def test_a_first_403_is_tried_once_more() -> None:
    assert judge(403) == Verdict(Step.FAIL, Reason.FORBIDDEN)
    assert judge(403, past=Past(forbidden_addresses=1)).step is Step.FAIL


def test_the_third_address_with_403_tells_of_the_domain() -> None:
    verdict = judge(403, past=Past(forbidden_addresses=2))
    assert verdict == Verdict(Step.DIE, Reason.FORBIDDEN, is_candidate=True)


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_left_alone(status: int) -> None:
    assert judge(status) == Verdict(Step.SNOOZE, Reason.BUSY, pause_seconds=300.0)
    assert judge(status, "3600").pause_seconds == 3600.0


@pytest.mark.parametrize("past", [Past(snoozes=5), Past(snoozing_seconds=86_400.0)])
def test_a_server_that_is_always_busy_fails(past: Past) -> None:
    assert judge(429, past=past).step is Step.FAIL


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        (None, 300),
        ("", 300),
        ("1", 300),
        ("600", 600),
        ("999999999999999999999", 86_400),
        ("-5", 300),
        ("1e9", 300),
        ("soon", 300),
        ("Thu, 01 Jun 2023 13:00:00 GMT", 3600),
        ("Thu, 01 Jun 2023 11:00:00 GMT", 300),
        ("Fri, 01 Jun 2040 11:00:00 GMT", 86_400),
        ("Thu, 01 Jun 2023 13:00:00 -0000", 3600),
        ("Thu, 99 Jun 99999", 300),
    ],
)
def test_how_long_a_server_asks_for_is_believed_within_bounds(
    text: str | None, seconds: float
) -> None:
    assert pause_of(text, NOW) == seconds


@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 410])
def test_without_rules_all_is_allowed(status: int) -> None:
    assert judge_robots(status) is None


@pytest.mark.parametrize("status", [None, 500, 503])
def test_rules_that_can_not_be_had_forbid_for_now(status: int | None) -> None:
    assert judge_robots(status) == Verdict(Step.FAIL, Reason.ROBOTS_UNREACHABLE)
