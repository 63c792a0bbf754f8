"""`leasehold enqueue --key` and `leasehold keys`: who has a key, and forgetting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.cli.kit import Cli


def test_a_held_key_prints_the_job_that_stands_and_says_why(cli: Cli, client: Client) -> None:
    first = cli("enqueue", "greet", "--key", "k").out.strip()
    again = cli("enqueue", "greet", "--key", "k")
    assert (again.code, again.out.strip()) == (0, first)
    assert again.err == f"held: job {first} has this key and is live; nothing was enqueued.\n"
    assert len(client.find()) == 1


def test_the_answer_as_json_has_all_of_it(cli: Cli) -> None:
    first = cli("enqueue", "greet", "--key", "k", "--json").json()
    assert first == {
        "id": first["id"],
        "is_new": True,
        "held": None,
        "held_until": None,
        "replaced": None,
        "behind": None,
    }
    second = cli("enqueue", "greet", "--key", "k", "--on-duplicate", "replace", "--json").json()
    assert (second["is_new"], second["replaced"]) == (True, first["id"])
    third = cli("enqueue", "greet", "--key", "k", "--json").json()
    assert (third["is_new"], third["held"], third["id"]) == (False, "live", second["id"])


def test_a_replacement_says_whose_place_it_has(cli: Cli) -> None:
    first = cli("enqueue", "greet", "--key", "k").out.strip()
    second = cli("enqueue", "greet", "--key", "k", "--on-duplicate", "replace")
    assert second.err == f"It replaces job {first}.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--unique-for", "ever"], "is remembered for ever"),
        (["--unique-for", "1h"], "is remembered until"),
    ],
)
def test_what_is_remembered_is_said(cli: Cli, client: Client, words: list[str], said: str) -> None:
    first = cli("enqueue", "greet", "--key", "k").out.strip()
    client.cancel(first)
    again = cli("enqueue", "greet", "--key", "k", *words)
    assert again.out.strip() == first
    assert said in again.err


def test_a_debounced_job_says_its_new_time(cli: Cli) -> None:
    words = ["--key", "k", "--on-duplicate", "debounce", "--delay", "5s", "--max-wait", "1m"]
    cli("enqueue", "greet", *words)
    assert "was put off until" in cli("enqueue", "greet", *words).err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--cooldown", "1h"], "needs a key"),
        (["--key", "k", "--unique-for", "long"], "can't read 'long'"),
        (["--key", "k", "--on-duplicate", "never"], "never"),
        (["--key", "k", "--on-duplicate", "debounce"], "needs a delay"),
    ],
)
def test_words_that_do_not_fit_are_a_usage_error(
    cli: Cli, client: Client, words: list[str], complaint: str
) -> None:
    answer = cli("enqueue", "greet", *words)
    assert answer.code == 2
    assert complaint in answer.err
    assert client.find() == []


def test_keys_show_tells_who_has_a_key(cli: Cli) -> None:
    job = cli("enqueue", "greet", "--key", "k", "--tenant", "acme").out.strip()
    shown = cli("keys", "show", "k", "--tenant", "acme")
    assert shown.code == 0
    assert job in shown.out
    assert "queued" in shown.out
    told = cli("keys", "show", "k", "--tenant", "acme", "--json").json()["key"]
    assert (told["holder"], told["holder_state"], told["next"]) == (job, "queued", None)


def test_keys_forget_forgets_what_is_remembered(cli: Cli, client: Client) -> None:
    job = cli("enqueue", "greet", "--key", "k", "--unique-for", "ever").out.strip()
    live = cli("keys", "forget", "k")
    assert live.code == 1
    assert job in live.err
    client.cancel(job)
    assert cli("keys", "forget", "k").code == 0
    assert cli("keys", "show", "k").code == 3
    assert cli("keys", "forget", "k").code == 3


def test_a_retry_that_the_key_forbids_is_refused(cli: Cli, client: Client) -> None:
    first = cli("enqueue", "greet", "--key", "k").out.strip()
    client.cancel(first)
    second = cli("enqueue", "greet", "--key", "k").out.strip()
    answer = cli("jobs", "retry", first)
    assert answer.code == 1
    assert second in answer.err
