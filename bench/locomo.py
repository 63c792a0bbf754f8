"""How often retrieval finds the turn of a long conversation that answers a question about it.

    LEASEHOLD_LOCOMO=folder python -m bench.locomo

The conversations are LoCoMo's (Maharana et al., 2024), as its one file of ten or in the older form
of one file a conversation; they are not ours to ship. Each turn becomes an episode of a memory,
with its speaker, its date and the caption of a picture that it shows; then each question is put to
`retrieve`, as by a chat, with the offline embedder. A question is hit when one of the turns that
its authors name as evidence is among the first 5, or 10.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from leasehold_memory.data import units, vectors
from leasehold_memory.data.texts import read_texts
from leasehold_memory.model.presets import EmbeddingPreset
from leasehold_memory.model.units import UnitKind
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.retrieving import retrieve
from leasehold_memory.settings import open_settings

FOLDER = "LEASEHOLD_LOCOMO"
NEEDED = {5: 0.53, 10: 0.62}
CATEGORIES = {
    1: "several turns",
    2: "time",
    3: "world knowledge",
    4: "one turn",
    5: "adversarial",
}
_DATE = "%I:%M %p on %d %B, %Y"
_EVIDENCE = re.compile(r"D\d+:\d+")


class Turn(NamedTuple):
    """What one of the two said."""

    key: str  # D3:12
    text: str
    occurred_at: datetime


class Question(NamedTuple):
    """A question about a conversation, and the turns that answer it."""

    text: str
    category: int
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Two people over months."""

    name: str
    turns: list[Turn]
    questions: list[Question]


def read_conversations(folder: Path) -> Iterator[Conversation]:
    """Read whichever form the files of a folder have."""
    for file in sorted(folder.glob("*.json")):
        try:
            yield from _read(file)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            sys.exit(f"{file} is none of LoCoMo's conversations: {error!r}")


def _read(file: Path) -> list[Conversation]:
    content = json.loads(file.read_text("utf-8"))
    return [
        Conversation(
            str(sample.get("sample_id") or f"{file.stem}-{number}"),
            [*_turns(sample.get("conversation", sample))],
            [*_questions(sample["qa"])],
        )
        for number, sample in enumerate(content if isinstance(content, list) else [content])
    ]


def _turns(sessions: dict[str, Any]) -> Iterator[Turn]:
    number = 1
    while f"session_{number}_date_time" in sessions:
        day = datetime.strptime(sessions[f"session_{number}_date_time"], _DATE).replace(tzinfo=UTC)
        for turn in sessions.get(f"session_{number}", []):
            shown = f" [shows {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            said = turn.get("text") or turn.get("clean_text") or ""
            yield Turn(turn["dia_id"], f"{turn['speaker']}: {said}{shown}", day)
        number += 1


def _questions(asked: list[dict[str, Any]]) -> Iterator[Question]:
    """Read those that name evidence; some name several turns in one text."""
    for each in asked:
        if found := frozenset(_EVIDENCE.findall(" ".join(each.get("evidence") or []))):
            yield Question(each["question"], each["category"], found)


def remember(memory: Memory, turns: list[Turn]) -> dict[int, str]:
    """Store turns as chat and `upsert_embeddings` do; returns which unit is which turn."""
    keys: dict[int, str] = {}
    with memory.database.write() as connection:
        for turn in turns:
            unit_id = units.save_episode(
                connection, user_text=turn.text, reply_text="", occurred_at=turn.occurred_at
            )
            keys[unit_id] = turn.key
        texts = read_texts(connection, UnitKind.EPISODE, keys)
        for unit_id, row in zip(texts, memory.embedder.embed([*texts.values()]), strict=True):
            vectors.put(connection, unit_id, texts[unit_id], row)
    return keys


def ask(memory: Memory, keys: dict[int, str], question: Question) -> int | None:
    """Return at which place the first evidence is, or None beyond the tenth."""
    hits = retrieve(memory, question.text, limit=max(NEEDED), kinds=[UnitKind.EPISODE])
    for place, hit in enumerate(hits, start=1):
        if keys[hit.unit_id] in question.evidence:
            return place
    return None


def measure(folder: Path) -> dict[int, list[int | None]]:
    """Return the places of the first evidence, by category."""
    places: dict[int, list[int | None]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as home:
        settings = open_settings(Path(home))
        for number, conversation in enumerate(read_conversations(folder)):
            preset = EmbeddingPreset(
                id=f"locomo{number}", name=conversation.name, model="local", dimension=256
            )
            with open_memory(Path(home), preset, settings) as memory:
                keys = remember(memory, conversation.turns)
                for question in conversation.questions:
                    places[question.category].append(ask(memory, keys, question))
        settings.close()
    return places


def share(places: list[int | None], within: int) -> float:
    """Return which part has its evidence among the first."""
    return sum(place is not None and place <= within for place in places) / max(1, len(places))


def main() -> int:
    folder = os.environ.get(FOLDER, "")
    if not folder or not [*Path(folder).glob("*.json")]:
        print(f"skipped: {FOLDER} names no folder with LoCoMo's conversations")
        return 0
    places = measure(Path(folder))
    every = [place for each in places.values() for place in each]
    print(f"{'questions with evidence':<24} {'number':>6} {'hit@5':>7} {'hit@10':>7}")
    for category, each in sorted(places.items()):
        name = f"{category} {CATEGORIES.get(category, '')}"
        print(f"{name:<24} {len(each):>6} {share(each, 5):>7.3f} {share(each, 10):>7.3f}")
    print(f"{'all':<24} {len(every):>6} {share(every, 5):>7.3f} {share(every, 10):>7.3f}")
    print("adversarial questions (5) count like all others: their evidence is to be found, though")
    print("what they ask is not so")
    missed = [within for within, needed in NEEDED.items() if share(every, within) < needed]
    for within in missed:
        print(f"hit@{within} is below {NEEDED[within]}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
