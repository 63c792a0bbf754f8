"""`leasehold-sync`, as a person or a script runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from leasehold.kit.data import Database
from leasehold_sync.model.apps import App
from leasehold_sync.servers import StripeServer
from tests.sync.cli.kit import Run, runner
from tests.sync.kit import kept

MakeApp = Callable[..., App]


@pytest.fixture
def run(url: str) -> Run:
    return runner(url)


def test_a_sync_waits_for_work_and_is_worked_on(
    run: Run, make_app: MakeApp, stripe: StripeServer, database: Database
) -> None:
    make_app(stripe)
    begun = run("run", "shop", "--full")
    assert (begun.code, "waits for a worker" in begun.out) == (0, True)
    assert "leasehold-sync work" in begun.err
    worked = run("work", "--budget", "20", "--json").json()
    assert worked["tasks_processed"] == worked["jobs_completed"] == 1
    assert worked["shutdown_reason"] == "no_pending_tasks"
    shown = run("status", "shop", "--json").json()
    assert (shown["status"], shown["progress"]) == ("completed", 100.0)
    assert shown["tasks"][0]["created"] == 250
    assert kept(database) == sorted(stripe.ids("customers"))
    assert "250" in run("status", "shop").out
    assert "completed" in run("status").out


def test_a_second_run_joins_the_first(run: Run, make_app: MakeApp, stripe: StripeServer) -> None:
    make_app(stripe)
    first = run("run", "shop", "--json").json()
    second = run("run", "shop", "--json").json()
    assert (first["deduplicated"], second["deduplicated"]) == (False, True)
    assert first["job_id"] == second["job_id"]


def test_an_immediate_sync_is_done_when_it_returns_and_leaves_no_job(
    run: Run, make_app: MakeApp, stripe: StripeServer, database: Database
) -> None:
    make_app(stripe)
    said = run("run", "shop", "--full", "--immediate", "--json").json()
    assert (said["status"], said["has_more"]) == ("completed", False)
    assert kept(database) == sorted(stripe.ids("customers"))
    assert run("status", "--json").json()["apps"][0]["job_id"] is None


def test_a_dry_run_tells_what_would_be_and_writes_nothing(
    run: Run, make_app: MakeApp, stripe: StripeServer, database: Database
) -> None:
    make_app(stripe)
    said = run("run", "shop", "--full", "--dry-run")
    assert said.code == 0
    assert "250" in said.out
    assert "nothing was" in said.out
    assert kept(database) == []


def test_a_failed_immediate_sync_says_why_and_exits_with_1(
    run: Run, make_app: MakeApp, stripe: StripeServer
) -> None:
    make_app(stripe)
    stripe.fail(401)
    said = run("run", "shop", "--immediate")
    assert said.code == 1
    assert "unauthorised" in said.out
    assert stripe.key not in said.out + said.err


def test_a_sync_is_cancelled_once_and_for_all(
    run: Run, make_app: MakeApp, stripe: StripeServer
) -> None:
    make_app(stripe)
    job_id = run("run", "shop", "--json").json()["job_id"]
    assert run("cancel", job_id).code == 0
    assert run("cancel", "shop").code == 0
    assert run("status", job_id, "--json").json()["status"] == "cancelled"
    assert run("retry", job_id).code == 1


def test_a_failed_sync_is_retried_from_where_it_stands(
    run: Run, make_app: MakeApp, stripe: StripeServer, database: Database
) -> None:
    make_app(stripe)
    stripe.fail(403, skip=1)
    run("run", "shop", "--full")
    run("work")
    assert run("status", "shop", "--json").json()["status"] == "failed"
    asked = stripe.count()
    assert "1 task " in run("retry", "shop").out
    run("work", "--job", "shop")
    assert run("status", "shop", "--json").json()["status"] == "completed"
    assert stripe.count() == asked + 2, "the first page was kept"
    assert kept(database) == sorted(stripe.ids("customers"))


def test_apps_are_added_listed_changed_and_removed(run: Run, stripe: StripeServer) -> None:
    added = run(
        *("apps", "add", "shop", "--connector", "stripe", "--credential", "env:SHOP_KEY"),
        *("--base-url", stripe.url, "--resources", "customers, products"),
        *("--sync-from", "2024-01-01", "--schedule", "*/15 * * * *"),
    )
    assert (added.code, "shop" in added.out) == (0, True)
    (listed,) = run("apps", "--json").json()["apps"]
    assert listed["resources"] == ["customers", "products"]
    assert listed["sync_from"].startswith("2024-01-01T00:00:00")
    assert "env:SHOP_KEY" in run("apps", "list").out
    assert run("apps", "remove", "shop").code == 0
    assert "no app yet" in run("apps").out
    assert run("apps", "remove", "shop").code == 3


def test_apps_come_from_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "apps.toml"
    file.write_text(
        '[apps.shop]\nconnector = "stripe"\ncredential = "env:SHOP_KEY"\nsync_from = 2024-01-01\n'
        '[apps.wiki]\nconnector = "notion"\ncredential = "stored:notion"\n'
    )
    assert run("apps", "load", str(file), "--json").json() == {"apps": ["shop", "wiki"]}
    assert run("apps", "load", str(file)).code == 0
    file.write_text('[apps.shop]\nconnector = "stripe"\ncredential = "sk_live_by_mistake"\n')
    refused = run("apps", "load", str(file))
    assert refused.code == 1
    assert "by_mistake" not in refused.err, (
        "whoever writes a credential there does not read it in logs"
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--connector", "pigeon"), "pigeon"),
        (("--connector", "stripe", "--resources", "unicorns"), "unicorns"),
        (("--connector", "stripe", "--schedule", "now and then"), "schedule"),
    ],
)
def test_an_app_that_can_not_be_is_refused(run: Run, words: tuple[str, ...], reason: str) -> None:
    said = run("apps", "add", "shop", *words)
    assert said.code == 1
    assert reason in said.err


def test_check_reads_one_page_and_says_what_is_wrong(
    run: Run, make_app: MakeApp, stripe: StripeServer, database: Database
) -> None:
    make_app(stripe, resources=("customers", "subscriptions"))
    assert run("check", "shop", "--json").json()["seen"] == {"customers": 100}
    seen = run("check", "shop", "--resources", "subscriptions", "--json").json()["seen"]
    assert seen == {"subscriptions": 40}
    assert stripe.count() == 2
    stripe.fail(401)
    refused = run("check", "shop")
    assert (refused.code, "unauthorised" in refused.err) == (1, True)
    assert kept(database) == []


def test_what_is_not_there_has_an_exit_code_of_its_own(run: Run) -> None:
    for words in (("run", "shop"), ("status", "shop"), ("check", "shop"), ("cancel", str(uuid4()))):
        said = run(*words)
        assert (said.code, said.out) == (3, "")


def test_cleanup_leaves_the_newest_sync_of_an_app(
    run: Run, make_app: MakeApp, stripe: StripeServer
) -> None:
    make_app(stripe, resources=("products",))
    for _ in range(3):
        run("run", "shop", "--full")
        run("work")
    assert run("cleanup", "--days", "0", "--json").json() == {"syncs": 2}
    assert run("status", "shop").code == 0


def test_work_ends_cleanly_when_it_is_told_to(
    url: str, run: Run, make_app: MakeApp, stripe: StripeServer
) -> None:
    make_app(stripe)
    stripe.delay(0.3)
    run("run", "shop", "--full")
    with subprocess.Popen(
        [sys.executable, "-m", "leasehold_sync.cli", "work", "--budget", "40", "--json"],
        env=os.environ | {"LEASEHOLD_URL": url},
        stdout=subprocess.PIPE,
    ) as process:
        deadline = time.monotonic() + 60
        while not stripe.count():
            assert time.monotonic() < deadline
            time.sleep(0.02)  # between two looks
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    assert b'"stopped"' in out
    assert run("work", "--json").json()["jobs_completed"] == 1
