"""How a model is asked: the words by which a prompt and its answer are told from what people say.

Prompts are written with them, and the local model server knows a prompt by them.
"""

from __future__ import annotations

from enum import StrEnum

# Stands on a line of its own between a reply and the reflection on it, and is shown to nobody.
REFLECTION_MARKER = "<<<REFLECTION>>>"
TASK_LINE = "TASK: "  # the first line of every system prompt, with one of these:


class Ask(StrEnum):
    """What a model is asked for."""

    CHAT = "chat"
    REFLECT = "reflect"
    ENTITIES = "entities"
    FACTS = "facts"
    LOOPS = "loops"
    BOND = "bond"
    PERSON = "person"
    TOPIC = "topic"
    CAPSULE = "capsule"
