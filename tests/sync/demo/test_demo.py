"""The demo shows a finished sync, one that moves, one that waits, and one to retry."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync import apps, syncing
from leasehold_sync.data import runs
from leasehold_sync.demo.living import Demo
from leasehold_sync.demo.sources import SOURCES
from leasehold_sync.working import Run
from tests.worker.kit import wait_until

PROJECT = Path(__file__).parents[3] / "apps" / "sync" / "pyproject.toml"


@pytest.fixture
def demo(queue: lh.Client) -> Iterator[Demo]:
    """A demo that is open and answers at once; it lives when a test says so."""
    demo = Demo(queue, size=0.05)
    demo.open()
    demo.servers["notes"].delay(0, "/v1/data_sources")
    for server in demo.servers.values():
        server.start()
    yield demo
    demo.close()


def jobs_of(database: Database) -> dict[str, UUID]:
    """Return the newest sync job of each app."""
    query = select(runs.jobs.c.app_key, runs.jobs.c.id).order_by(runs.jobs.c.created_at)
    with database.browse() as connection:
        return dict(list(connection.execute(query)))


def work(queue: lh.Client, database: Database, job_id: UUID) -> dict[str, Any]:
    """Work at a sync job as long as it can go on; returns how it stands then."""
    Run(queue, database, job_id=job_id).run()
    return syncing.status(queue, database, job_id)


def test_a_shop_is_synced_to_its_end_and_an_old_one_when_it_is_tried_again(
    queue: lh.Client, database: Database, demo: Demo
) -> None:
    demo.sync_first()
    jobs = jobs_of(database)

    shop = work(queue, database, jobs["shop"])
    old = work(queue, database, jobs["old_shop"])

    assert (shop["status"], shop["failed_tasks"]) == ("completed", 0)
    # With the lines of invoices and the items of subscriptions:
    rows = demo.servers["shop"].rows.items()
    assert shop["processed_entities"] > sum(len(found) for name, found in rows if name != "events")
    assert old["status"] == "failed"
    assert "unauthorised" in old["error_message"]
    syncing.retry(queue, database, jobs["old_shop"])
    assert work(queue, database, jobs["old_shop"])["status"] == "completed"


def test_a_help_desk_waits_for_its_limit_and_says_so(
    queue: lh.Client, database: Database, demo: Demo
) -> None:
    demo.sync_first()

    found = work(queue, database, jobs_of(database)["helpdesk"])

    waiting = [task for task in found["tasks"] if task["snoozed_until"] is not None]
    assert found["status"] == "processing"
    assert waiting
    assert all(task["snooze_reason"] for task in waiting)


def test_notes_move_and_are_synced_again(queue: lh.Client, database: Database, demo: Demo) -> None:
    demo.sync_first()
    first = jobs_of(database)["notes"]
    assert work(queue, database, first)["status"] == "completed"

    demo.change()
    demo.sync_first()
    second = jobs_of(database)["notes"]
    pages = next(
        task for task in work(queue, database, second)["tasks"] if task["resource_type"] == "pages"
    )

    assert second != first
    assert (pages["created"], pages["deleted"]) == (1, 1)


def test_a_second_start_begins_no_sync_of_what_has_been_synced(
    queue: lh.Client, database: Database, demo: Demo
) -> None:
    demo.sync_first()
    before = jobs_of(database)

    demo.sync_first()

    assert jobs_of(database) == before
    assert {app.app_key for app in apps.find(database)} == {source.key for source in SOURCES}


def test_it_lives_until_it_is_closed_and_takes_its_keys_along(queue: lh.Client) -> None:
    demo = Demo(queue, life_seconds=0.01, size=0.05)
    demo.open()
    demo.start()
    server = demo.servers["shop"]
    wanted = server.rows["customers"].last + 2
    wait_until(lambda: server.rows["customers"].last >= wanted, "rows come")
    demo.close()
    demo.close()

    assert not [name for name in os.environ if name.startswith("SYNC_DEMO_")]


def test_nobody_gets_the_demo_who_did_not_name_it() -> None:
    entries = tomllib.loads(PROJECT.read_text())["project"].get("entry-points", {})

    assert "demo" not in str(entries)
