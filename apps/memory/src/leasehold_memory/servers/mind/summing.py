"""Summaries by rule: what was said, in its own words and in its own language."""

from __future__ import annotations

import re
from typing import Any

from leasehold_memory.model.asking import Ask
from leasehold_memory.servers.mind.feelings import emotion_in, topics_in

_JAPANESE = re.compile(r"[ぁ-んァ-ヶ一-龯]")
_LINE = 100
_MOST_EVENTS = 8
_WARM = frozenset({"joy", "love", "calm"})


def summary_of(
    ask: Ask, material: dict[str, Any], episodes: list[dict[str, Any]]
) -> dict[str, Any]:
    """Sum up a week, a person or a topic."""
    texts = [str(each.get("user", "")) for each in episodes]
    is_japanese = _is_japanese(texts or [str(material.get("name", ""))])
    known = [str(each) for each in material.get("facts", [])]
    name = str(material.get("name", ""))
    return {
        "summary_text": _said_of(ask, name, known, texts, is_japanese=is_japanese),
        "key_events": [_event(each) for each in episodes[-_MOST_EVENTS:]],
        "bond_state": _bond(texts, is_japanese=is_japanese) if ask is not Ask.TOPIC else "",
    }


def capsule_of(episodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Say what the last episodes were about."""
    texts = [str(each.get("user", "")) for each in episodes]
    whole = "\n".join(texts)
    lines = " / ".join(_short(text) for text in texts[-3:]) or "…"
    begin = "最近の話: " if _is_japanese(texts[-3:]) else "Lately: "
    return {
        "capsule_text": begin + lines,
        "topic_tags": topics_in(whole)[:5],
        "mood": emotion_in(texts[-1]) if texts else "neutral",
    }


def _said_of(ask: Ask, name: str, known: list[str], texts: list[str], *, is_japanese: bool) -> str:
    lines = " / ".join(_short(text) for text in texts[-3:]) or "…"
    if ask is Ask.BOND:
        topics = "、".join(topics_in("\n".join(texts))[:5])
        if is_japanese:
            return f"{len(texts)}回話した。{f'話題は{topics}。' if topics else ''}最近の話: {lines}"
        about = f" about {topics.replace('、', ', ')}" if topics else ""
        return f"Talked {len(texts)} times{about}. Lately: {lines}"
    facts = ("。" if is_japanese else "; ").join(known[:6])
    if is_japanese:
        return f"{name}について: {f'{facts}。' if facts else ''}{lines}"
    return f"About {name}: {f'{facts}. ' if facts else ''}{lines}"


def _bond(texts: list[str], *, is_japanese: bool) -> str:
    warm = sum(emotion_in(text) in _WARM for text in texts)
    if is_japanese:
        return "打ち解けて話せている" if warm * 2 >= len(texts) else "少しずつ話せている"
    return "close and at ease" if warm * 2 >= len(texts) else "getting to know each other"


def _event(said: dict[str, Any]) -> str:
    return f"{str(said.get('at', ''))[:10]} {_short(str(said.get('user', '')))}".strip()


def _short(text: str) -> str:
    plain = " ".join(text.split()) or "…"
    return plain if len(plain) <= _LINE else plain[: _LINE - 1] + "…"


def _is_japanese(texts: list[str]) -> bool:
    """Whether most of what was said is Japanese."""
    return sum(_JAPANESE.search(text) is not None for text in texts) * 2 > len(texts)
