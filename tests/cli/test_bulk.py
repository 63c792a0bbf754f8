"""`leasehold jobs cancel|retry|delete --where`: many jobs, counted and asked about first."""

from __future__ import annotations

from typing import Any

import pytest

import leasehold as lh
from leasehold.client import Client
from tests.cli.kit import Cli


@lh.task(name="greet")
def greet(name: str) -> None: ...


def enqueue(client: Client, count: int = 1, **options: Any) -> None:
    client.enqueue_many(greet.with_options(**options).call("Ada") for _ in range(count))


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leasehold.cli.jobs.is_terminal", lambda: True)


def test_cancel_where_changes_what_the_filters_name(cli: Cli, client: Client) -> None:
    enqueue(client, 3, queue="mail")
    enqueue(client, 2)
    where = ("--where", "queue=mail", "--where", "state=queued", "--by", "ada")
    assert cli("jobs", "cancel", *where, "--dry-run").out == "3 jobs would be cancelled.\n"
    assert cli("jobs", "cancel", *where).out == "3 jobs cancelled.\n"
    assert {job.error for job in client.find(state="cancelled")} == {"cancelled by ada"}
    assert len(client.find(state="queued")) == 2


def test_retry_and_delete_where(cli: Cli, client: Client) -> None:
    enqueue(client, 2)
    client.cancel_many()
    assert cli("jobs", "retry", "--where", "all").out == "2 jobs made ready.\n"
    assert cli("jobs", "delete", "--where", "kind=greet", "--limit", "1").out == "1 job deleted.\n"
    assert len(client.find()) == 1


def test_with_json_the_counts_come_as_numbers(cli: Cli, client: Client) -> None:
    enqueue(client, 2)
    words = ("jobs", "cancel", "--where", "all", "--json")
    assert cli(*words, "--dry-run").json() == {"matched": 2, "changed": 0, "dry_run": True}
    assert cli(*words).json() == {"matched": 2, "changed": 2, "dry_run": False}


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("said", ["y", "n"])
def test_on_a_terminal_it_counts_and_asks_first(cli: Cli, client: Client, said: str) -> None:
    enqueue(client, 2)
    answer = cli("jobs", "delete", "--where", "state=queued", stdin=f"{said}\n")
    assert "Delete 2 jobs?" in answer.err
    assert answer.code == (0 if said == "y" else 1)
    assert len(client.find()) == (0 if said == "y" else 2)


@pytest.mark.usefixtures("terminal")
def test_it_does_not_ask_with_yes_nor_about_nothing(cli: Cli, client: Client) -> None:
    enqueue(client, 2)
    assert cli("jobs", "cancel", "--where", "all", "--yes").out == "2 jobs cancelled.\n"
    assert cli("jobs", "cancel", "--where", "all").out == "0 jobs would be cancelled.\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give either ids or --where"),
        (("0192f0c1-2a3b-7c4d-8e5f-60718293a4b5", "--where", "all"), "give either ids or --where"),
        (("0192f0c1-2a3b-7c4d-8e5f-60718293a4b5", "--dry-run"), "go with --where"),
        (("--where", "mail"), "is not NAME=VALUE"),
        (("--where", "all", "--where", "queue=mail"), "stands alone"),
        (("--where", "queue=a", "--where", "queue=b"), "given twice"),
        (("--where", "colour=red"), "can't filter by 'colour'"),
        (("--where", "state=sleepy"), "'sleepy' is not one of"),
        (("--where", "state=succeeded"), "can't cancel jobs that are succeeded"),
    ],
)
def test_what_can_not_be_meant_is_a_usage_error(
    cli: Cli, words: tuple[str, ...], message: str
) -> None:
    answer = cli("jobs", "cancel", *words)
    assert answer.code == 2
    assert message in answer.err


def test_everything_is_not_deleted_by_a_slip(cli: Cli, client: Client) -> None:
    enqueue(client)
    answer = cli("jobs", "delete", "--where", "all", "--yes")
    assert (answer.code, len(client.find())) == (2, 1)
