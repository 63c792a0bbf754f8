"""The active model is the one of the settings, also when it is this machine's own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import msgspec
import pytest

from leasehold_memory.llm import Llm, Message
from leasehold_memory.opening import Models
from leasehold_memory.servers import ModelServer
from leasehold_memory.settings import Settings


@pytest.fixture
def models(settings: Settings) -> Iterator[Models]:
    opened = Models(settings)
    yield opened
    opened.close()


async def _said(llm: Llm) -> str:
    message = Message(role="user", content="Hello, my name is Emma.")
    return "".join([piece async for piece in llm.stream([message])])


def test_without_a_key_a_model_of_this_machine_answers_and_nobody_else_may_ask_it(
    models: Models,
) -> None:
    llm = models.llm()
    assert asyncio.run(_said(llm))
    assert models.llm() is llm
    assert httpx.get(f"{llm.preset.base_url}/models").status_code == 401


def test_all_local_presets_share_one_process_that_makes_vectors(
    models: Models, settings: Settings
) -> None:
    preset = settings.current().embedding
    embedder = models.embedder(preset)
    assert embedder.embed(["hello"]).shape == (1, preset.dimension)
    assert models.embedder(msgspec.structs.replace(preset, id="second")) is embedder


def test_a_change_of_the_preset_is_followed_and_who_has_the_old_model_ends_with_it(
    models: Models, settings: Settings
) -> None:
    old = models.llm()
    with ModelServer(key="sk-1") as server:
        preset = {
            "id": "remote",
            "name": "Remote",
            "model": "rules-1",
            "base_url": server.base_url,
            "api_key": "sk-1",
        }
        presets = [*settings.current().shown()["model_presets"], preset]
        settings.change({"model_presets": presets, "active_model_preset_id": "remote"})
        assert models.llm().preset.id == "remote"
        assert asyncio.run(_said(models.llm()))
        assert server.count() == 1
        assert asyncio.run(_said(old))
