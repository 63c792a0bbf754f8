"""How commands fail: one line, no password, an exit code that says what to do."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from leasehold import errors
from leasehold.cli.failing import exit_code_of
from leasehold.cli.secrets import hide_password, hide_secrets
from tests.cli.kit import SCRIPT, Cli

UNREACHABLE = "postgresql://ada:l0vel%40ce@127.0.0.1:1/shop"


def test_a_database_that_can_not_be_reached_is_exit_code_4(tmp_path: Path) -> None:
    answer = Cli(UNREACHABLE, tmp_path).script("queues")
    assert answer.code == 4
    assert answer.err.startswith("Error: PostgreSQL can't be reached")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("words", [["queues"], ["doctor"], ["migrate"], ["queues", "--debug"]])
def test_a_password_is_never_printed(tmp_path: Path, words: list[str]) -> None:
    answer = Cli(UNREACHABLE, tmp_path)(*words)
    assert answer.code == 4
    assert "l0vel" not in answer.out + answer.err


def test_with_json_the_error_is_an_object_on_stderr(tmp_path: Path) -> None:
    answer = Cli(UNREACHABLE, tmp_path)("queues", "--json")
    said = json.loads(answer.err)
    assert (answer.out, said["error"], said["exit_code"]) == ("", "StoreUnavailable", 4)


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    assert "Traceback" in Cli(UNREACHABLE, tmp_path)("--debug", "queues").err
    assert "Traceback" not in Cli(UNREACHABLE, tmp_path)("queues").err


def test_a_url_of_no_store_is_a_usage_error(tmp_path: Path) -> None:
    answer = Cli("mysql://ada:lovelace@example.org/shop", tmp_path)("queues")
    assert answer.code == 2
    assert "lovelace" not in answer.err


def test_an_unknown_command_or_option_is_a_usage_error(cli: Cli) -> None:
    assert cli("juggle").code == 2
    assert cli("queues", "--fast").code == 2
    assert cli("jobs", "list", "--state", "lost").code == 2


def test_shared_options_may_stand_anywhere(cli: Cli, store_url: str) -> None:
    away = Cli("sqlite:///nowhere.db", cli.folder)
    for words in (
        ["--url", store_url, "--json", "jobs", "list"],
        ["jobs", "--json", "--url", store_url, "list"],
        ["jobs", "list", "--url", store_url, "--json"],
    ):
        assert away(*words).json() == {"jobs": [], "next": None}


def test_without_a_url_it_is_leasehold_db_in_this_folder(tmp_path: Path) -> None:
    assert Cli("", tmp_path).script("enqueue", "greet").code == 0
    assert (tmp_path / "leasehold.db").exists()


def test_a_reader_that_goes_away_is_no_news(cli: Cli) -> None:
    for number in range(3):
        cli("enqueue", "greet", f"text={'x' * 90_000}{number}")
    command = f"'{SCRIPT}' jobs list --json --url '{cli.url}' | head -c 1 >/dev/null"
    run = subprocess.run(["sh", "-c", command], capture_output=True, check=True, text=True)
    assert run.stderr == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.WrongState(None, "running", "delete"), 1),  # type: ignore[arg-type] # any id
        (errors.StoreRefused("no"), 1),
        (errors.BadOption("no"), 2),
        (errors.BadArguments("greet", "no"), 2),
        (errors.JobNotFound(None), 3),  # type: ignore[arg-type] # any id
        (errors.SchemaMismatch("no"), 3),
        (errors.StoreUnavailable("no"), 4),
        (errors.StoreBusy("no"), 4),
        (errors.StoreFull("no"), 4),
    ],
)
def test_every_sort_of_error_has_its_exit_code(error: errors.LeaseholdError, code: int) -> None:
    assert exit_code_of(error) == code


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:///leasehold.db", "sqlite:///leasehold.db"),
        ("postgresql://ada@host/db", "postgresql://ada@host/db"),
        ("postgresql://ada:pass@host:5432/db", "postgresql://ada:***@host:5432/db"),
        ("postgresql://ada:p@ss:w/rd@a:1,b:2/db", "postgresql://ada:***@a:1,b:2/db"),
        ("postgresql://:pass@/db?host=/tmp", "postgresql://:***@/db?host=/tmp"),
        (
            "postgresql://host/db?user=a&password=x&b=1",
            "postgresql://host/db?user=a&password=***&b=1",
        ),
    ],
)
def test_passwords_are_hidden_in_urls(url: str, shown: str) -> None:
    assert hide_password(url) == shown


def test_passwords_are_hidden_in_messages_as_written_and_decoded() -> None:
    said = "bad value 'l0vel@ce' in l0vel%40ce"
    assert hide_secrets(said, UNREACHABLE) == "bad value '***' in ***"
