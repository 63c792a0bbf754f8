"""Days as people say them, counted from the day on which they said them."""

from __future__ import annotations

import re
from datetime import date, timedelta

_WEEK = 7
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_JAPANESE_DAYS = "月火水木金土日"
_AFTER = {
    "day after tomorrow": 2,
    "tomorrow": 1,
    "tonight": 0,
    "today": 0,
    "next week": _WEEK,
    "明後日": 2,
    "あさって": 2,
    "明日": 1,
    "あした": 1,
    "今夜": 0,
    "今日": 0,
    "来週": _WEEK,
}
_NEXT_WEEK = re.compile(r"next week|来週", re.IGNORECASE)
_WEEKEND = re.compile(r"weekend|週末")
_DAY_OF_MONTH = re.compile(r"(\d{1,2})月(\d{1,2})日")
_MONTH_AND_DAY = re.compile(
    rf"\b({_MONTHS})\s+(\d{{1,2}})|\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?"
    rf"({_MONTHS})",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(rf"\b({_DAYS})\b|([{_JAPANESE_DAYS}])曜", re.IGNORECASE)


def day_in(text: str, said_on: date) -> str | None:
    """Return the day that a text speaks of, as YYYY-MM-DD; the next one of its kind."""
    found = month_day_in(text)
    if found is not None:
        return _next_such(found, said_on)
    weekday = _WEEKDAY.search(text)
    if weekday is not None:
        days = _days_until(weekday, said_on)
        is_later = _NEXT_WEEK.search(text) and said_on.weekday() + days < _WEEK
        return _iso(said_on, days + _WEEK if is_later else days)
    if _WEEKEND.search(text):
        return _iso(said_on, (5 - said_on.weekday()) % _WEEK)
    lowered = text.lower()
    after = next((days for words, days in _AFTER.items() if words in lowered), None)
    return None if after is None else _iso(said_on, after)


def month_day_in(text: str) -> str | None:
    """Return the day of a year that a text names, as MM-DD."""
    japanese = _DAY_OF_MONTH.search(text)
    if japanese is not None:
        return _month_day(int(japanese[1]), int(japanese[2]))
    english = _MONTH_AND_DAY.search(text)
    if english is None:
        return None
    month = _number(_MONTHS, english[1] or english[4]) + 1
    return _month_day(month, int(english[2] or english[3]))


def _number(names: str, name: str) -> int:
    return names.split("|").index(name.lower())


def _month_day(month: int, day: int) -> str | None:
    try:
        date(2024, month, day)  # a year that has every day
    except ValueError:
        return None
    return f"{month:02}-{day:02}"


def _next_such(month_day: str, said_on: date) -> str:
    month, day = map(int, month_day.split("-"))
    years = range(said_on.year, said_on.year + 9)
    days = [date(year, month, day) for year in years if _is_day(year, month, day)]
    return next(each for each in days if each >= said_on).isoformat()


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _days_until(found: re.Match[str], said_on: date) -> int:
    name = found[1]
    number = _number(_DAYS, name) if name else _JAPANESE_DAYS.index(found[2])
    return (number - said_on.weekday() - 1) % _WEEK + 1


def _iso(said_on: date, days: int) -> str:
    try:
        return (said_on + timedelta(days=days)).isoformat()
    except OverflowError:
        return said_on.isoformat()
