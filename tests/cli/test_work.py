"""`leasehold work`: a worker in a process of its own, its options, its signals, its exit codes."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest

import leasehold as lh
from leasehold.cli.loading import load_tasks
from leasehold.cli.work import read_queues, read_slots
from leasehold.client import Client
from tests.cli import shop
from tests.cli.kit import WAIT_SECONDS, Cli

SHOP = "tests.cli.shop"


@pytest.fixture(autouse=True)
def _shop(tmp_path: Path) -> None:
    shutil.copy(shop.__file__, tmp_path / "shop.py")


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.01)


def test_work_runs_the_modules_tasks_and_sums_up(cli: Cli, client: Client) -> None:
    done = client.enqueue(shop.greet, "Ada")
    client.enqueue(shop.broken)
    answer = cli.script("work", "shop", "--until-empty", "--name", "one")
    assert answer.code == 0, answer.err
    assert answer.out.startswith("empty after ")
    assert answer.out.endswith(": 1 succeeded, 1 failed\n")
    assert client.get(done.id).result == "Hello, Ada!"
    assert "worker starts worker=one" in answer.err
    assert client.history(done.id)[0].worker_name == "one"


def test_work_answers_in_json(cli: Cli, client: Client) -> None:
    client.enqueue(shop.greet, "Ada")
    answer = cli.script(
        *("work", "shop:greet", "--budget", "20s", "--json", "--log-format", "json"),
        *("--queue", "mail=2", "--queue", "other=1", "--slots", "mail=2", "--slots", "other=1"),
    )
    report = answer.json()
    assert (report["reason"], report["succeeded"], report["exit_code"]) == ("empty", 1, 0)
    events = [json.loads(line) for line in answer.err.splitlines()]
    assert events[0]["event"] == "worker starts"
    assert events[0]["level"] == "info"


def test_work_serves_only_the_queues_it_is_told(cli: Cli, client: Client) -> None:
    job = client.enqueue(shop.greet, "Ada")  # in mail
    answer = cli.script("work", "shop", "--until-empty", "--queue", "other")
    assert answer.out.endswith(": no job ran\n")
    assert client.get(job.id).state is lh.State.QUEUED


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_hands_running_jobs_back_and_ends_well(
    cli: Cli, client: Client, tmp_path: Path, number: signal.Signals
) -> None:
    started = tmp_path / "started"
    job = client.enqueue(shop.wait, str(started))
    process = cli.start("work", "shop", "--grace", "1s", "--log-level", "warning")
    wait_for(started)
    process.send_signal(number)
    out, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 0, err
    assert out.startswith("stopped after ")
    assert out.endswith("1 released\n")
    assert client.get(job.id).failures == 0


def test_a_handler_that_can_not_be_stopped_is_exit_code_70(cli: Cli, client: Client) -> None:
    job = client.enqueue(shop.stuck)
    answer = cli.script("work", "shop", "--grace", "1s")
    assert answer.code == 70
    assert answer.out.startswith("abandoned after ")
    assert client.get(job.id).state is lh.State.DEAD


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nowhere"], "there is no module 'nowhere' here"),
        (["shop.py"], "is not a module path"),
        (["shop:nothing"], "there is no 'nothing' in it"),
        (["shop:number"], "is a int"),
        (["json"], "has no tasks"),
        (["shop", "--lease", "1 fortnight"], "can't read"),
        (["shop", "--slots", "many"], "--slots: 'many' is not a number"),
        (["shop", "--slots", "2", "--slots", "mail=1"], "--slots: give one number"),
        (["shop", "--slots", "0"], "at least 1"),
        (["shop", "--queue", "a=heavy"], "--queue: 'heavy' is not a number"),
        ([], "Missing argument"),
    ],
)
def test_what_can_not_be_used_is_a_usage_error(
    tmp_path: Path, sqlite_url: str, words: list[str], complaint: str
) -> None:
    answer = Cli(sqlite_url, tmp_path).script("work", *words)
    assert answer.code == 2
    assert complaint in answer.err
    assert "Traceback" not in answer.err


def test_a_module_that_fails_to_import_is_told_from_a_missing_one(
    tmp_path: Path, sqlite_url: str
) -> None:
    (tmp_path / "broken_shop.py").write_text("import leasehold\n1 / 0\n")
    cli = Cli(sqlite_url, tmp_path)
    answer = cli.script("work", "broken_shop")
    assert answer.code == 1
    assert answer.err.startswith("Error: importing broken_shop failed with ZeroDivisionError")
    assert "Traceback" not in answer.err
    assert "1 / 0" in cli.script("work", "broken_shop", "--debug").err


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        (SHOP, ["greet", "broken", "stuck", "wait"]),
        (f"{SHOP}:greet", ["greet"]),
        (f"{SHOP}:several", ["greet", "broken"]),
        (f"{SHOP}:registry", ["greet"]),
        ("tests.cli:shop", ["greet", "broken", "stuck", "wait"]),
        ("tests.cli:shop.greet", ["greet"]),
    ],
)
def test_tasks_are_found_by_module_and_attribute(name: str, kinds: list[str]) -> None:
    assert [task.name for task in load_tasks(name)] == kinds


@pytest.mark.parametrize(
    ("words", "queues"),
    [
        ((), None),
        (("a", "b"), ["a", "b"]),
        (("a=3", "b"), {"a": 3.0, "b": 1.0}),
    ],
)
def test_queues_are_in_order_or_weighted(words: tuple[str, ...], queues: Any) -> None:
    assert read_queues(words) == queues


@pytest.mark.parametrize(
    ("words", "slots"),
    [((), {}), (("4",), {"slots": 4}), (("a=2", "b=3"), {"slots": {"a": 2, "b": 3}})],
)
def test_slots_are_for_all_or_by_queue(words: tuple[str, ...], slots: Any) -> None:
    assert read_slots(words) == slots
