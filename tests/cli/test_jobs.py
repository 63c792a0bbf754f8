"""`leasehold jobs`: what is listed, shown and changed is what is in the store."""

from __future__ import annotations

import pytest

import leasehold as lh
from leasehold import testing
from leasehold.client import Client
from tests.cli.kit import Cli

NOBODY = "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"


@lh.task(name="greet", max_attempts=2, retry=lh.fixed("1h"))
def greet(name: str) -> str:
    if name == "Nobody":
        raise ValueError("nobody is there")
    if name == "Dead":
        raise lh.Dead("gone for good")
    return f"Hello, {name}!"


def enqueue(client: Client, name: str = "Ada", **options: str) -> str:
    chosen = greet.with_options(**options)  # type: ignore[arg-type] # by the tests' own names
    return str(client.enqueue(chosen, name).id)


def ended(client: Client, name: str = "Ada") -> str:
    job_id = enqueue(client, name)
    testing.drain(client, [greet])
    return job_id


def test_list_shows_the_newest_first(cli: Cli, client: Client) -> None:
    first, second = enqueue(client), enqueue(client)
    lines = cli("jobs", "list").out.splitlines()
    assert lines[0].split() == ["id", "state", "kind", "queue", "age"]
    assert [line.split()[:4] for line in lines[1:]] == [
        [second, "queued", "greet", "default"],
        [first, "queued", "greet", "default"],
    ]


def test_list_says_so_when_there_is_nothing(cli: Cli) -> None:
    assert cli("jobs", "list") == cli("jobs", "list", "--state", "dead")
    assert cli("jobs", "list").out == "No jobs.\n"
    assert cli("jobs", "list", "--json").json() == {"jobs": [], "next": None}


def test_pages_follow_each_other_until_none_is_left(cli: Cli, client: Client) -> None:
    ids = [enqueue(client) for _ in range(5)]
    seen: list[str] = []
    page = cli("jobs", "list", "--json", "--limit", "2").json()
    while True:
        seen += [job["id"] for job in page["jobs"]]
        if page["next"] is None:
            break
        page = cli("jobs", "list", "--json", "--limit", "2", "--before", page["next"]).json()
    assert seen == ids[::-1]


def test_a_full_page_says_how_to_see_the_next(cli: Cli, client: Client) -> None:
    ids = [enqueue(client) for _ in range(2)]
    assert cli("jobs", "list", "--limit", "1").out.endswith(f"More: --before {ids[1]}\n")


def test_list_filters(cli: Cli, client: Client) -> None:
    mail = enqueue(client, queue="mail")
    tenant = enqueue(client, tenant="acme")
    done = ended(client, "Dead")

    def listed(*words: str) -> list[str]:
        return [job["id"] for job in cli("jobs", "list", "--json", *words).json()["jobs"]]

    assert listed("--state", "dead") == [done]
    assert mail in listed("--queue", "mail")
    assert listed("--tenant", "acme") == [tenant]
    assert listed("--kind", "other") == []


def test_json_has_iso_dates_and_ids_as_text(cli: Cli, client: Client) -> None:
    job_id = ended(client)
    job = cli("jobs", "show", "--json", job_id).json()
    assert job["job"]["id"] == job_id
    assert job["job"]["args"] == {"name": "Ada"}
    assert job["job"]["result"] == "Hello, Ada!"
    assert job["job"]["created_at"].endswith("Z")
    assert isinstance(job["history"][0]["worker"], str)
    assert [attempt["outcome"] for attempt in job["history"]] == ["succeeded"]


def test_show_tells_the_story_of_a_failed_job(cli: Cli, client: Client) -> None:
    text = cli("jobs", "show", ended(client, "Nobody")).out
    assert "failed" in text
    assert '"name": "Nobody"' in text
    assert "again in 60 m: ValueError: nobody is there" in text
    assert "Traceback (most recent call last)" in text


def test_what_a_job_carries_can_not_command_the_terminal(cli: Cli, client: Client) -> None:
    job_id = enqueue(client, "\x1b[2J[bold]Ada")
    assert "\x1b" not in cli("jobs", "show", job_id).out
    assert "[bold]Ada" in cli("jobs", "show", job_id).out


def test_cancel_ends_waiting_jobs_several_at_once(cli: Cli, client: Client) -> None:
    ids = [enqueue(client) for _ in range(2)]
    answer = cli("jobs", "cancel", *ids, "--by", "ada")
    assert answer.out.splitlines() == [f"{job_id} cancelled" for job_id in ids]
    assert client.history(ids[0])[0].error == "cancelled by ada"


def test_cancel_of_an_ended_job_is_refused(cli: Cli, client: Client) -> None:
    job_id = ended(client)
    answer = cli("jobs", "cancel", job_id)
    assert answer.code == 1
    assert answer.err == f"Error: job {job_id} is succeeded: can't cancel it\n"


def test_retry_makes_a_dead_job_ready(cli: Cli, client: Client) -> None:
    job_id = ended(client, "Dead")
    assert cli("jobs", "retry", job_id).out == f"{job_id} queued\n"
    assert client.get(job_id).state is lh.State.QUEUED


def test_one_refusal_does_not_keep_the_others_from_being_changed(cli: Cli, client: Client) -> None:
    done, dead = ended(client), ended(client, "Dead")
    answer = cli("jobs", "retry", done, NOBODY, dead, "--json")
    assert answer.code == 1
    assert answer.json()["jobs"] == [
        {
            "id": done,
            "state": "succeeded",
            "error": f"job {done} is succeeded: can't retry it",
        },
        {"id": NOBODY, "state": None, "error": f"no job {NOBODY}"},
        {"id": dead, "state": "queued", "error": None},
    ]


def test_reprioritise_changes_waiting_jobs(cli: Cli, client: Client) -> None:
    job_id = enqueue(client)
    assert cli("jobs", "reprioritise", job_id, "--priority", "9").code == 0
    assert client.get(job_id).priority == 9
    assert cli("jobs", "reprioritise", ended(client), "--priority", "1").code == 1


def test_delete_takes_the_job_away(cli: Cli, client: Client) -> None:
    job_id = enqueue(client)
    assert cli("jobs", "delete", job_id).out == f"{job_id} deleted\n"
    assert cli("jobs", "delete", job_id).code == 3


@pytest.mark.parametrize("said", ["y", "n"])
def test_deleting_several_from_a_terminal_asks_first(
    cli: Cli, client: Client, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    ids = [enqueue(client) for _ in range(2)]
    monkeypatch.setattr("leasehold.cli.jobs.is_terminal", lambda: True)
    answer = cli("jobs", "delete", *ids, stdin=f"{said}\n")
    assert "Delete 2 jobs" in answer.err
    assert answer.code == (0 if said == "y" else 1)
    assert len(client.find()) == (0 if said == "y" else 2)


def test_deleting_several_asks_nothing_with_yes_or_without_a_terminal(
    cli: Cli, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli("jobs", "delete", enqueue(client), enqueue(client)).code == 0
    monkeypatch.setattr("leasehold.cli.jobs.is_terminal", lambda: True)
    assert cli("jobs", "delete", "--yes", enqueue(client), enqueue(client)).code == 0
    assert cli("jobs", "delete", enqueue(client)).code == 0


@pytest.mark.parametrize("verb", ["show", "cancel", "retry", "delete"])
def test_a_job_that_is_not_there_is_exit_code_3(cli: Cli, verb: str) -> None:
    answer = cli("jobs", verb, NOBODY)
    assert (answer.code, answer.err) == (3, f"Error: no job {NOBODY}\n")


def test_an_id_that_is_none_is_a_usage_error(cli: Cli) -> None:
    answer = cli("jobs", "show", "seven")
    assert (answer.code, answer.err) == (2, "Error: id: 'seven' is not a UUID\n")


def test_blocked_jobs_are_listed_and_say_what_they_wait_for(cli: Cli, client: Client) -> None:
    enqueue(client)
    job_id = enqueue(client, throttle="domain:a.com", share="user:7")
    (line,) = cli("jobs", "list", "--state", "blocked").out.splitlines()[1:]
    assert line.split()[:2] == [job_id, "blocked"]
    assert line.endswith("waits for domain:a.com")
    shown = [line.split(maxsplit=1) for line in cli("jobs", "show", job_id).out.splitlines()]
    assert ["throttle", "domain:a.com"] in shown
    assert ["share", "user:7"] in shown
    assert cli("jobs", "cancel", job_id).out == f"{job_id} cancelled\n"
    assert cli("jobs", "retry", job_id).out == f"{job_id} blocked\n"


def test_workers_are_listed_while_they_are_there(cli: Cli, client: Client) -> None:
    assert cli("workers").out == "No workers.\n"
    with lh.Worker(client, [greet], name="one", slots=3):
        (worker,) = cli("workers", "--json").json()["workers"]
        assert (worker["name"], worker["slots"], worker["kinds"]) == ("one", 3, ["greet"])
        assert isinstance(worker["id"], str)
        assert cli("workers").out.splitlines()[1].split()[:3] == ["one", "default", "1"]


def test_wait_prints_the_result(cli: Cli, client: Client) -> None:
    job_id = ended(client)
    assert cli("jobs", "wait", job_id).out == '"Hello, Ada!"\n'
    said = cli("jobs", "wait", "--json", job_id, "--timeout", "5s").json()
    assert said == {"id": job_id, "state": "succeeded", "result": "Hello, Ada!"}


def test_wait_tells_by_its_exit_code_what_became_of_the_job(cli: Cli, client: Client) -> None:
    dead, cancelled, waiting = ended(client, "Dead"), enqueue(client), enqueue(client)
    client.cancel(cancelled, by="ada")
    codes = {
        job_id: cli("jobs", "wait", job_id, "--timeout", "0.1").code
        for job_id in (dead, cancelled, waiting, NOBODY)
    }
    assert codes == {dead: 5, cancelled: 6, waiting: 7, NOBODY: 3}
    assert "gone for good" in cli("jobs", "wait", dead).err
