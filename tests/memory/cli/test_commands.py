"""`leasehold-memory`, as a person or a script runs it."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from leasehold_memory.data import units
from leasehold_memory.opening import Memory
from leasehold_memory.servers import ModelServer
from leasehold_memory.settings import Settings, memory_file
from tests.memory.cli.kit import Run, runner


@pytest.fixture
def run(home: Path) -> Run:
    return runner(home)


def test_help_names_every_command_with_an_example_and_asks_for_no_database_url(run: Run) -> None:
    whole = run("--help")
    assert whole.code == 0
    for name in ("run", "doctor", "replay", "export", "import", "presets"):
        assert name in whole.out
        said = run(name, "--help")
        assert said.code == 0
        assert "Example:" in said.out
        assert "--url" not in said.out


def test_a_home_that_is_not_there_is_told_and_not_made(tmp_path: Path) -> None:
    said = runner(tmp_path / "nobody")("presets", "list", "--json")
    assert said.code == 3
    assert "leasehold-memory run" in said.err
    assert not (tmp_path / "nobody").exists()


@pytest.mark.usefixtures("settings")
def test_a_preset_is_added_used_changed_and_removed(run: Run, settings: Settings) -> None:
    assert run("presets", "set", "embedding", "second", "model=l2", "dimension=256").code == 0
    assert run("presets", "use", "embedding", "second").code == 0
    assert settings.current().embedding.id == "second"
    assert memory_file(settings.home, "second").exists()
    assert run("presets", "set", "embedding", "second", "name=二番目").code == 0
    assert "二番目" in run("presets", "list").out
    assert run("presets", "remove", "embedding", "second").code == 3  # it is the active one
    assert run("presets", "use", "embedding", "local").code == 0
    assert run("presets", "remove", "embedding", "second").code == 0
    assert run("presets", "remove", "embedding", "second").code == 3
    assert memory_file(settings.home, "second").exists()


def test_a_key_comes_from_the_environment_and_is_never_shown(run: Run, settings: Settings) -> None:
    fields = ("base_url=http://127.0.0.1:9/v1", "model=small", "max_tokens=99", "temperature=0.5")
    added = run("presets", "set", "model", "remote", *fields, "--key-from", "KEY", KEY="sk-secret")
    assert added.code == 0
    preset = settings.current().model_presets[1]
    assert preset.api_key.reveal() == "sk-secret"
    assert (preset.max_tokens, preset.temperature) == (99, 0.5)
    for said in (added, run("presets", "list"), run("presets", "list", "--json")):
        assert "sk-secret" not in said.out + said.err
    assert run("presets", "set", "model", "remote", "api_key=sk-other").code == 2
    assert run("presets", "set", "model", "remote", "--key-from", "NO_SUCH").code == 3


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("set", "embedding", "local", "dimension=512"), 1),
        (("set", "embedding", "local", "dimension=many"), 2),
        (("set", "embedding", "UPPER", "model=x", "dimension=256"), 1),
        (("set", "embedding", "local", "novalue"), 2),
        (("use", "embedding", "nobody"), 3),
        (("use", "vectors", "local"), 2),
    ],
)
def test_what_can_not_be_used_is_refused_by_its_exit_code(
    run: Run, settings: Settings, words: tuple[str, ...], code: int
) -> None:
    before = settings.current()
    said = run("presets", *words)
    assert said.code == code, said.err
    assert "Traceback" not in said.err
    assert settings.current() == before


def test_the_doctor_finds_nothing_in_a_new_home(run: Run, settings: Settings) -> None:
    said = run("doctor", "--json")
    assert said.code == 0
    found = {each["topic"]: each["level"] for each in said.json()["findings"]}
    assert set(found) == {"settings", "files", "memory local", "embedder", "model"}
    settings.change({"memory_enabled": False})
    assert "memory is disabled" in run("doctor").out


def test_the_doctor_finds_a_refused_key_a_model_that_is_away_and_a_broken_file(
    run: Run, settings: Settings
) -> None:
    memory_file(settings.home, "broken").write_bytes(b"no database" * 1000)
    assert run("presets", "set", "embedding", "broken", "model=l2", "dimension=256").code == 0
    with ModelServer(key="sk-right") as server:
        address = f"base_url={server.base_url}"
        key = ("--key-from", "KEY")
        run("presets", "set", "model", "remote", address, "model=x", *key, KEY="sk-wrong")
        run("presets", "use", "model", "remote")
        refused = run("doctor")
        assert refused.code == 1
        assert "refused (401)" in " ".join(refused.out.split())
        assert "memory_broken.db can't be used" in " ".join(refused.out.split())
        assert "sk-wrong" not in refused.out + refused.err
    assert "problem  model" in run("doctor").out


def test_an_export_is_its_owners_alone_and_imports_twice_into_another_memory(
    run: Run, memory: Memory, tmp_path: Path
) -> None:
    with memory.database.write() as connection:
        units.save_episode(
            connection, user_text="東京へ行く", reply_text="いいね", occurred_at=datetime.now(UTC)
        )
    file = tmp_path / "all.jsonl"
    assert run("export", str(file), "--json").json()["units"] == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert run("export", str(file)).code == 2  # it is there already
    assert "東京" in run("export", "-").out
    run("presets", "set", "embedding", "second", "model=l2", "dimension=256")
    assert run("import", str(file), "--preset", "second", "--json").json()["units"] == 1
    assert run("import", str(file), "--preset", "second", "--json").json()["units"] == 0
    assert run("import", str(file), "--preset", "nobody").code == 3
    file.write_text("no export", encoding="utf-8")
    broken = run("import", str(file))
    assert (broken.code, "Traceback" in broken.err) == (1, False)


def test_a_replay_enqueues_what_derives_everything_again(run: Run, memory: Memory) -> None:
    with memory.database.write() as connection:
        units.save_episode(
            connection, user_text="I like tea.", reply_text="Nice.", occurred_at=datetime.now(UTC)
        )
    said = run("replay", "--json").json()
    assert said["episodes"] == 1
    waiting = sum(each.ready + each.blocked for each in memory.client.counts())
    assert said["jobs"] == waiting > 0
    assert run("replay", "--json").json()["jobs"] == 0
