"""Replies in a conversation, with the reflection behind them."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from typing import Any

from leasehold_memory.servers.mind.answering import is_japanese, listen, reflection_of
from leasehold_memory.servers.mind.heard import USER, Heard

_NOW = re.compile(r"It is (\d{4}-\d{2}-\d{2})")
_MEMORIES = re.compile(r'^\{"memories": ".*"\}$', re.MULTILINE)
_QUESTION = re.compile(r"[?？]|覚えて|remember", re.IGNORECASE)
_WORDS = re.compile(r"[A-Za-z]{3,}|[一-龯々]{1,8}|[ァ-ヶー]{2,12}")
_COMMON = re.compile("what|when|where|who|which|does|you|the|and|how|remember|about|did")
_LATIN = re.compile("[A-Za-z]")
_BEGINNING = re.compile(
    r"^[-・*\s]*(?:\d{4}-\d\d-\d\d )?(?:[^\s:]{1,20}について: |About [^:]{1,40}: )?"
)
_SAME = {
    "住": "lives in",
    "live": "lives in",
    "好き": "likes",
    "love": "likes",
    "like": "likes",
    "仕事": "works",
    "work": "works",
    "誕生日": "birthday",
}
_FELT = {
    "joy": ("それはよかったですね。", "I'm glad to hear that."),
    "love": ("すてきですね。", "That is lovely."),
    "sadness": ("それはつらかったですね。", "I'm sorry to hear that."),
    "fear": ("心配ですね。", "I understand that you are worried."),
    "anger": ("それは腹が立ちますね。", "I see why that makes you angry."),
    "tiredness": ("お疲れさまです。", "You must be tired."),
    "surprise": ("びっくりしますね。", "What a surprise."),
    "calm": ("ゆっくりできてよかったです。", "That sounds restful."),
}

_OTHERWISE = ("{who}{said}、ですね。覚えました。", "{who}: {said}. I will remember that.")
# In words that fit a person and the one who talks alike.
_SAID_BACK = {
    "name_is": ("{said}さんですね。よろしくお願いします。", "Nice to meet you, {said}."),
    "lives_in": ("{who}{said}に住んでいるんですね。", "So {said} is home. I will remember that."),
    "comes_from": ("{who}{said}の出身なんですね。", "From {said}, good to know."),
    "works_as": ("{who}{said}のお仕事なんですね。", "Working as a {said}: I will remember that."),
    "works_at": ("{who}{said}で働いているんですね。", "At {said}, I will remember that."),
    "likes": ("{who}{said}が好きなんですね。", "{who} and {said}: I will remember that."),
    "dislikes": ("{who}{said}が苦手なんですね。", "No {said} then, I will remember that."),
    "birthday_is": ("誕生日、覚えておきますね。", "I will remember that birthday."),
    "relation_is": ("{who}{said}なんですね。", "{who}, your {said}. I will remember that."),
    "has_pet": ("{said}がいるんですね。", "A {said}, how nice."),
    "allergic_to": ("{said}には気をつけますね。", "No {said}, I will be careful."),
}


def reply_to(text: str, system: str) -> tuple[str, dict[str, Any]]:
    """Return what is said to the person, and what is thought of it."""
    heard = listen(text, _today(system))
    speaks_japanese = is_japanese(text)
    sentences = [
        _FELT[heard.emotion][not speaks_japanese] if heard.emotion in _FELT else "",
        _recalled(text, _memories(system), speaks_japanese=speaks_japanese),
        _noted(heard, speaks_japanese=speaks_japanese),
    ]
    said = ("" if speaks_japanese else " ").join(each for each in sentences if each)
    otherwise = (
        "なるほど。もう少し聞かせてください。" if speaks_japanese else "I see. Tell me more."
    )
    return said or otherwise, reflection_of(text, heard)


def _today(system: str) -> date:
    found = _NOW.search(system)
    return date.fromisoformat(found[1]) if found else datetime(2026, 1, 1, tzinfo=UTC).date()


def _memories(system: str) -> list[str]:
    """Return the lines of what the prompt says is remembered."""
    found = _MEMORIES.search(system)
    if found is None:
        return []
    try:
        return [line for line in str(json.loads(found[0])["memories"]).splitlines() if line.strip()]
    except ValueError:
        return []


def _recalled(text: str, memories: list[str], *, speaks_japanese: bool) -> str:
    """Answer a question by the line of memory that has most of its words."""
    lines = [line for line in memories if not _QUESTION.search(line)]
    asked = _asked(text)
    if not _QUESTION.search(text) or not lines:
        return ""

    def fitness(line: str) -> tuple[int, int, int]:
        foreign = len(_LATIN.findall(line)) if speaks_japanese else 0
        return sum(word in line.lower() for word in asked), -foreign, -len(line)

    best = max(lines, key=fitness)
    if not fitness(best)[0]:
        return ""
    plain = _BEGINNING.sub("", best)[:200].strip()
    return f"覚えています。{plain}" if speaks_japanese else f"I remember: {plain}"


def _asked(text: str) -> set[str]:
    """Return the words of a question, with those in which a memory may say the same."""
    words = {word for word in _WORDS.findall(text.lower()) if not _COMMON.fullmatch(word)}
    return words | {said for asked, said in _SAME.items() if asked in text.lower()}


def _noted(heard: Heard, *, speaks_japanese: bool) -> str:
    """Say back what was new."""
    if heard.loops and heard.loops[0][2]:
        return "お疲れさまでした。" if speaks_japanese else "Well done."
    if heard.loops:
        return "覚えておきますね。" if speaks_japanese else "I will keep that in mind."
    if not heard.facts:
        return ""
    subject, predicate, said = heard.facts[-1]
    said_back = _SAID_BACK.get(predicate, _OTHERWISE)[not speaks_japanese]
    who = subject if subject != USER else "" if speaks_japanese else "You"
    return said_back.format(who=f"{who}さんは" if speaks_japanese and who else who, said=said)
