"""Rules name moments; what happens where a clock changes is declared, and is what happens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import pytest

from leasehold.errors import BadOption
from leasehold.model.cron import compile_rule, read_rule
from leasehold.model.zones import read_zone

GAP = datetime(2026, 3, 28, 22, 30, tzinfo=UTC)  # Berlin's clock goes from 2:00 to 3:00 on the 29th
FOLD = datetime(2026, 10, 24, 22, 30, tzinfo=UTC)  # … and from 3:00 to 2:00 on the 25th


def slots(
    rule: str, after: datetime, count: int, *, zone: str = "Europe/Berlin", dst: str = "auto"
) -> list[str]:
    """Write slots as the zone's wall clock shows them, with its offset."""
    found = islice(compile_rule(read_rule(rule), zone, dst)(after), count)
    return [f"{slot.astimezone(read_zone(zone)):%d %H:%M%z}"[:-2] for slot in found]


# -- fixed hours ----------------------------------------------------------------------------------
def test_a_fixed_hour_that_a_change_skips_is_run_once_right_after_it() -> None:
    assert slots("30 2 * * *", GAP, 2) == ["29 03:00+02", "30 02:30+02"]
    assert slots("*/15 2 * * *", GAP, 2) == ["29 03:00+02", "30 02:00+02"]


def test_what_is_made_up_for_coincides_with_a_slot_of_its_own_only_once() -> None:
    assert slots("0 2,3 * * *", GAP, 2) == ["29 03:00+02", "30 02:00+02"]


def test_a_fixed_hour_that_comes_twice_is_run_the_first_time() -> None:
    assert slots("30 2 * * *", FOLD, 2) == ["25 02:30+02", "26 02:30+01"]
    between = datetime(2026, 10, 25, 1, 10, tzinfo=UTC)  # 2:10 for the second time
    assert slots("30 2 * * *", between, 1) == ["26 02:30+01"]


def test_midnight_that_a_change_skips_is_run_at_the_first_moment_of_the_day() -> None:
    before = datetime(2026, 9, 5, 12, tzinfo=UTC)
    assert slots("@daily", before, 2, zone="America/Santiago") == ["06 01:00-03", "07 00:00-03"]


def test_a_whole_day_that_never_was_is_made_up_for_once() -> None:
    before = datetime(2011, 12, 29, 14, tzinfo=UTC)  # Samoa went from the 29th to the 31st
    assert slots("0 3 * * *", before, 3, zone="Pacific/Apia") == [
        "31 00:00+14",
        "31 03:00+14",
        "01 03:00+14",
    ]


# -- hours with a star or a step ------------------------------------------------------------------
@pytest.mark.parametrize("rule", ["*/15 * * * *", "30 * * * *", "0 0,30 * * * *"])
@pytest.mark.parametrize("start", [GAP, FOLD])
def test_a_rule_of_all_hours_goes_on_evenly_in_real_time(rule: str, start: datetime) -> None:
    found = list(islice(compile_rule(rule, "Europe/Berlin", "auto")(start), 200))
    steps = {later - earlier for earlier, later in pairwise(found)}
    assert len(steps) == 1, "none skipped, none doubled"


def test_a_step_of_hours_runs_whenever_the_wall_clock_shows_it() -> None:
    assert slots("0 */2 * * *", GAP, 2) == ["29 00:00+01", "29 04:00+02"]
    assert slots("0 */2 * * *", FOLD, 3) == ["25 02:00+02", "25 02:00+01", "25 04:00+01"]


# -- said otherwise -------------------------------------------------------------------------------
def test_a_schedule_may_say_otherwise() -> None:
    assert slots("30 2 * * *", GAP, 1, dst="skip") == ["30 02:30+02"]
    assert slots("30 2 * * *", FOLD, 2, dst="skip") == ["25 02:30+02", "26 02:30+01"]
    assert slots("30 2 * * *", GAP, 1, dst="through") == ["30 02:30+02"]
    assert slots("30 2 * * *", FOLD, 2, dst="through") == ["25 02:30+02", "25 02:30+01"]
    assert slots("0 */2 * * *", GAP, 3, dst="once") == ["29 00:00+01", "29 03:00+02", "29 04:00+02"]
    assert slots("0 * * * *", FOLD, 4, dst="once")[1:] == [
        "25 02:00+02",
        "25 03:00+01",
        "25 04:00+01",
    ]


# -- what can be written --------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rule", "same"),
    [
        ("@hourly", "0 * * * *"),
        ("@DAILY", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@weekly", "0 0 * * SUN"),
        ("@monthly", "0 0 1 * *"),
        ("@yearly", "0 0 1 JAN *"),
        ("@annually", "0 0 1 1 *"),
        ("0 9 * * mon-fri", "0 9 * * 1-5"),
        ("0 0 9 * * *", "0 9 * * *"),
        ("0  9 *\t* 7", "0 9 * * 0"),
        ("0 9 31 JAN,mar *", "0 9 L 1,3 *"),
    ],
)
def test_two_ways_to_write_the_same(rule: str, same: str) -> None:
    assert slots(rule, GAP, 20) == slots(same, GAP, 20)


def test_six_fields_begin_with_seconds() -> None:
    after = datetime(2026, 1, 1, tzinfo=UTC)
    found = list(islice(compile_rule("*/20 1 0 * * *", "UTC", "auto")(after), 4))
    assert [f"{slot:%d %H:%M:%S}" for slot in found] == [
        "01 00:01:00",
        "01 00:01:20",
        "01 00:01:40",
        "02 00:01:00",
    ]


@pytest.mark.parametrize(
    "rule",
    [
        "",
        "* * * *",
        "60 * * * *",
        "0 24 * * *",
        "0 0 30 2 *",
        "@noon",
        "soon",
        "0 0 * * FOO",
        "*/0 * * * *",
    ],
)
def test_what_can_not_be_read_says_how_to_write_it(rule: str) -> None:
    with pytest.raises(BadOption, match="write cron like"):
        read_rule(rule)


def test_a_zone_that_is_not_known_is_refused() -> None:
    for name in ("Europe/Atlantis", "America", "../etc/passwd", ""):
        with pytest.raises(BadOption, match="write an IANA name"):
            read_zone(name)


# -- intervals ------------------------------------------------------------------------------------
def test_intervals_count_from_1970_so_that_everybody_counts_alike() -> None:
    after = datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC)
    found = list(islice(compile_rule("every 90s", "UTC", "auto")(after), 2))
    assert found == [
        datetime(2026, 1, 1, 0, 1, 30, tzinfo=UTC),
        datetime(2026, 1, 1, 0, 3, tzinfo=UTC),
    ]
    assert all(slot.timestamp() % 90 == 0 for slot in found)


def test_a_slot_itself_is_not_behind_itself() -> None:
    slot = datetime(2026, 1, 1, 0, 3, tzinfo=UTC)
    for rule in ("every 90s", "*/3 * * * *"):
        moments = compile_rule(rule, "Europe/Berlin", "auto")
        assert next(moments(slot)) > slot
        assert next(moments(slot - timedelta(microseconds=1))) == slot


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (timedelta(minutes=90), "every 90m"),
        (timedelta(days=7), "every 1w"),
        (90, "every 90s"),
        (1.5, "every 1500ms"),
        ("Every 1h30m", "every 1h30m"),
    ],
)
def test_intervals_may_be_text_or_durations(given: str | timedelta | float, text: str) -> None:
    assert read_rule(given) == text


@pytest.mark.parametrize(
    "given", ["every 0s", "every 500ms", "every blue moon", 0.5, timedelta(0), 1.00005]
)
def test_an_interval_is_a_second_or_longer(given: str | timedelta | float) -> None:
    with pytest.raises(BadOption, match="rule"):
        read_rule(given)
