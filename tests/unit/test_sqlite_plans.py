"""Every statement is served by an index, also on tables that have never been analysed."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib import resources

import pytest

from leasehold.store.sqlite.statements import text
from leasehold.store.sqlite.store import SqliteStore

# They say in their first line why they may scan.
SCANNING = {
    "alert_mutes",
    "alerts",
    "audit_to_prune",
    "counts",
    "credentials",
    "depth_oldest",
    "end_sessions",
    "fleet",
    "fold_charges_sum",
    "forget_alerts",
    "has_alert_news",
    "has_tokens",
    "is_busy",
    "lapsed",
    "leases_of_worker",
    "leases_standing",
    "mark_gate",
    "parked_kinds",
    "queues",
    "queues_limited",
    "queues_paused",
    "quotas",
    "retentions",
    "schedules",
    "shares",
    "stranded",
    "survey_dependents",
    "take_alert_news",
    "tend_buckets",
    "tend_forget",
    "tend_keys",
    "tend_lanes_look",
    "tend_look",
    "tend_strike_off",
    "throttles",
    "tokens",
    "why_workers",
    "workers",
}
SORTING = {
    "alerts",
    "batches_of",
    "counts",
    "depth_oldest",
    "depth_series",
    "died",
    "fleet",
    "fold_charges_sum",
    "fold_depths_put",
    "fold_statistics_put",
    "get_batch",
    "jobs",
    "lapsed",
    "look_lanes_batch",
    "parked_kinds",
    "parked_pick_batch",
    "prune_keys_look",
    "sealed_checkpoint",
    "sealed_credential",
    "sealed_job",
    "sealed_outcome",
    "sealed_schedule",
    "sealed_step",
    "shares",
    "statistic_series",
    "statistic_totals",
    "statistics",
    "steps",
    "stranded",
    "throttles",
    "tokens",
    "unhappy",
    "why_lane_jobs",
    "why_workers",
    "workers",
}
NAMES = sorted(
    entry.name.removesuffix(".sql")
    for entry in resources.files("leasehold.store.sqlite").joinpath("sql").iterdir()
)


@pytest.fixture
def connection(sqlite_url: str) -> Iterator[sqlite3.Connection]:
    with closing(SqliteStore(sqlite_url)) as store:
        store.migrate()
        with store._database.write() as opened:
            yield opened


def explain(connection: sqlite3.Connection, name: str) -> list[str]:
    statement = text(name)
    parameters = dict.fromkeys(re.findall(r":(\w+)", statement), "[]")
    return [row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + statement, parameters)]


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_reads_through_an_index_and_does_not_sort(
    connection: sqlite3.Connection, name: str
) -> None:
    plan = explain(connection, name)
    aliases = (
        r"job|ready|waiting|scheduled|parked|lease|outcome|task|worker|own|rule|following|head"
    )
    scans = [
        step
        for step in plan
        if re.match(rf"SCAN (leasehold_\w+|{aliases})\b", step) and "leasehold_fence" not in step
    ]
    sorts = [step for step in plan if "USE TEMP B-TREE" in step]
    if name not in SCANNING:
        # A scan that an ORDER BY and a LIMIT walk is a keyset page.
        assert not [step for step in scans if "USING" not in step], plan
    if name not in SORTING:
        assert not sorts, plan


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("find_dead", "leasehold_outcome_unhappy (state=? AND job_id>? AND job_id<?)"),
        ("find_cancelled", "leasehold_outcome_unhappy (state=? AND job_id>? AND job_id<?)"),
        ("find_failed", "leasehold_scheduled_failed (job_id>? AND job_id<?)"),
        ("find_queued", "MERGE"),
        ("claim_pick", "PRIMARY KEY (queue=? AND is_suspect=? AND priority>? AND priority<?)"),
        ("promote", "leasehold_scheduled_due (run_at<?)"),
        ("parked_pick", "leasehold_parked_order (kind=? AND queue=?)"),
        ("settle_remove", "PRIMARY KEY (job_id=?)"),
        ("look_parties", "leasehold_waiting_place (place>? AND place<?)"),
        ("look_lanes", "leasehold_waiting_place (place>? AND place<?)"),
        ("look_lanes", "leasehold_waiting_place (place=?)"),
        ("lane_pick", "leasehold_waiting_place (place=?)"),
        ("lane_park", "leasehold_waiting_place (place=?)"),
        ("lane_lease", "PRIMARY KEY (job_id=?)"),
        ("lane_remove", "PRIMARY KEY (job_id=?)"),
        ("lane_states", "COVERING INDEX leasehold_lease_lane (lane=?)"),
        ("lane_states", "COVERING INDEX leasehold_lease_lane (lane=? AND worker=?)"),
        ("lane_states", "leasehold_charge_lane (lane=?)"),
        ("charge_fold", "leasehold_charge_lane (lane=?)"),
        ("survey_lanes", "leasehold_waiting_place (place>? AND place<?)"),
        ("survey_stages", "leasehold_waiting_place (place>? AND place<?)"),
        ("batch_is_live", "leasehold_lease_batch (batch=?)"),
        ("batch_is_live", "leasehold_ready_batch (batch=?)"),
        ("batch_has_dead", "leasehold_job_batch (batch=?)"),
        ("find_members", "leasehold_job_batch (batch=? AND id>? AND id<?)"),
        ("live_members", "leasehold_scheduled_batch (batch=?)"),
        ("get_batch", "leasehold_job_batch (batch=?)"),
        ("sweep_batches", "leasehold_batch_open (id>?)"),
        ("promote_waiting", "leasehold_scheduled_due (run_at<?)"),
        ("dependents_of", "PRIMARY KEY (needs=?)"),
        ("judge_needs", "leasehold_dependency_job (job_id=?)"),
    ],
)
def test_a_statement_uses_the_index_that_was_made_for_it(
    connection: sqlite3.Connection, name: str, index: str
) -> None:
    assert any(index in step for step in explain(connection, name))


@pytest.mark.parametrize("name", NAMES)
def test_a_statement_begins_with_its_promise(name: str) -> None:
    assert text(name).startswith("-- ")
    assert "?" not in re.sub(r"--.*", "", text(name))


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("ready_pick_batch", "ready"),
        ("parked_pick_batch", "parked"),
        ("look_lanes_batch", "waiting"),
        ("batch_look", "ready"),
    ],
)
def test_a_batchs_claim_reads_through_the_batchs_index(
    connection: sqlite3.Connection, name: str, table: str
) -> None:
    plan = explain(connection, name)
    assert any(f"leasehold_{table}_batch (batch=?" in step for step in plan), plan
