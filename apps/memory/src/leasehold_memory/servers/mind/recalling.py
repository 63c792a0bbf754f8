"""Questions, answered by what the prompt says is remembered."""

from __future__ import annotations

import json
import re

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
_ABOUT_ME = re.compile(r"about me\b|私について|私のこと|僕のこと", re.IGNORECASE)
_FACTS = "[facts]"  # what a pack of memories calls them
_MOST_FACTS = 3


def memories_in(system: str) -> list[str]:
    """Return the lines of what the prompt says is remembered."""
    found = _MEMORIES.search(system)
    if found is None:
        return []
    try:
        return [line for line in str(json.loads(found[0])["memories"]).splitlines() if line.strip()]
    except ValueError:
        return []


def recall(text: str, memories: list[str], *, speaks_japanese: bool) -> str:
    """Answer a question by the line of memory that has most of its words."""
    lines = [line for line in memories if not _QUESTION.search(line)]
    asked = _asked(text)
    if not _QUESTION.search(text) or not lines:
        return ""

    def fitness(line: str) -> tuple[int, int, int]:
        foreign = len(_LATIN.findall(line)) if speaks_japanese else 0
        return sum(word in line.lower() for word in asked), -foreign, -len(line)

    if _ABOUT_ME.search(text) and _FACTS in lines:
        known = _plain(lines[lines.index(_FACTS) + 1 :])[:_MOST_FACTS]
        return _told(("、" if speaks_japanese else "; ").join(known), speaks_japanese)
    best = max(_plain(lines), key=fitness, default="")
    if not fitness(best)[0]:
        return ""
    return _told(best[:200], speaks_japanese)


def _plain(lines: list[str]) -> list[str]:
    """Leave out headings, and what stands before a memory's own words."""
    return [_BEGINNING.sub("", line).strip() for line in lines if not line.startswith("[")]


def _told(known: str, speaks_japanese: bool) -> str:  # noqa: FBT001
    return f"覚えています。{known}" if speaks_japanese else f"I remember: {known}"


def _asked(text: str) -> set[str]:
    """Return the words of a question, with those in which a memory may say the same."""
    words = {word for word in _WORDS.findall(text.lower()) if not _COMMON.fullmatch(word)}
    return words | {said for asked, said in _SAME.items() if asked in text.lower()}
