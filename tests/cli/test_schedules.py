"""`leasehold schedules` shows and changes what is in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.test_control import rows

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.cli.kit import Cli

NIGHTLY = ("schedules", "set", "nightly", "0 3 * * *", "tidy", "days=7", "--zone", "Europe/Berlin")


def test_schedules_are_listed_with_their_last_and_next_run(cli: Cli, client: Client) -> None:
    assert cli("schedules").out == "No schedules.\n"
    assert cli("schedules", "--json").json() == {"schedules": []}
    assert cli(*NIGHTLY, "--by", "ada").out.startswith("nightly is set; next: ")
    client.schedules.run_now("nightly")
    text = cli("schedules").out
    assert rows(text)["nightly"][1:6] == ["0", "3", "*", "*", "*"]
    assert "Europe/Berlin" in text
    assert " ago " in text
    assert " in " in text
    assert "set by ada" in text
    (listed,) = cli("schedules", "--json").json()["schedules"]
    assert (listed["name"], listed["job"]["args"]) == ("nightly", {"days": 7})
    assert cli("schedules", "--tenant", "acme").out == "No schedules.\n"


def test_all_that_can_be_said_of_a_schedule_is_stored_and_shown(cli: Cli, client: Client) -> None:
    words = ("--missed", "all", "--missed-cap", "7", "--jitter", "90s", "--dst", "skip")
    about_job = ("--queue", "slow", "--priority", "3", "--tenant", "acme", "--args", '{"days": 1}')
    cli("schedules", "set", "weekly", "@weekly", "tidy", *words, *about_job)
    found = client.schedules.get("weekly", tenant="acme")
    assert (found.missed, found.missed_cap, found.jitter_seconds) == ("all", 7, 90.0)
    assert (found.dst, found.job["queue"], found.job["priority"]) == ("skip", "slow", 3)
    text = cli("schedules", "show", "weekly", "--tenant", "acme").out
    for part in (
        "@weekly",
        "dst: skip",
        "all, 7 at most",
        "2 m",
        '{"days":1}',
        "queue slow",
        "acme",
    ):
        assert part in text
    shown = cli("schedules", "show", "weekly", "--tenant", "acme", "--json").json()["schedule"]
    assert shown["rule"] == "@weekly"
    assert "acme/weekly" in cli("schedules").out


def test_with_tasks_the_handlers_code_is_asked(cli: Cli, client: Client) -> None:
    given = ("schedules", "set", "often", "every 10m", "greet", "--tasks", "tests.cli.shop")
    assert cli(*given, "name=Ada").code == 0
    assert client.schedules.get("often").job["max_attempts"] > 0
    assert cli(*given, "nobody=Ada").code == 2
    assert cli("schedules", "set", "x", "@daily", "nothing", "--tasks", "tests.cli.shop").code != 0


def test_a_pause_and_its_end(cli: Cli, client: Client) -> None:
    cli(*NIGHTLY)
    assert cli("schedules", "pause", "nightly", "--by", "ada").out == "nightly is paused\n"
    assert cli("schedules", "pause", "nightly").out == "nightly was paused already\n"
    assert "by ada" in cli("schedules").out
    assert cli("schedules", "resume", "nightly", "--json").json()["is_changed"]
    assert cli("schedules", "resume", "nightly").out == "nightly was not paused\n"
    assert client.schedules.get("nightly").paused_at is None


def test_when_it_fires_is_changed_and_the_rest_stays(cli: Cli, client: Client) -> None:
    cli("schedules", "set", "nightly", "@daily", "greet", "name=Ada", "--zone", "Asia/Tokyo")
    assert (
        cli("schedules", "change", "nightly", "--rule", "every 90s", "--missed", "none").code == 0
    )
    found = client.schedules.get("nightly")
    assert (found.rule, found.missed, found.zone) == ("every 90s", "none", "Asia/Tokyo")
    assert found.job["args"] == {"name": "Ada"}
    assert cli("schedules", "change", "nightly").code == 2
    assert cli("schedules", "change", "nobody", "--rule", "@daily").code == 3


def test_a_run_by_hand_prints_the_jobs_id(cli: Cli, client: Client) -> None:
    cli(*NIGHTLY)
    job_id = cli("schedules", "run", "nightly").out.strip()
    assert client.get(job_id).args == {"days": 7}
    assert job_id in cli("schedules", "show", "nightly").out


def test_a_deleted_one_is_gone(cli: Cli) -> None:
    cli(*NIGHTLY)
    assert cli("schedules", "delete", "nightly").out == "nightly is deleted\n"
    for verb in ("show", "pause", "resume", "run", "delete", "next"):
        answer = cli("schedules", verb, "nightly")
        assert (answer.code, "no schedule 'nightly'" in answer.err) == (3, True), verb


def test_the_next_slots_of_a_schedule(cli: Cli, client: Client) -> None:
    cli(*NIGHTLY)
    found = cli("schedules", "next", "nightly", "--count", "3", "--json").json()
    assert found["zone"] == "Europe/Berlin"
    slots = client.schedules.preview("nightly", 3)
    assert found["slots"] == [f"{slot:%Y-%m-%dT%H:%M:%SZ}" for slot in slots]


def test_the_next_slots_of_a_rule_need_no_database(cli: Cli) -> None:
    asked = ("--rule", "30 2 * * *", "--zone", "Europe/Berlin", "--after", "2026-03-28T00:00Z")
    text = cli("schedules", "next", *asked, "--count", "3", "--url", "sqlite:////nowhere/x.db").out
    lines = text.splitlines()
    assert lines[2].startswith("Sun 2026-03-29 03:00:00 CEST  2026-03-29 01:00:00")
    skipped = cli("schedules", "next", *asked, "--count", "2", "--dst", "skip", "--json").json()
    assert skipped["slots"] == ["2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z"]


@pytest.mark.parametrize(
    "words",
    [
        ("next",),
        ("next", "nightly", "--rule", "@daily"),
        ("next", "--rule", "@noon"),
        ("next", "--rule", "@daily", "--zone", "Nowhere"),
        ("set", "x", "@daily", "tidy", "a=1", "--args", "{}"),
        ("set", "x", "@noon", "tidy"),
        ("set", "x", "@daily", "tidy", "--missed-cap", "0"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli("schedules", *words).code == 2


def test_a_schedule_that_will_never_come_again_says_so(cli: Cli, client: Client) -> None:
    cli(*NIGHTLY)
    seen = client.schedules.get("nightly")
    changed = client.store.put_schedule(seen, next_at=None, by=None, seen=seen)
    assert changed
    assert "never" in cli("schedules").out
