"""`leasehold enqueue`: a job stands in the store as the command line says."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from leasehold.client import Client
from leasehold.model.ids import JobId
from leasehold.model.needs import Needs
from tests.cli.kit import Cli

ID = "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"


def test_pairs_are_json_where_they_can_be_and_text_elsewhere(cli: Cli, client: Client) -> None:
    words = ["name=Ada", "age=36", "is_new=true", 'code="7"', "note=a=b", "tags=[1,2]", "none="]
    job_id = cli("enqueue", "greet", *words).out.strip()
    assert client.get(job_id).args == {
        "name": "Ada",
        "age": 36,
        "is_new": True,
        "code": "7",
        "note": "a=b",
        "tags": [1, 2],
        "none": "",
    }


def test_args_come_as_a_document_or_from_stdin(cli: Cli, client: Client) -> None:
    given = '{"name": "Ada"}'
    for answer in (
        cli("enqueue", "greet", "--args", given),
        cli("enqueue", "greet", "--args", "-", stdin=given),
    ):
        assert client.get(answer.out.strip()).args == {"name": "Ada"}


def test_options_travel_with_the_job(cli: Cli, client: Client) -> None:
    answer = cli(
        *("enqueue", "greet", "--queue", "mail", "--priority", "-3", "--max-attempts", "9"),
        *("--at", "2099-01-31T08:00+01:00", "--id", ID, "--tenant", "acme", "--timeout", "90"),
        "--json",
    )
    assert (answer.json()["id"], answer.json()["is_new"]) == (ID, True)
    job = client.get(ID)
    assert (job.queue, job.priority, job.max_attempts) == ("mail", -3, 9)
    assert (job.tenant, job.timeout_seconds) == ("acme", 90.0)
    assert job.run_at == datetime(2099, 1, 31, 7, tzinfo=UTC)


def test_a_delay_holds_the_job_back(cli: Cli, client: Client) -> None:
    job = client.get(cli("enqueue", "greet", "--delay", "1h30m").out.strip())
    assert job.run_at is not None
    assert round((job.run_at - job.created_at).total_seconds()) == 5400


def test_the_same_id_twice_is_one_job(cli: Cli, client: Client) -> None:
    cli("enqueue", "greet", "name=Ada", "--id", ID)
    again = cli("enqueue", "greet", "name=Ada", "--id", ID)
    assert (again.code, again.out) == (0, f"{ID}\n")
    assert "there already" in again.err
    assert len(client.find()) == 1


def test_an_id_of_another_job_is_refused(cli: Cli) -> None:
    cli("enqueue", "greet", "name=Ada", "--id", ID)
    other = cli("enqueue", "greet", "name=Grace", "--id", ID)
    assert (other.code, other.out) == (1, "")
    assert ID in other.err


def test_with_tasks_the_handler_decides_queue_and_arguments(
    cli: Cli, client: Client, tmp_path: Path
) -> None:
    # In a process of its own: this one must not keep the module.
    shutil.copy(Path(__file__).parent / "shop.py", tmp_path)
    good = cli.script("enqueue", "greet", "name=Ada", "--tasks", "shop")
    job = client.get(good.out.strip())
    assert (job.queue, job.max_attempts) == ("mail", 2)
    wrong = cli.script("enqueue", "greet", "nom=Ada", "--tasks", "shop")
    assert wrong.code == 2
    assert "'greet'" in wrong.err
    assert cli.script("enqueue", "unheard", "--tasks", "shop").code == 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["name"], "'name' is not key=value"),
        (["a=1", "a=2"], "given twice"),
        (["a=1", "--args", "{}"], "not both"),
        (["--args", "{"], "not JSON"),
        (["--args", "[1]"], "must be a JSON object"),
        (["--args", '{"n": NaN}'], "args.n"),
        (["--delay", "soon"], "can't read 'soon'"),
        (["--delay", "1m", "--at", "2099-01-31T08:00Z"], "either delay or run_at"),
        (["--at", "2099-01-31T08:00"], "has no time zone"),
        (["--at", "tomorrow"], "is not a time"),
        (["--priority", "40000"], "priority"),
        (["--max-attempts", "0"], "max_attempts"),
        (["--id", "seven"], "not a UUID"),
    ],
)
def test_what_can_not_be_used_is_a_usage_error_and_enqueues_nothing(
    cli: Cli, client: Client, words: list[str], complaint: str
) -> None:
    answer = cli("enqueue", "greet", *words)
    assert answer.code == 2
    assert complaint in answer.err
    assert client.find() == []


def test_a_job_waits_for_others(cli: Cli, client: Client) -> None:
    first, second = (cli("enqueue", "greet").out.strip() for _ in range(2))
    plain = cli("enqueue", "greet", "--after", first).out.strip()
    words = ["--after", first, "--after", second, "--after-any", "--even-if-failed"]
    either = cli("enqueue", "greet", *words).out.strip()
    assert client.get(plain).needs == Needs(jobs=(JobId(UUID(first)),))
    jobs = (JobId(UUID(first)), JobId(UUID(second)))
    assert client.get(either).needs == Needs(jobs=jobs, any=True, even_if_failed=True)
    assert cli("enqueue", "greet", "--even-if-failed").code == 2
    assert first in cli("jobs", "show", plain).out
