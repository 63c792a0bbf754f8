"""`leasehold batches`: what people see of batches, and how they change them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

import leasehold as lh
from leasehold.model.batches import BatchStatus

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.cli.kit import Cli


@lh.task(name="greet")
def greet(number: int) -> None: ...


def make(client: Client, count: int = 4, **options: Any) -> lh.Batch:
    batch = client.batches.create(**options)
    batch.add_many(greet.call(number) for number in range(count))
    return batch


def test_batches_are_listed_with_their_progress(cli: Cli, client: Client) -> None:
    batch = make(client, name="sync")
    client.cancel(client.find(batch=batch.id)[0].id)
    make(client, 0, name="empty").seal()
    lines = cli("batches", "list").out.splitlines()
    assert lines[0].split() == ["batch", "name", "status", "progress", "members", "age"]
    assert [lines[1].split()[index] for index in (1, 2, 4)] == ["empty", "ended", "100"]
    assert "sync" in lines[2]
    assert " 25 %" in lines[2]
    assert lines[2].endswith("3 queued, 1 cancelled")
    assert cli("batches", "list", "--name", "other").out == "No batches.\n"


def test_a_page_says_how_to_read_on(cli: Cli, client: Client) -> None:
    made = sorted(str(make(client, 0).id) for _ in range(3))
    page = cli("batches", "list", "--limit", "2", "--json").json()
    assert [each["id"] for each in page["batches"]] == made[:0:-1]
    assert page["next"] == made[1]
    assert f"--before {made[1]}" in cli("batches", "list", "--limit", "2").out
    rest = cli("batches", "list", "--before", made[1], "--json").json()
    assert ([each["id"] for each in rest["batches"]], rest["next"]) == (made[:1], None)


def test_one_batch_is_shown_with_a_bar(cli: Cli, client: Client) -> None:
    batch = make(client, name="sync", meta={"app": "shop"}, created_by="ada", tenant="")
    client.cancel(client.find(batch=batch.id)[0].id)
    shown = cli("batches", "show", str(batch.id)).out
    assert "▓" * 7 + "░" * 23 + "  25 %" in shown
    assert "4: 3 queued, 1 cancelled" in shown
    assert '{"app":"shop"}' in shown
    assert "by ada" in shown
    found = cli("batches", "show", str(batch.id), "--json").json()["batch"]
    assert (found["progress"], found["counts"]["total"], found["status"]) == (0.25, 4, "open")


def test_a_batch_is_sealed_cancelled_and_retried(cli: Cli, client: Client) -> None:
    batch = make(client)
    assert cli("batches", "seal", str(batch.id), "--json").json()["batch"]["status"] == "sealed"
    cancelled = cli("batches", "cancel", str(batch.id), "--by", "ada", "--json").json()["batch"]
    assert (cancelled["status"], cancelled["cancelled_by"]) == ("cancelled", "ada")
    assert "by ada" in cli("batches", "show", str(batch.id)).out
    again = cli("batches", "retry", str(batch.id)).out
    assert "sealed" in again
    assert batch.info().status is BatchStatus.SEALED
    assert (batch.info().round, batch.info().counts.queued) == (2, 4)


@pytest.mark.parametrize("verb", ["show", "seal", "cancel", "retry"])
def test_an_unknown_batch_is_not_found(cli: Cli, verb: str) -> None:
    answer = cli("batches", verb, str(uuid4()))
    assert answer.code == 3
    assert "no batch" in answer.err


def test_hostile_names_do_not_command_the_terminal(cli: Cli, client: Client) -> None:
    make(client, 0, meta={"x": "\x1b[31m"}, name="[red]name")
    listed = cli("batches", "list").out
    assert "[red]name" in listed
    assert "\x1b" not in listed + cli("batches", "list", "--json").out
