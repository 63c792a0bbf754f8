"""Settings over HTTP: keys are never told, and a change is whole or none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.memory.web.kit import Asker, Standing

KEY = "sk-a-key-of-this-test"
MODEL = {"id": "mine", "name": "Mine", "model": "m", "base_url": "http://127.0.0.1:9/v1"}


@pytest.fixture
def settings(asker: Asker) -> dict[str, Any]:
    known = asker.get("/api/settings")
    presets = [*known["model_presets"], MODEL | {"api_key": KEY}]
    changed: dict[str, Any] = asker.send("PUT", "/api/settings", {"model_presets": presets})
    return changed


def test_a_key_is_masked_when_read_and_kept_when_sent_back_masked(
    asker: Asker, companion: Standing, settings: dict[str, Any]
) -> None:
    answer = asker.ask("GET", "/api/settings")
    assert KEY not in answer.text
    assert answer.json()["model_presets"][-1]["api_key"] == "********"
    asker.send("PUT", "/api/settings", settings | {"active_model_preset_id": "mine"})
    assert companion.settings.current().model.api_key.reveal() == KEY


def test_what_is_left_out_stays(asker: Asker, settings: dict[str, Any]) -> None:
    changed = asker.send("PUT", "/api/settings", {"memory_enabled": False})
    assert changed == settings | {"memory_enabled": False, "revision": settings["revision"] + 1}


def test_a_changed_embedding_dimension_is_refused_and_nothing_changed(
    asker: Asker, settings: dict[str, Any]
) -> None:
    presets = [settings["embedding_presets"][0] | {"dimension": 128}]
    change = {"embedding_presets": presets, "memory_enabled": False}
    problem = asker.send("PUT", "/api/settings", change, status=400)
    assert problem["type"].endswith("embedding-fixed")
    assert asker.get("/api/settings") == settings


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"active_model_preset_id": "nobody"}, 404),
        ({"active_model_preset_id": "../x"}, 422),
        ({"model_presets": []}, 404),
        ({"model_presets": [MODEL, MODEL]}, 422),
        ({"revision": 999}, 409),
        ({"memory_enabled": None}, 422),
        ({"memory_enabled": 1}, 422),
        ({"token": "mine"}, 422),
        ({"model_presets": [{**MODEL, "id": "new", "api_key": "********"}]}, 422),
    ],
)
def test_what_cannot_be_used_changes_nothing(
    asker: Asker, settings: dict[str, Any], change: Any, status: int
) -> None:
    asker.send("PUT", "/api/settings", change, status=status)
    assert asker.get("/api/settings") == settings


def test_nobody_is_told_the_token(asker: Asker, companion: Standing) -> None:
    assert companion.settings.token.reveal() not in asker.ask("GET", "/api/settings").text
