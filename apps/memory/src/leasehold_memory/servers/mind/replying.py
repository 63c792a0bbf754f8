"""Replies in a conversation, with the reflection behind them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

from leasehold_memory.servers.mind import phrases
from leasehold_memory.servers.mind.answering import is_japanese, listen, reflection_of
from leasehold_memory.servers.mind.heard import USER, Heard
from leasehold_memory.servers.mind.recalling import memories_in, recall

_NOW = re.compile(r"It is (\d{4}-\d{2}-\d{2})")


def reply_to(text: str, system: str) -> tuple[str, dict[str, Any]]:
    """Return what is said to the person, and what is thought of it."""
    heard = listen(text, _today(system))
    speaks_japanese = is_japanese(text)
    felt = phrases.FELT.get(heard.emotion)
    sentences = [
        "" if felt is None else felt[not speaks_japanese],
        recall(text, memories_in(system), speaks_japanese=speaks_japanese),
        _noted(heard, speaks_japanese=speaks_japanese),
    ]
    said = ("" if speaks_japanese else " ").join(each for each in sentences if each)
    return said or _politely(text)[not speaks_japanese], reflection_of(text, heard)


def _politely(text: str) -> tuple[str, str]:
    """Say what is always said, where there is nothing to say."""
    return next((said for words, said in phrases.POLITE if words.search(text)), phrases.ANYTHING)


def _today(system: str) -> date:
    found = _NOW.search(system)
    return date.fromisoformat(found[1]) if found else datetime(2026, 1, 1, tzinfo=UTC).date()


def _noted(heard: Heard, *, speaks_japanese: bool) -> str:
    """Say back what was new."""
    if heard.loops and heard.loops[0][2]:
        return phrases.DONE[not speaks_japanese]
    if heard.loops:
        return phrases.TO_DO[not speaks_japanese]
    if not heard.facts:
        return ""
    subject, predicate, said = heard.facts[-1]
    said_back = phrases.SAID_BACK.get(predicate, phrases.OTHERWISE)[not speaks_japanese]
    who = subject if subject != USER else "" if speaks_japanese else "You"
    return said_back.format(who=f"{who}さんは" if speaks_japanese and who else who, said=said)
