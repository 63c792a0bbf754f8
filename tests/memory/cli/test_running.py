"""`python -X utf8 run.py`: one process that serves and works, in whatever locale."""

from __future__ import annotations

import os
import signal
import socket
import stat
from pathlib import Path

import pytest

import leasehold as lh
from leasehold_memory.servers import ServerProcess
from leasehold_memory.settings import memory_file
from leasehold_memory.settings.home import url_of
from tests.faults.waiting import wait_for
from tests.memory.cli.kit import RUN, runner, say, serve

PLAIN = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    ("options", "environment"),
    [(("-X", "utf8"), {}), ((), {"LC_ALL": "C", "LANG": "C"}), ((), PLAIN)],
    ids=["utf8", "C", "ascii"],
)
def test_a_fresh_home_without_a_key_chats_and_remembers_with_evidence_in_any_locale(
    tmp_path: Path, options: tuple[str, ...], environment: dict[str, str]
) -> None:
    home = tmp_path / "新しい家"
    with serve(home, *options, environment=environment) as served, served.http() as http:
        assert served.told["is_local_model"]
        assert http.get("/api/settings").json()["active_embedding_preset_id"] == "local"
        wait_for("worker", lambda: http.get("/api/health").json()["is_working"], 30)
        preset = {"id": "companion", "name": "相棒", "prompt": "日本語で話してください。"}
        changed = http.put("/api/settings", json={"persona_presets": [preset]})
        assert changed.json()["persona_presets"] == [preset]
        done = say(http, "わたしは京都に住んでいます。")
        facts = "/api/memories/local/units?kind=fact"
        (fact,) = wait_for("fact", lambda: http.get(facts).json()["units"], 60)
        assert fact["evidence"] == [done["unit_id"]]
        assert "京都" in fact["payload"]["object_text"]
        assert served.end() == 0
    assert "相棒" in runner(home)("presets", "list").out
    for file in (memory_file(home, "local"), home / "settings.db"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_two_that_run_by_accident_do_each_job_once_and_let_nobody_in_without_the_token(
    home: Path,
) -> None:
    with serve(home) as first, serve(home) as second, first.http() as one, second.http() as other:
        said = [say((one, other)[number % 2], f"I like tea{number}.") for number in range(6)]

        def is_idle() -> bool:
            (backlog,) = one.get("/api/health").json()["backlogs"]
            return bool(backlog["waiting"] == backlog["running"] == 0)

        wait_for("end of all jobs", is_idle, 60)
        facts = one.get("/api/memories/local/units?kind=fact").json()["units"]
        assert {fact["evidence"][0] for fact in facts} == {done["unit_id"] for done in said}
        assert {fact["version"] for fact in facts} == {1}
        assert other.get("/api/health").json()["status"] == "ok"
        assert first.address.startswith("http://127.0.0.1:")
        assert one.get("/api/health", headers={"Authorization": ""}).status_code == 401


def test_killed_and_started_again_it_goes_on_with_the_same_token(home: Path) -> None:
    with serve(home) as first:
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(30)
    with serve(home) as second, second.http() as http:
        assert second.told["token"] == first.told["token"]
        assert http.get("/api/health").json()["status"] == "ok"


def test_it_ends_in_time_though_a_model_hangs_and_its_jobs_are_handed_back(home: Path) -> None:
    run = runner(home)
    with ServerProcess() as model, serve(home) as served, served.http() as http:
        say(http, "I like tea.")
        model.fail("silence", times=1_000)
        address = f"base_url={model.base_url}"
        assert run("presets", "set", "model", "remote", address, "model=x").code == 0
        assert run("presets", "use", "model", "remote").code == 0
        assert run("replay").code == 0
        wait_for("request", lambda: model.count("POST /v1/chat/completions"), 60)
        assert served.end() == 0
    with lh.Client(url_of(memory_file(home, "local"))) as client:
        assert sum(each.running for each in client.counts()) == 0


def test_a_switch_by_the_program_is_followed_by_the_one_that_runs(home: Path) -> None:
    run = runner(home)
    with serve(home) as served, served.http() as http:
        assert run("presets", "set", "embedding", "second", "model=l2", "dimension=256").code == 0
        assert run("presets", "use", "embedding", "second").code == 0

        def active() -> bool:
            health = http.get("/api/health").json()
            return bool(health["active_embedding_preset_id"] == "second" and health["is_working"])

        wait_for("switch", active, 30)


def test_a_memory_that_can_not_be_used_and_a_port_that_is_taken_are_told_in_one_line(
    home: Path,
) -> None:
    run = runner(home)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = run("run", "--port", str(taken.getsockname()[1]))
    assert (said.code, "--port" in said.err) == (2, True)
    memory_file(home, "local").write_bytes(b"no database" * 1000)
    broken = run("run", "--port", "0", "--log-level", "error")
    assert broken.code == 1
    assert "Error: memory_local.db can't be used as a memory" in broken.err


def test_the_script_is_the_program() -> None:
    assert RUN.is_file()
    assert os.access(RUN, os.R_OK)
