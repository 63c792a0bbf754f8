"""Answers to the questions that prompts ask about episodes."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

from leasehold_memory.model.asking import Ask
from leasehold_memory.servers.mind import english, japanese
from leasehold_memory.servers.mind.feelings import emotion_in, sensitivity_in, topics_in
from leasehold_memory.servers.mind.heard import Heard
from leasehold_memory.servers.mind.summing import capsule_of, summary_of

_JAPANESE = re.compile(r"[ぁ-んァ-ヶ一-龯]")
_LINE = 120  # characters of a summary line
_STRONG = 0.8
_MOST = 4_000  # characters that are listened to


def is_japanese(text: str) -> bool:
    return _JAPANESE.search(text) is not None


def answer(ask: Ask, material: dict[str, Any]) -> dict[str, Any]:
    """Answer as the prompt's shape says, from the JSON that it came with."""
    episodes = [each for each in material.get("episodes", []) if isinstance(each, dict)]
    if ask in {Ask.BOND, Ask.PERSON, Ask.TOPIC}:
        return summary_of(ask, material, episodes)
    if ask is Ask.CAPSULE:
        return capsule_of(episodes)
    said = episodes[0] if episodes else {}
    text = str(said.get("user", ""))
    heard = listen(text, _day_of(said))
    match ask:
        case Ask.ENTITIES:
            return {"entities": heard.entities}
        case Ask.FACTS:
            return {"facts": [_fact(*each) for each in heard.facts]}
        case Ask.LOOPS:
            known = [str(each) for each in material.get("open_loops", [])]
            return {"loops": [_loop(*each, known) for each in heard.loops]}
        case _:
            return reflection_of(text, heard)


def listen(text: str, said_on: date) -> Heard:
    """Understand what was said, in whichever of the two languages; not without end."""
    text = text[:_MOST]
    heard = Heard(emotion=emotion_in(text), sensitivity=sensitivity_in(text))
    (japanese if is_japanese(text) else english).hear(text, said_on, heard)
    for topic in topics_in(text):
        heard.topic(topic)
    return heard


def reflection_of(text: str, heard: Heard) -> dict[str, Any]:
    is_moved = heard.emotion != "neutral"
    has_news = bool(heard.facts or heard.loops)
    return {
        "summary": (" ".join(text.split()) or "…")[:_LINE],
        "emotion": heard.emotion,
        "intensity": _STRONG if is_moved else 0.2,
        "importance": round(0.3 + 0.3 * is_moved + 0.3 * has_news, 2),
        "sensitivity": heard.sensitivity,
        "topic_tags": heard.topics[:5],
    }


def _fact(subject: str, predicate: str, said: str) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": said, "confidence": 0.9}


def _loop(text: str, day: str | None, is_done: bool, known: list[str]) -> dict[str, Any]:  # noqa: FBT001
    if is_done:
        text = next((each for each in known if _speak_of_one(each, text)), text)
    return {"text": text, "due_on": day, "is_done": is_done}


def _speak_of_one(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    return one in other or other in one


def _day_of(said: dict[str, Any]) -> date:
    try:
        return datetime.fromisoformat(str(said.get("at", ""))).date()
    except ValueError:
        return datetime(2026, 1, 1, tzinfo=UTC).date()
