"""`leasehold move` tells what it did, and lets scripts know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.client import Client

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.kit import Cli


@pytest.fixture(autouse=True)
def _open_again(client: Client) -> Iterator[None]:
    """Other tests use the same database."""
    yield
    client.store.open_after_move()


@lh.task(name="greet")
def greet(name: str) -> str:
    return f"hello {name}"


def test_a_move_prints_what_both_sides_hold(cli: Cli, client: Client, tmp_path: Path) -> None:
    client.enqueue_many(greet.call(str(number)) for number in range(12))
    target = f"sqlite:///{tmp_path}/target.db"

    answer = cli("move", cli.url, target)

    assert answer.code == 0, answer.err
    lines = {line.split()[0]: line.split() for line in answer.out.splitlines()}
    assert lines["job"][1:3] == ["12", "12"]
    assert lines["job"][-1] == "yes"
    assert "The source stays closed." in answer.out
    with Client(target) as moved:
        assert len(moved.find(state="queued")) == 12
    refused = cli("jobs", "list")
    assert refused.code == 0  # to look is free
    refused = cli("enqueue", "greet")
    assert refused.code == 1
    assert "this queue has moved to" in refused.err


def test_scripts_get_counts_and_checksums(cli: Cli, client: Client, tmp_path: Path) -> None:
    client.enqueue(greet, "ada")
    said = cli("move", cli.url, f"sqlite:///{tmp_path}/target.db", "--json").json()

    assert said["is_same"] is True
    jobs = next(each for each in said["tables"] if each["table"] == "job")
    assert (jobs["source"], jobs["target"], len(jobs["checksum"])) == (1, 1, 16)


def test_a_move_is_undone(cli: Cli, client: Client, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path}/target.db"
    assert cli("move", "--undo", cli.url).out == "it was not closed\n"
    assert cli("move", cli.url, target).code == 0
    refused = cli("move", "--undo", cli.url)
    assert refused.code == 1
    assert "twice" in refused.err
    assert cli("move", "--undo", cli.url, "--force").out == "it is open again\n"
    client.enqueue(greet, "ada")


def test_doctor_says_that_a_queue_has_moved(cli: Cli, tmp_path: Path) -> None:
    cli("move", cli.url, f"sqlite:///{tmp_path}/target.db")
    answer = cli("doctor")
    assert answer.code == 1
    assert "this queue has moved to" in answer.out


def test_wrong_words_are_refused_and_passwords_not_repeated(cli: Cli, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path}/target.db"
    assert cli("move", cli.url).code == 2
    assert cli("move", "--undo", cli.url, target).code == 2
    assert cli("move", cli.url, cli.url).code == 2
    missing = cli("move", f"sqlite:///{tmp_path}/typo.db", target)
    assert missing.code == 3
    assert not (tmp_path / "typo.db").exists()
    nobody = "postgresql://ada:open-sesame@127.0.0.1:1/nothing"
    answer = cli("move", cli.url, nobody)
    assert answer.code == 4
    assert "open-sesame" not in answer.err + answer.out
