"""The library in the service: its tables are asked for, made, and never made on the way."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import leasehold as lh
from leasehold.web import WebSettings
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from leasehold_links.web import application
from tests.web.serving import served

PROGRAM = ("leasehold_links.cli", "serve")
EVERYWHERE = "0.0.0.0"  # noqa: S104 - it is refused
# What ending may take on a machine that does much else: the promise is 3 s on an idle one.
PATIENCE_SECONDS = 8.0


def test_without_its_tables_it_is_not_served_and_says_what_to_run(bare_url: str) -> None:
    with lh.Client(bare_url) as client:
        client.store.migrate()
        check_tables_are_asked_for(client)


def check_tables_are_asked_for(client: lh.Client) -> None:
    found = [Found(name="links", application=application())]
    told = assemble(client, settings=WebSettings(), found=found).broken["links"]
    assert "the tables of links lack 0001" in told
    assert "leasehold migrate" in told
    assembly = assemble(client, settings=WebSettings(), found=found, is_migrating=True)
    assert assembly.broken == {}
    assert "links.enrich" in assembly.main.registry.kinds
    assert assemble(client, settings=WebSettings(), found=found).broken == {}


def test_its_own_program_serves_it_and_ends_in_time(url: str) -> None:
    with served(url, "--migrate", "--log-level", "error", program=PROGRAM) as service:
        assert service.told["application"] == f"{service.address}/links/"
        document = service.http.get("/links/api/openapi.json").json()
        assert document["info"]["title"] == "leasehold-links"
        (worker,) = service.http.get("/api/workers").json()
        assert "links" in worker["queues"]
        code, seconds, log = service.end()
        assert (code, seconds < PATIENCE_SECONDS, "Traceback" in log) == (0, True, False)


def test_its_own_program_says_what_to_run_where_tables_are_missing(postgres_url: str) -> None:
    done = run("--url", postgres_url)
    assert (done.returncode, "leasehold migrate" in done.stderr) == (3, True)
    with lh.Client(postgres_url) as client:
        client.store.migrate()
    done = run("--url", postgres_url)
    assert (done.returncode, "the tables of links lack 0001" in done.stderr) == (1, True)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [(), ("--demo",)])
def test_its_own_program_asks_who_it_is_before_others_can_reach_it(
    sqlite_url: str, words: tuple[str, ...]
) -> None:
    done = run("--url", sqlite_url, "--host", EVERYWHERE, *words)
    assert (done.returncode, "can be reached by others" in done.stderr) == (2, True)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *PROGRAM, "--port", "0", "--log-level", "error", *words]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=paths
    )
