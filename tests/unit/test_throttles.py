"""Throttles, keys and shares as code declares them: what can't be meant is refused at once."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import leasehold as lh
from leasehold.errors import BadOption
from leasehold.model.lanes import Pause, Rule
from leasehold.model.throttles import (
    By,
    ThrottleBy,
    ThrottleKey,
    check_amount,
    check_text,
    read_pause,
    text_of,
)

DOMAIN = lh.Throttle("domain", running=2)
MOMENT = datetime(2030, 1, 31, tzinfo=UTC)


def rule(**limits: Any) -> Rule:
    return lh.Throttle("api", **limits).rule


# -- rules ---------------------------------------------------------------------------------------
def test_a_throttle_is_a_rule_with_a_name() -> None:
    assert DOMAIN.rule == Rule(name="domain", running=2)
    assert (DOMAIN.name, repr(DOMAIN)) == ("domain", "<Throttle domain>")
    assert rule(per_worker=1) == Rule(name="api", per_worker=1)
    assert rule(running=0) == Rule(name="api", running=0)


@pytest.mark.parametrize(
    ("per", "per_second"),
    [("1s", 90.0), ("1m", 1.5), ("1h30m", 90 / 5_400), (0.5, 180.0), (timedelta(minutes=2), 0.75)],
)
def test_a_rate_is_kept_per_second(per: Any, per_second: float) -> None:
    made = rule(rate=90, per=per)
    assert made.rate == pytest.approx(per_second)
    assert made.burst == 90.0


def test_a_burst_is_the_rate_unless_given() -> None:
    assert rule(rate=90_000, per="1m").burst == 90_000
    assert rule(rate=90_000, per="1m", burst=9_000).burst == 9_000
    assert rule(running=1).burst is None


@pytest.mark.parametrize(
    ("name", "limits", "reason"),
    [
        ("a:b", {"running": 1}, "':' is between a throttle and its key"),
        ("@a", {"running": 1}, "'@' is put there by per_tenant=True"),
        ("@a", {"running": 1, "per_tenant": True}, "'@' is put there by per_tenant=True"),
        ("x" * 200, {"running": 1, "per_tenant": True}, "longer than 200"),
        ("", {"running": 1}, "throttle: '' is not a name"),
        ("a\x1fb", {"running": 1}, "is not a name; write printable text"),
        ("x" * 201, {"running": 1}, "longer than 200"),
        (7, {"running": 1}, "throttle: 7 is not a name"),
        ("api", {}, "throttle 'api' limits nothing: give running, per_worker or rate"),
        ("api", {"burst": 5}, "throttle 'api': burst needs a rate"),
        ("api", {"running": 1, "burst": 5}, "burst needs a rate"),
        ("api", {"running": -1}, "running: -1 is not a whole number from 0 on"),
        ("api", {"running": 1.5}, "running: 1.5 is not a whole number"),
        ("api", {"running": True}, "running: True is not a whole number"),
        ("api", {"running": "2"}, "running: '2' is not a whole number"),
        ("api", {"per_worker": -1}, "per_worker: -1 is not a whole number"),
        ("api", {"rate": 0}, "rate: 0 is not a number over 0"),
        ("api", {"rate": -1}, "rate: -1 is not a number over 0"),
        ("api", {"rate": math.inf}, "rate: inf is not a number over 0"),
        ("api", {"rate": math.nan}, "rate: nan is not a number over 0"),
        ("api", {"rate": True}, "rate: True is not a number over 0"),
        ("api", {"rate": "5/s"}, "rate: '5/s' is not a number over 0"),
        ("api", {"rate": 1, "burst": 0}, "burst: 0 is not a number over 0"),
        ("api", {"rate": 1, "burst": math.inf}, "burst: inf is not a number over 0"),
        ("api", {"rate": 1, "per": 0}, "per: must be longer than 0"),
        ("api", {"rate": 1, "per": "soon"}, "per: can't read 'soon'"),
    ],
)
def test_limits_that_can_not_be_meant_are_refused(
    name: Any, limits: dict[str, Any], reason: str
) -> None:
    with pytest.raises(BadOption) as caught:
        lh.Throttle(name, **limits)
    assert reason in str(caught.value)


def test_a_throttle_that_each_tenant_has_for_itself_says_so_in_its_name() -> None:
    each = lh.Throttle("domain", running=2, per_tenant=True)
    assert each.rule == Rule(name="@domain", running=2)
    assert each.key("a.com").text == "@domain:a.com"


# -- keys ----------------------------------------------------------------------------------------
def test_a_key_is_named_after_its_throttle() -> None:
    assert DOMAIN.key("a.com") == ThrottleKey(DOMAIN, "domain:a.com")
    assert DOMAIN.key("a.com:443").text == "domain:a.com:443"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "throttle key: '' is not a name"),
        ("a\nb", "is not a name"),
        (7, "throttle key: 7 is not a name"),
        ("x" * 194, "longer than 200"),
    ],
)
def test_a_key_that_can_not_be_used_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(BadOption) as caught:
        DOMAIN.key(value)
    assert reason in str(caught.value)


def test_a_key_may_be_as_long_as_fits() -> None:
    assert len(DOMAIN.key("x" * 193).text) == 200


def test_by_names_the_arguments_that_make_a_key_or_a_share() -> None:
    assert DOMAIN.by("host", "port") == ThrottleBy(DOMAIN, ("host", "port"))
    assert lh.by("user_id") == By(("user_id",))
    assert By(()) == lh.TENANT


@pytest.mark.parametrize("by", [DOMAIN.by, lh.by])
def test_by_of_no_name_is_refused(by: Any) -> None:
    with pytest.raises(BadOption, match=r"by\(7\): give the names of arguments as text"):
        by("host", 7)


def test_a_throttle_or_a_share_by_nothing_is_refused() -> None:
    with pytest.raises(BadOption, match="needs the name of an argument"):
        DOMAIN.by()
    with pytest.raises(BadOption, match="needs the name of an argument"):
        lh.task(name="greet", share=lh.by())


# -- values --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a.com", "a.com"),
        (7, "7"),
        (-7, "-7"),
        (1.5, "1.5"),
        (True, "true"),
        (False, "false"),
        ("7", "7"),
    ],
)
def test_values_become_text(value: Any, text: str) -> None:
    assert text_of(("host",), {"host": value, "other": None}) == text


def test_several_values_are_joined_in_the_order_named() -> None:
    assert text_of(("port", "host"), {"host": "a.com", "port": 443}) == "443:a.com"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "host: None can't be part of a key; it must be text or a number"),
        ({"host": None}, "host: None can't be part of a key"),
        ({"host": ["a.com"]}, "host: ['a.com'] can't be part of a key"),
        ({"host": {}}, "host: {} can't be part of a key"),
        ({"host": math.nan}, "host: nan can't be part of a key"),
        ({"host": math.inf}, "host: inf can't be part of a key"),
        ({"host": b"a"}, "can't be part of a key"),
        ({"host": ""}, "host: '' is not a name"),
        ({"host": "a\x1fb"}, "is not a name"),
        ({"host": "x" * 201}, "longer than 200"),
    ],
)
def test_values_without_plain_text_are_refused(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadOption) as caught:
        text_of(("host",), given)
    assert reason in str(caught.value)


@given(st.text(max_size=220))
def test_a_name_is_taken_whole_or_not_at_all(value: str) -> None:
    is_fine = 0 < len(value) <= 200 and value.isprintable()
    try:
        assert check_text("share", value) == value
    except BadOption:
        assert not is_fine
    else:
        assert is_fine


@pytest.mark.parametrize("value", [0, 1, 0.5, 1e12])
def test_an_amount_is_a_number_from_0_on(value: float) -> None:
    assert check_amount(value) == value
    assert isinstance(check_amount(value), float)


@pytest.mark.parametrize("value", [-1, -0.001, math.inf, math.nan, True, "5", None])
def test_what_can_not_be_spent_is_refused(value: Any) -> None:
    with pytest.raises(BadOption, match="is not an amount: a number from 0 on"):
        check_amount(value)


# -- pauses --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("until", "pause"),
    [
        (None, Pause()),
        ("10m", Pause(seconds=600.0)),
        (30, Pause(seconds=30.0)),
        (timedelta(hours=1), Pause(seconds=3_600.0)),
        (MOMENT, Pause(until=MOMENT)),
    ],
)
def test_a_pause_has_an_end_a_length_or_neither(until: Any, pause: Pause) -> None:
    assert read_pause(until, reason="", by=None) == pause


def test_a_pause_carries_its_reason_and_who_it_was() -> None:
    assert read_pause("1s", reason="429", by="ops") == Pause(seconds=1.0, reason="429", by="ops")


@pytest.mark.parametrize(
    ("until", "reason"),
    [
        (MOMENT.replace(tzinfo=None), "has no time zone"),
        ("tomorrow", "until: can't read 'tomorrow'"),
        (-1, "until: -1 is not between 0 and 100 years"),
        (True, "until: True is not a duration"),
    ],
)
def test_an_end_that_can_not_be_read_is_refused(until: Any, reason: str) -> None:
    with pytest.raises(BadOption) as caught:
        read_pause(until, reason=None, by=None)
    assert reason in str(caught.value)
