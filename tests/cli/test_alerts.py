"""`leasehold alerts`, and workers that watch: real processes, one webhook."""

from __future__ import annotations

import shutil
import signal
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from leasehold.alerting import AlertWatch, load_config
from tests.cli import shop
from tests.cli.kit import WAIT_SECONDS, Cli
from tests.watch.servers import http_server
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from leasehold.client import Client


@pytest.fixture(autouse=True)
def _shop(tmp_path: Path) -> None:
    shutil.copy(shop.__file__, tmp_path / "shop.py")


def fire(client: Client) -> None:
    client.enqueue_many(shop.greet.call("Ada") for _ in range(101))
    AlertWatch(client, load_config(None)).step()


def test_what_fires_is_listed(cli: Cli, client: Client) -> None:
    assert cli("alerts").out == "Nothing fires.\n"
    fire(client)
    assert "queue mail has 101 jobs ready, more than 100" in cli("alerts").out
    (alert,) = cli("alerts", "--json").json()["alerts"]
    assert (alert["name"], alert["subject"], alert["state"]) == ("depth", "mail", "firing")


def test_an_alert_is_muted_for_a_time_and_told_again(cli: Cli, client: Client) -> None:
    answer = cli("alerts", "mute", "depth", "--for", "2h", "--by", "ada")
    assert answer.out.startswith("depth: muted until ")
    assert "depth is muted until" in cli("alerts").out
    assert cli("alerts", "--json").json()["mutes"][0]["by"] == "ada"
    assert cli("alerts", "unmute", "depth").out == "depth: told again\n"
    assert cli("alerts", "unmute", "depth").out == "depth: it was not muted\n"
    refused = cli("alerts", "mute", "deep")
    assert refused.code == 2
    assert "one of depth, waiting, dead, silent" in refused.err


def test_a_sink_is_tested(cli: Cli, tmp_path: Path) -> None:
    with http_server(statuses=[200, 500]) as server:
        path = tmp_path / "alerts.toml"
        path.write_text(f'[sinks.ops]\nkind = "webhook"\nurl = "{server.url}"\n')
        assert cli("alerts", "test", "ops", "--config", str(path)).out == "ops: sent\n"
        assert server.events[0]["name"] == "test"
        failed = cli("alerts", "test", "ops", "--config", str(path))
        assert (failed.code, failed.err) == (1, "Error: the webhook answered 500\n")
        unknown = cli("alerts", "test", "nobody", "--config", str(path))
        assert (unknown.code, "known: log, ops" in unknown.err) == (3, True)
        assert cli("alerts", "test", "ops").code == 3  # the built-in rules have the log only


def test_workers_that_watch_tell_each_alert_once_and_its_end_once(
    cli: Cli, client: Client, tmp_path: Path
) -> None:
    with http_server() as server:
        (tmp_path / "alerts.toml").write_text(
            f"""
[alerts]
every = "1s"
sinks = ["log", "ops"]
[alerts.depth]
above = 5
queues = {{ nobody = 3 }}
[sinks.ops]
kind = "webhook"
url = "{server.url}"
"""
        )
        jobs = client.enqueue_all(
            shop.greet.with_options(queue="nobody").call("Ada") for _ in range(4)
        )
        words = ("work", "shop", "--alerts", "alerts.toml", "--queue", "mail")
        workers = [cli.start(*words) for _ in range(3)]
        try:
            wait_until(lambda: len(server.events) == 1, "it fires", WAIT_SECONDS)
            for job in jobs:
                client.cancel(job.id)
            wait_until(lambda: len(server.events) == 2, "it clears", WAIT_SECONDS)
        finally:
            for worker in workers:
                worker.send_signal(signal.SIGTERM)
            ends = [worker.communicate(timeout=WAIT_SECONDS) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    assert [event["state"] for event in server.events] == ["firing", "clear"]
    logged = Counter(
        name for _, err in ends for name in ("alert firing", "alert clear") if name in err
    )
    assert logged == {"alert firing": 1, "alert clear": 1}


def test_a_file_that_is_wrong_is_wrong_usage(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "alerts.toml").write_text("[alerts]\nsinks = ['nobody']")
    answer = cli.script("work", "shop", "--alerts", "alerts.toml")
    assert answer.code == 2
    assert "no sink 'nobody'" in answer.err
