"""`leasehold doctor`: what is wrong is found, and only problems make it fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import leasehold as lh
from leasehold.client import Client
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Pause
from leasehold.model.values import Want, WorkerInfo
from tests.cli.kit import Cli
from tests.cli.shop import greet, wait

ME = WorkerInfo(
    id=WorkerId(7), name="me", queues=("default",), kinds=("wait",), slots=1, version="0"
)


def findings(cli: Cli, topic: str) -> list[dict[str, Any]]:
    found = cli("doctor", "--json").json()["findings"]
    return [each for each in found if each["topic"] == topic]


def test_a_healthy_queue_is_ok(cli: Cli, client: Client) -> None:
    with lh.Worker(client, [greet]):
        answer = cli("doctor", "--json")
    assert answer.code == 0
    assert answer.json()["is_ok"]
    levels = {each["topic"]: each["level"] for each in answer.json()["findings"]}
    assert levels["tables"] == levels["workers"] == levels["wake-up"] == levels["leases"] == "ok"


def test_the_text_names_the_database_and_sums_up(cli: Cli) -> None:
    lines = cli("doctor").out.splitlines()
    assert lines[0].startswith(("sqlite:///", "postgresql://"))
    assert lines[-1].startswith("0 problems, ")


def test_no_worker_is_a_warning_and_no_failure(cli: Cli) -> None:
    (found,) = findings(cli, "workers")
    assert found["level"] == "warning"
    assert "leasehold work" in found["remedy"]


def test_a_silent_worker_is_found(cli: Cli, client: Client) -> None:
    client.store.skew_seconds = -300.0
    client.store.register(ME, [])
    assert "not seen for over a minute: me" in findings(cli, "workers")[-1]["message"]


def test_a_queue_that_nobody_serves_is_found(cli: Cli, client: Client) -> None:
    client.store.register(ME, [])
    client.enqueue(greet, "Ada")
    (found,) = findings(cli, "queues")
    assert found["message"] == "mail has 1 ready job and no worker serves it"


def test_parked_kinds_are_named(cli: Cli, client: Client) -> None:
    client.enqueue(greet, "Ada")
    client.store.claim(WorkerId(7), [Want("mail", 1)], limit=1, leases={"other": 60.0})
    (found,) = findings(cli, "parked jobs")
    assert found["level"] == "warning"
    assert "1 job of kind greet" in found["message"]


def test_lapsed_leases_are_counted(cli: Cli, client: Client) -> None:
    client.store.skew_seconds = -300.0
    client.enqueue(wait, "x")
    claims = client.store.claim(WorkerId(7), [Want("default", 1)], limit=1, leases={"wait": 60.0})
    assert len(claims) == 1
    (found,) = findings(cli, "leases")
    assert found["message"] == "1 lease has lapsed and not been taken back yet"


def test_jobs_that_may_wait_for_ever_are_found(cli: Cli, client: Client) -> None:
    client.enqueue(greet.with_options(throttle="smtp:relay"), "Ada")
    client.enqueue(greet, "Ada")
    client.store.skew_seconds = -4000.0
    client.store.pause_queue("mail", Pause(by="Ada"))
    (found,) = findings(cli, "throttles")
    assert found["message"].startswith("1 job waits for throttle smtp, which nobody has declared")
    assert "leasehold throttles set smtp" in found["remedy"]
    (found,) = findings(cli, "paused queues")
    assert found["message"] == "2 jobs wait in mail, which has been paused for over an hour"
    assert found["remedy"].endswith("leasehold queues resume mail")


def test_missing_tables_are_a_problem_and_exit_code_1(postgres_url: str, tmp_path: Path) -> None:
    answer = Cli(postgres_url, tmp_path)("doctor")
    assert answer.code == 1
    assert "leasehold migrate" in answer.out
    assert "1 problem, " in answer.out


def test_a_schedule_that_nobody_fires_or_whose_task_nobody_knows_is_found(
    cli: Cli, client: Client
) -> None:
    assert findings(cli, "schedules") == []
    client.schedules.set("often", "every 1m", greet.call("Ada"))
    (fine,) = findings(cli, "schedules")
    assert fine["level"] == "ok"
    client.store.skew_seconds = -3600.0
    client.schedules.set("late", "every 1m", greet.call("Ada"))
    client.store.register(ME, [])
    late, *unknown = findings(cli, "schedules")
    assert (late["level"], "late" in late["message"]) == ("warning", True)
    assert ["no worker knows" in each["message"] for each in unknown] == [True, True]
    client.schedules.pause("late")
    client.schedules.pause("often")
    assert findings(cli, "schedules") == []
