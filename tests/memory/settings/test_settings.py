"""What is set in a home holds for every thread and process, and is refused whole or not at all."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from leasehold_memory.errors import (
    BadSettings,
    EmbeddingFixed,
    PresetNotFound,
    SettingsMoved,
)
from leasehold_memory.model.presets import MASK, Provider
from leasehold_memory.settings import Settings, home_folder, memory_file, open_settings

_MODEL = {
    "id": "remote",
    "name": "Remote",
    "provider": "http",
    "model": "some-model",
    "base_url": "http://127.0.0.1:9/v1",
    "api_key": "sk-very-secret",
}


def _add_model(settings: Settings) -> None:
    shown = settings.current().shown()
    settings.change({"model_presets": [*shown["model_presets"], _MODEL]})


def test_a_new_home_works_without_a_key_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    home = tmp_path / "new"
    settings = open_settings(home)
    current = settings.current()
    assert current.memory_enabled
    assert current.embedding.provider is Provider.LOCAL
    assert current.model.provider is Provider.LOCAL
    assert current.persona.prompt
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    for file in home.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    settings.close()


def test_the_token_is_made_once_and_shows_itself_to_nobody(home: Path, settings: Settings) -> None:
    token = settings.token
    other = open_settings(home)
    assert other.token == token
    assert len(token.reveal()) >= 32
    assert token.reveal() not in repr(token)
    replaced = settings.replace_token()
    other.current()
    assert replaced == settings.token == other.token != token
    other.close()


def test_keys_are_masked_when_read_and_kept_when_sent_back_masked(settings: Settings) -> None:
    _add_model(settings)
    shown = settings.current().shown()
    assert "sk-very-secret" not in repr(shown) + repr(settings.current())
    assert shown["model_presets"][1]["api_key"] == MASK
    assert shown["model_presets"][0]["api_key"] == ""
    shown["model_presets"][1]["name"] = "Renamed"
    settings.change({"model_presets": shown["model_presets"]})
    (_, kept) = settings.current().model_presets
    assert kept.name == "Renamed"
    assert kept.api_key.reveal() == "sk-very-secret"


def test_a_key_is_taken_away_by_an_empty_one_and_a_mask_is_no_key(settings: Settings) -> None:
    _add_model(settings)
    local = settings.current().shown()["model_presets"][0]
    settings.change({"model_presets": [local, {**_MODEL, "api_key": ""}]})
    assert not settings.current().model_presets[1].api_key
    with pytest.raises(BadSettings, match="mask"):
        settings.change({"model_presets": [local, {**_MODEL, "id": "new", "api_key": MASK}]})


@pytest.mark.parametrize(
    ("field", "value"),
    [("dimension", 512), ("model", "other"), ("provider", "http")],
)
def test_the_vectors_of_a_preset_stay_comparable_and_a_refusal_changes_nothing(
    settings: Settings, field: str, value: object
) -> None:
    before = settings.current()
    preset = {**before.shown()["embedding_presets"][0], "base_url": "http://127.0.0.1:9"}
    with pytest.raises(EmbeddingFixed, match=field):
        settings.change({"memory_enabled": False, "embedding_presets": [{**preset, field: value}]})
    assert settings.current() == before


@pytest.mark.parametrize(
    "preset_id", ["", "..", "../x", "a/b", "A", "a.b", "a\n", "-a", "記憶", "a" * 49, "a%00"]
)
def test_an_id_that_is_no_part_of_a_file_name_is_refused(
    settings: Settings, preset_id: str
) -> None:
    preset = {**settings.current().shown()["embedding_presets"][0], "id": preset_id}
    with pytest.raises(BadSettings):
        settings.change({"embedding_presets": [preset]})


@pytest.mark.parametrize(
    "change",
    [
        {"unknown": 1},
        {"memory_enabled": "yes"},
        {"model_presets": [_MODEL, _MODEL]},
        {"model_presets": [{**_MODEL, "base_url": ""}]},
        {"model_presets": [{**_MODEL, "base_url": "file:///etc/passwd"}]},
        {"model_presets": [{**_MODEL, "api_key": 7}]},
        {"persona_presets": [{"id": "x", "name": "", "prompt": ""}]},
    ],
)
def test_what_can_not_be_used_is_refused_without_a_word_of_it(
    settings: Settings, change: dict[str, object]
) -> None:
    before = settings.current()
    with pytest.raises(BadSettings) as refused:
        settings.change(change)
    assert "sk-very-secret" not in str(refused.value)
    assert settings.current() == before


@pytest.mark.parametrize("kind", ["embedding", "model", "persona"])
def test_an_active_preset_must_be_there(settings: Settings, kind: str) -> None:
    with pytest.raises(PresetNotFound):
        settings.change({f"active_{kind}_preset_id": "nobody"})
    with pytest.raises(PresetNotFound):
        settings.change({f"{kind}_presets": []})


def test_a_change_of_what_somebody_else_has_changed_is_refused(settings: Settings) -> None:
    before = settings.current()
    settings.change({"memory_enabled": False, "revision": before.revision})
    with pytest.raises(SettingsMoved):
        settings.change({"memory_enabled": True, "revision": before.revision})
    assert not settings.current().memory_enabled


def test_the_same_again_is_no_change(settings: Settings) -> None:
    before = settings.current()
    sent = before.shown()
    assert settings.change(sent) == before


def test_what_another_process_changes_is_seen_by_the_next_look(
    home: Path, settings: Settings
) -> None:
    revision = settings.current().revision
    other = open_settings(home)
    other.change({"memory_enabled": False})
    assert not settings.current().memory_enabled
    settings.wait_for_change(revision, 60)  # has no change to wait for any more
    other.close()


def test_who_waits_hears_of_a_change_at_once(settings: Settings) -> None:
    revision = settings.current().revision
    seen = []

    def wait() -> None:
        settings.wait_for_change(revision, 60)
        seen.append(settings.current().memory_enabled)

    waiting = threading.Thread(target=wait)
    waiting.start()
    settings.change({"memory_enabled": False})
    waiting.join(20)
    assert seen == [False]


def test_changes_of_many_threads_are_made_one_after_the_other(settings: Settings) -> None:
    def rename(number: int) -> None:
        personas = settings.current().shown()["persona_presets"]
        settings.change({"persona_presets": [{**personas[0], "name": f"number {number}"}]})

    threads = [threading.Thread(target=rename, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert settings.current().revision == 8
    assert settings.current().persona.name.startswith("number ")


def test_the_home_is_named_by_the_environment_else_it_is_here(tmp_path: Path) -> None:
    assert home_folder({"LEASEHOLD_MEMORY_HOME": str(tmp_path)}) == tmp_path
    assert home_folder({}) == Path.cwd() / "memory"
    assert memory_file(tmp_path, "local") == tmp_path / "memory_local.db"
    assert home_folder({"LEASEHOLD_MEMORY_HOME": "x"}).is_absolute()
