"""`leasehold retention` and `leasehold prune`."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold.model.ids import WorkerId, uuid7
from leasehold.model.values import Settlement, Want

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.cli.kit import Cli

WORKER = WorkerId(7)


@lh.task(name="greet")
def greet() -> None: ...


def end_long_ago(client: Client, count: int, *, days: float) -> None:
    """Let jobs have ended so many days ago."""
    client.store.skew_seconds = -days * 86_400
    made = int((time.time() - days * 86_400) * 1000)
    ids = [uuid7(made, os.urandom(10)) for _ in range(count)]
    client.enqueue_many(greet.with_options(id=job_id).call() for job_id in ids)
    claims = client.store.claim(
        WORKER, [Want("default", count)], limit=count, leases={"greet": 60.0}
    )
    client.store.finish(WORKER, [Settlement(job_id=c.job_id, fence=c.fence) for c in claims])
    client.store.skew_seconds = 0.0


def test_what_is_said_is_shown_set_and_reset(cli: Cli, client: Client) -> None:
    assert " ".join(cli("retention").out.splitlines()[1].split()) == "all jobs 7 d 30 d 30 d"
    assert cli("retention", "set", "--queue", "mail", "--keep", "3d").out == "queue mail: set\n"
    cli("retention", "set", "--task", "greet", "--keep", "ever", "--by", "ada")
    cli("retention", "set", "--keep", "1d")
    said = cli("retention", "--json").json()
    assert said["all"]["succeeded"] == 86_400.0
    assert [(each["scope"], each["name"]) for each in said["said"]] == [
        ("all", ""),
        ("queue", "mail"),
        ("task", "greet"),
    ]
    lines = cli("retention").out.splitlines()
    assert lines[-1].split() == ["task", "greet", "ever", "ada"]
    assert cli("retention", "reset", "--queue", "mail").out == "queue mail: forgotten\n"
    assert cli("retention", "reset", "--queue", "mail").out == "queue mail: nothing was set\n"
    assert client.retention.of(queue="mail").succeeded == 86_400.0


def test_wrong_words_are_refused(cli: Cli) -> None:
    for words in (["--keep", "always"], [], ["--queue", "a", "--task", "b", "--keep", "1d"]):
        answer = cli("retention", "set", *words)
        assert answer.code == 2, words
        assert answer.out == ""


def test_prune_counts_first_and_then_takes_away(cli: Cli, client: Client) -> None:
    end_long_ago(client, 12, days=8)
    assert cli("prune", "--dry-run").out == "12 jobs and 0 keys would go\n"
    assert cli("prune", "--json").json() == {"dry_run": False, "jobs": 12, "keys": 0}
    assert cli("prune").out == "0 jobs and 0 keys went\n"
    assert client.find() == []


def test_doctor_says_when_retention_lags(cli: Cli, client: Client) -> None:
    def finding() -> tuple[str, str]:
        found = cli("doctor", "--json").json()["findings"]
        return next((f["level"], f["message"]) for f in found if f["topic"] == "retention")

    end_long_ago(client, 3, days=7.5)
    assert finding()[0] == "ok"
    end_long_ago(client, 3, days=9)
    assert finding() == ("warning", "3 jobs should have been taken away over a day ago")
    cli("prune")
    assert finding()[0] == "ok"
