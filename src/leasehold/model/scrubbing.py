"""Takes out of a text what must not get into logs, traces and error reports.

Passwords and queries of URLs, what is named like a secret, and the arguments of the job that the
text is about. The database keeps a job's error as it was raised; this is for what leaves it.
"""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

import msgspec

MASK = "***"
SHORTEST_SECRET = 2  # a single character would be found everywhere
SHORTEST = 4  # a shorter value would be found everywhere, and is no secret
_LEAST_NUMBER = 100_000
_MOST_VALUES = 2_000
# All repetitions that could begin anywhere are bounded: a text of any length is read in one go.
_URL = re.compile(r"(?P<scheme>\b[A-Za-z][A-Za-z0-9+.\-]{0,30}://)(?P<rest>[^\s'\"<>]*)")
_NAMED = re.compile(
    r"""(?P<name>(?:passw|pwd|secret|token|api[_-]?key|authori[sz]ation|credential|cookie)
        (?!\w{0,40}(?:Error|Exception|Warning)\b)[\w\-]{0,40}['"]?\s{0,9}[=:]\s{0,9})
        (?:(?:bearer|basic|token)\s+)?
        (?:'[^']*'|"[^"]*"|[^\s,;&)\]}]+)""",
    re.IGNORECASE | re.VERBOSE,
)

_TOKEN = re.compile(r"\blh_[a-z2-9]{12}_[A-Za-z0-9_\-]{43}")  # of `leasehold token add`


class Scrubber:
    """Scrubs texts about one job; the values of its arguments (JSON) are looked for once."""

    def __init__(self, arguments: str | None = None) -> None:
        self._hidden = [] if arguments is None else _hidden_values(arguments)

    def __call__(self, text: str) -> str:
        if self._hidden is None:
            return MASK  # who knows what it holds
        for value in self._hidden:
            text = text.replace(value, MASK)
        text = _TOKEN.sub(MASK, text)
        return _NAMED.sub(rf"\g<name>{MASK}", _URL.sub(_scrub_url, text))


def scrub(text: str, arguments: str | None = None) -> str:
    """Mask passwords and queries of URLs, named secrets, and the values of arguments (JSON)."""
    return Scrubber(arguments)(text)


def hide(text: str, secrets: Iterable[str]) -> str:
    """Mask these values, however they are written."""
    long_enough = [value for value in secrets if len(value) >= SHORTEST_SECRET]
    spelt = {spelling for value in long_enough for spelling in _spellings(value)}
    for value in sorted(spelt, key=len, reverse=True):
        text = text.replace(value, MASK)
    return text


def scrub_url(url: str) -> str:
    """Return the url without its user, password, query and fragment."""
    return _URL.sub(_scrub_url, url)


def frames_of(error: BaseException) -> str:
    """Return where it was raised, without what it says."""
    return "".join(traceback.format_tb(error.__traceback__))


def cut(text: str, limit: int) -> str:
    """Return at most so many characters of a text, and say when there were more."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters)"


def _scrub_url(found: re.Match[str]) -> str:
    rest = found["rest"]
    before, at, after = rest.rpartition("@")
    if at and (":" in before or "/" not in before):
        rest = f"{MASK}@{after}"
    bare = re.split(r"[?#]", rest, maxsplit=1)[0]
    return found["scheme"] + (bare if bare == rest else f"{bare}?{MASK}")


def _hidden_values(arguments: str) -> list[str] | None:
    """Name what must not be shown, the longest first; None when the arguments can't be read."""
    try:
        decoded = msgspec.json.decode(arguments)
    except (msgspec.MsgspecError, UnicodeError):
        return None
    values = {spelling for value in _values(decoded) for spelling in _spellings(value)}
    return sorted(values, key=len, reverse=True)[:_MOST_VALUES]


def _values(value: Any, *, is_outermost: bool = True) -> Iterator[str]:
    """Name the texts and the large numbers in it, the keys of inner objects too."""
    if isinstance(value, dict):
        for key, each in value.items():
            if not is_outermost:  # the names of the handler's own parameters are no secret
                yield from _values(key, is_outermost=False)
            yield from _values(each, is_outermost=False)
    elif isinstance(value, list):
        for each in value:
            yield from _values(each, is_outermost=False)
    elif isinstance(value, str) and len(value.strip()) >= SHORTEST:
        yield value
    elif isinstance(value, int | float) and abs(value) >= _LEAST_NUMBER:
        yield str(value)


def _spellings(value: str) -> set[str]:
    """Return it as it is, stripped, and as repr, JSON and URLs would write it."""
    return {
        value,
        value.strip(),
        repr(value)[1:-1],
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        quote(value),
        quote(value, safe=""),
    }
