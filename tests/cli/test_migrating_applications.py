"""Applications' own tables: migrated with the queue's, and asked for before they are served."""

from __future__ import annotations

from pathlib import Path

import pytest

from leasehold.client import Client
from leasehold.web import WebSettings
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from tests.cli.kit import Cli
from tests.web import own_tables
from tests.web.own_tables import STEP

OWN = ("--no-apps", "--app", "tests.web.own_tables:application")
BROKEN = ("--no-apps", "--app", "tests.web.own_tables:broken")
FOUND = [Found(name="own", application=own_tables.application)]


@pytest.fixture
def cli(empty_url: str, tmp_path: Path) -> Cli:
    return Cli(empty_url, tmp_path)


def test_migrate_brings_them_up_to_date_once(cli: Cli) -> None:
    cli("migrate", "--no-apps")
    behind = cli("migrate", "--check", *OWN)
    assert (behind.code, f"  pending own: {STEP}" in behind.out) == (3, True)
    assert "Run `leasehold migrate`." in behind.out
    assert cli("migrate", "--dry-run", *OWN).code == 0
    done = cli("migrate", *OWN)
    assert (done.code, f"  applied own: {STEP}" in done.out) == (0, True)
    again = cli("migrate", "--check", "--json", *OWN)
    told: dict[str, object] = {"name": "own", "applied": [], "pending": [], "error": None}
    assert (again.code, again.json()["applications"]) == (0, [told])
    assert cli("audit", "--json").json()["audit"][0]["subject"] == f"own: {STEP}"


def test_one_that_fails_is_told_of_and_the_queue_is_migrated(cli: Cli) -> None:
    answer = cli("migrate", *BROKEN)
    assert answer.code == 1
    assert "BROKEN bad: RuntimeError: no room" in answer.err
    assert "canary-secret" not in answer.out + answer.err
    assert cli("migrate", "--check", "--no-apps").code == 0


def test_it_is_not_served_before_and_says_what_to_run(cli: Cli) -> None:
    cli("migrate", "--no-apps")
    with Client(cli.url) as client:
        assembly = assemble(client, settings=WebSettings(), found=FOUND)
        assert f"lack {STEP}: run `leasehold migrate`" in assembly.broken["own"]
        assert not assembly.main.registry  # and its jobs wait for one that can run them
        assembly = assemble(client, settings=WebSettings(), found=FOUND, is_migrating=True)
        assert (assembly.broken, list(assembly.served)) == ({}, ["own"])
        assert assemble(client, settings=WebSettings(), found=FOUND).broken == {}
