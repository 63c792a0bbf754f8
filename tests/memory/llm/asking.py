"""What the tests ask, and of whom."""

from __future__ import annotations

from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

import leasehold as lh
from leasehold_memory.llm import Llm, Said, prompts
from leasehold_memory.model.presets import ModelPreset
from leasehold_memory.servers import ModelServer, ServerProcess

KEY = "sk-very-secret-key"
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)  # a Monday


def preset_of(server: ModelServer | ServerProcess, **changes: Any) -> ModelPreset:
    fields: dict[str, Any] = {
        "id": "local",
        "name": "Local",
        "model": "rules-1",
        "base_url": server.base_url,
        "api_key": lh.Secret(KEY),
        "timeout_seconds": 10.0,
    }
    return ModelPreset(**(fields | changes))


def said(user: str, unit_id: int = 1) -> Said:
    return Said(unit_id=unit_id, at=NOW, user=user, reply="")


async def reply_of(llm: Llm, text: str) -> str:
    messages = prompts.chat(text, persona="You are Aoi.", memories="", now=NOW)
    async with aclosing(llm.stream(messages)) as pieces:
        return "".join([piece async for piece in pieces])
