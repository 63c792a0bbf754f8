"""`leasehold jobs show`: how far a job is, where it would go on, and what it remembers."""

from __future__ import annotations

import leasehold as lh
from leasehold import testing
from leasehold.client import Client
from tests.cli.kit import Cli


@lh.task(name="pages")
def pages(total: float | None) -> None:
    job = lh.current_job()
    job.checkpoint({"page": 7}, done=1500, total=total, note="seventh\x1b[2J page")
    job.step("fetch [bold]", lambda: ["\x1b[2Ja", 1])
    job.progress(3000)


@lh.task(name="quiet")
def quiet() -> None: ...


def shown(cli: Cli, client: Client, total: float | None) -> str:
    job_id = str(client.enqueue(pages, total).id)
    testing.drain(client, [pages])
    return cli("jobs", "show", job_id).out


def test_show_tells_how_far_a_job_is(cli: Cli, client: Client) -> None:
    text = shown(cli, client, 6000.0)
    assert "3,000 of 6,000 (50%)" in text
    assert '"page": 7' in text
    assert "fetch [bold]" in text
    assert "seventh" in text
    assert "\x1b" not in text
    assert "3,000 done" in shown(cli, client, None)


def test_json_has_checkpoint_and_steps(cli: Cli, client: Client) -> None:
    job_id = str(client.enqueue(pages, 10.0).id)
    testing.drain(client, [pages])
    found = cli("jobs", "show", "--json", job_id).json()
    checkpoint = found["checkpoint"]
    assert (checkpoint["cursor"], checkpoint["done"], checkpoint["total"]) == (
        {"page": 7},
        3000,
        10,
    )
    assert checkpoint["saved_at"].endswith("Z")
    (step,) = found["steps"]
    assert (step["name"], step["result"]) == ("fetch [bold]", ["\x1b[2Ja", 1])


def test_a_job_that_saved_nothing_says_nothing_of_it(cli: Cli, client: Client) -> None:
    job_id = str(client.enqueue(quiet).id)
    testing.drain(client, [quiet])
    found = cli("jobs", "show", "--json", job_id).json()
    assert (found["checkpoint"], found["steps"]) == (None, [])
    assert "saved" not in cli("jobs", "show", job_id).out
