"""`leasehold throttles`, `shares` and `queues` show and change what is in the store."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click
import pytest

import leasehold as lh
from leasehold.cli.controlling import number, os_user, pause_cell
from leasehold.cli.throttles import rate_text
from leasehold.cli.values import Rate, read_count_or_off, read_rate, read_until
from leasehold.client import Client
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Rule
from leasehold.model.values import Want, WorkerInfo
from tests.cli.kit import Cli

if TYPE_CHECKING:
    from leasehold.model.lanes import ThrottleInfo

WORKER = WorkerId(7)
FULL_COUNTS = ("ready", "blocked", "scheduled", "failed", "running", "parked")


@lh.task(name="visit", throttle="domain:a.com", share="user:7")
def visit() -> None: ...


def declare(client: Client) -> None:
    """Start a worker whose code has these throttles."""
    worker = WorkerInfo(id=WORKER, name="w", queues=(), kinds=("visit",), slots=1, version="1")
    rules = [Rule(name="domain", running=2), Rule(name="openai", rate=1_500.0, burst=9_000.0)]
    client.store.register(worker, [], rules)


def throttle(client: Client, name: str = "domain") -> ThrottleInfo:
    (found,) = [each for each in client.throttles.list() if each.name == name]
    return found


def rows(text: str) -> dict[str, list[str]]:
    """Read a table: the words of each line by its first one."""
    return {line.split()[0]: line.split() for line in text.splitlines()[1:]}


# -- throttles -----------------------------------------------------------------------------------
def test_throttles_that_each_tenant_has_for_itself_say_whose(cli: Cli, client: Client) -> None:
    client.throttles.set("@site", running=2)
    set_for = ("throttles", "set", "@site:a.com", "--running", "5", "--tenant", "acme", "--by", "x")
    assert cli(*set_for).out == "@site:a.com is changed\n"
    client.for_tenant("acme").throttles.set("@site:a.com", running=1)
    assert cli("throttles", "pause", "@site", "--tenant", "globex").code == 0
    lines = cli("throttles").out.splitlines()
    assert lines[0].split()[:3] == ["throttle", "tenant", "running"]
    assert [line.split()[:2] for line in lines[2:]] == [
        ["@site", "globex"],
        ["@site:a.com", "acme"],
    ]
    assert "0 of 1 (1 by its tenant)" in lines[3]
    listed = cli("throttles", "--tenant", "acme", "--json").json()["throttles"]
    assert [(each["name"], each["tenant"]) for each in listed] == [
        ("@site", "acme"),
        ("@site:a.com", "acme"),
    ]
    assert cli("throttles", "resume", "@site", "--tenant", "globex").out == "@site is resumed\n"
    assert cli("throttles", "reset", "@site:a.com", "--tenant", "acme").out.endswith("is reset\n")
    assert cli("throttles", "refill", "@site:a.com", "--tenant", "acme").code == 0
    refused = cli("throttles", "pause", "@site:a.com")
    assert refused.code != 0
    assert "say whose" in refused.err


def test_throttles_are_listed_with_what_runs_waits_and_is_left(cli: Cli, client: Client) -> None:
    assert cli("throttles").out == "No throttles: no worker has declared one yet.\n"
    assert cli("throttles", "--json").json() == {"throttles": []}
    declare(client)
    client.enqueue(visit)
    found = rows(cli("throttles").out)
    assert found["domain"][1:4] == ["0", "of", "2"]
    assert found["openai"][1:6] == ["0", "1,500/s", "9,000", "of", "9,000"]
    listed = {each["name"]: each for each in cli("throttles", "--json").json()["throttles"]}
    assert (listed["domain"]["running_limit"], listed["domain"]["rate"]) == (2, None)
    assert (listed["openai"]["rate"], listed["openai"]["burst"]) == (1_500, 9_000)


def test_limits_are_changed_and_show_who_did_it(cli: Cli, client: Client) -> None:
    declare(client)
    answer = cli("throttles", "set", "domain", "--running", "4", "--per-worker", "1")
    assert (answer.code, answer.out) == (0, "domain is changed\n")
    info = throttle(client)
    assert (info.running_limit, info.per_worker) == (4, 1)
    assert info.set_by == getpass.getuser()
    assert cli("throttles", "set", "domain", "--running", "off", "--by", "ada").code == 0
    info = throttle(client)
    assert (info.running_limit, info.per_worker, info.set_by) == (None, 1, "ada")


def test_a_rate_is_an_amount_in_a_time(cli: Cli, client: Client) -> None:
    assert cli("throttles", "set", "openai", "--rate", "90000/1m", "--burst", "9000").code == 0
    info = throttle(client, "openai")
    assert (info.rate, info.burst) == (1_500, 9_000)
    assert cli("throttles", "set", "openai", "--rate", "off", "--running", "1").code == 0
    assert throttle(client, "openai").rate is None


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "say which limit is to change"),
        (["--burst", "5"], "burst needs a rate"),
        (["--running", "-1"], "'-1' is not a whole number from 0 on, nor off"),
        (["--running", "few"], "'few' is not a whole number from 0 on, nor off"),
        (["--rate", "90000"], "'90000' is not a rate; write 90000/1m"),
        (["--rate", "many/1m"], "'many/1m' is not a rate"),
        (["--rate", "5/soon"], "can't read 'soon'"),
        (["--rate", "0/1s"], "rate: 0.0 is not a number over 0"),
        (["--rate", "5/0"], "per: must be longer than 0"),
        (["--running", "off"], "would have no limit left"),
    ],
)
def test_limits_that_can_not_be_meant_are_a_usage_error(
    cli: Cli, client: Client, words: list[str], reason: str
) -> None:
    declare(client)
    answer = cli("throttles", "set", "domain", *words)
    assert answer.code == 2
    assert reason in answer.err
    assert throttle(client).set_by is None


def test_reset_says_whether_anything_was_set(cli: Cli, client: Client) -> None:
    declare(client)
    client.throttles.set("domain:a.com", running=1)
    assert cli("throttles", "reset", "domain:a.com").out == "domain:a.com is reset\n"
    assert cli("throttles", "reset", "domain:a.com").out == "domain:a.com had nothing set\n"
    assert cli("throttles", "reset", "domain:a.com", "--json").json() == {
        "name": "domain:a.com",
        "is_changed": False,
    }


def test_a_key_is_paused_and_resumed(cli: Cli, client: Client) -> None:
    declare(client)
    answer = cli("throttles", "pause", "domain:a.com", "--until", "10m", "--reason", "429")
    assert (answer.out, answer.err) == ("domain:a.com is paused for 10 m\n", "")
    info = throttle(client, "domain:a.com")
    assert info.paused_until is not None
    assert abs(info.paused_until - datetime.now(UTC) - timedelta(minutes=10)).total_seconds() < 60
    assert f"(429, by {getpass.getuser()})" in cli("throttles").out
    assert cli("throttles", "resume", "domain:a.com").out == "domain:a.com is resumed\n"
    assert cli("throttles", "resume", "domain:a.com").out == "domain:a.com was not paused\n"


def test_a_pause_may_have_no_end_or_name_its_moment(cli: Cli, client: Client) -> None:
    declare(client)
    answer = cli("throttles", "pause", "domain", "--by", "ada")
    assert answer.out == "domain is paused until it is resumed\n"
    assert "until resumed (by ada)" in cli("throttles").out
    answer = cli("throttles", "pause", "domain", "--until", "2130-01-31T08:00Z", "--by", "ada")
    assert answer.out == "domain is paused until 2130-01-31T08:00:00+00:00\n"
    assert throttle(client).paused_until == datetime(2130, 1, 31, 8, tzinfo=UTC)
    assert "until 2130-01-31 08:00:00Z, in " in cli("throttles").out


def test_pausing_what_nobody_declared_says_so(cli: Cli) -> None:
    answer = cli("throttles", "pause", "domian:a.com")
    assert answer.code == 0
    assert answer.err == (
        "Note: no worker has declared a throttle 'domian' yet; is it spelt right?\n"
    )


def test_refill_says_whether_anything_was_used_up(cli: Cli, client: Client) -> None:
    declare(client)
    assert cli("throttles", "refill", "openai").out == "openai had nothing used up\n"


@pytest.mark.parametrize("verb", ["set", "reset", "pause", "resume", "refill"])
def test_a_throttles_name_is_needed_and_checked(cli: Cli, verb: str) -> None:
    limit = ["--running", "1"] if verb == "set" else []
    assert cli("throttles", verb, *limit).code == 2
    answer = cli("throttles", verb, "", *limit)
    assert (answer.code, answer.err) == (
        2,
        "Error: throttle: '' is not a name; write printable text\n",
    )


# -- shares --------------------------------------------------------------------------------------
def test_shares_are_listed_and_weighed(cli: Cli, client: Client) -> None:
    assert cli("shares").out == "No shares.\n"
    client.enqueue(visit)
    assert cli("shares", "set", "user:8", "--weight", "3", "--by", "ada").out == (
        "user:8 has the weight 3\n"
    )
    found = rows(cli("shares").out)
    assert found == {"user:7": ["user:7", "1", "1"], "user:8": ["user:8", "3", "0", "ada"]}
    assert cli("shares", "--json").json()["shares"] == [
        {"name": "user:7", "weight": 1, "waiting": 1, "set_by": None},
        {"name": "user:8", "weight": 3, "waiting": 0, "set_by": "ada"},
    ]


def test_a_weight_that_can_not_be_is_a_usage_error(cli: Cli) -> None:
    answer = cli("shares", "set", "user:8", "--weight", "0")
    assert answer.code == 2
    assert answer.err == "Error: weight: 0 is not a whole number from 1 to 1000\n"
    assert cli("shares", "set", "user:8").code == 2


# -- queues --------------------------------------------------------------------------------------
def test_queues_counts_jobs_by_where_they_stand(cli: Cli, client: Client) -> None:
    for delay in (0, "1h"):
        client.enqueue(visit.with_options(queue="mail", delay=delay, throttle=None, share=None))
    client.enqueue(visit.with_options(queue="mail"))
    assert cli("queues", "--json").json()["queues"] == [
        {
            "queue": "mail",
            "ready": 1,
            "blocked": 1,
            "scheduled": 1,
            "failed": 0,
            "running": 0,
            "parked": 0,
            "paused_until": None,
            "pause_reason": None,
            "paused_by": None,
            "aging_seconds": None,
            "running_limit": None,
            "limited_by": None,
        }
    ]
    header, line = cli("queues").out.splitlines()
    assert header.split() == ["queue", *FULL_COUNTS, "limit", "aging"]
    assert line.split() == ["mail", "1", "1", "1", "0", "0", "0"]


def test_a_queue_without_jobs_shows_what_was_said_of_it(cli: Cli, client: Client) -> None:
    assert cli("queues").out == "No live jobs.\n"
    assert cli("queues", "set", "mail", "--aging", "10m").out == "mail: aging 10 m\n"
    assert cli("queues", "pause", "mail", "--reason", "down", "--by", "ada").out == (
        "mail is paused until it is resumed\n"
    )
    line = cli("queues").out.splitlines()[1]
    assert line.split()[:7] == ["mail", *"000000"]
    assert line.endswith("10 m   until resumed (down, by ada)")
    (shown,) = cli("queues", "--json").json()["queues"]
    assert (shown["aging_seconds"], shown["pause_reason"], shown["paused_by"]) == (
        600,
        "down",
        "ada",
    )
    assert shown["paused_until"].endswith("Z")
    assert cli("queues", "set", "mail", "--aging", "off").out == "mail: aging off\n"
    assert cli("queues", "resume", "mail").out == "mail is resumed\n"
    assert cli("queues", "resume", "mail", "--json").json() == {
        "queue": "mail",
        "is_changed": False,
    }


def test_a_queue_is_limited_and_unlimited(cli: Cli) -> None:
    answer = cli("queues", "limit", "mail", "--running", "1500", "--by", "ada")
    assert answer.out == "mail may run 1,500 at once\n"
    assert cli("queues").out.splitlines()[1].split() == ["mail", *"000000", "1,500"]
    (shown,) = cli("queues", "--json").json()["queues"]
    assert (shown["running_limit"], shown["limited_by"]) == (1500, "ada")
    assert cli("queues", "unlimit", "mail").out == "mail has no limit any more\n"
    assert cli("queues", "unlimit", "mail", "--json").json() == {
        "queue": "mail",
        "is_changed": False,
    }
    assert cli("queues", "limit", "mail", "--running", "-1").code == 2
    assert cli("queues", "limit", "mail").code == 2


def test_a_paused_queue_gives_nothing(cli: Cli, client: Client) -> None:
    client.enqueue(visit.with_options(throttle=None, share=None))
    assert cli("queues", "pause", "default", "--until", "2h").out == "default is paused for 2 h\n"
    wants = [Want("default", 1)]
    assert client.store.claim(WORKER, wants, limit=1, leases={"visit": 60.0}) == []
    cli("queues", "resume", "default")
    assert len(client.store.claim(WORKER, wants, limit=1, leases={"visit": 60.0})) == 1
    answer = cli("queues", "drain", "default", "--timeout", "0", "--json")
    assert (answer.code, answer.json()) == (1, {"queue": "default", "running": 1})


def test_drain_says_when_nothing_runs_any_more(cli: Cli, client: Client) -> None:
    answer = cli("queues", "drain", "default", "--by", "ada")
    assert (answer.code, answer.out) == (
        0,
        "default is paused until it is resumed, and none of it runs\n",
    )
    (info,) = client.queues.list()
    assert info.paused_by == "ada"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["pause", "mail", "--until", "soon"], "'soon' is neither a duration like 10m nor a time"),
        (["pause", "mail", "--until", "2130-01-31T08:00"], "has no time zone"),
        (["pause", "mail", "--until", "2001-01-31T08:00Z"], "is over already"),
        (["drain", "mail", "--timeout", "soon"], "can't read 'soon'"),
        (["set", "mail", "--aging", "0"], "aging: must be longer than 0"),
        (["set", "mail"], "Missing option '--aging'"),
        (["pause", ""], "queue: '' is not a name"),
        (["stop", "mail"], "No such command 'stop'"),
    ],
)
def test_what_can_not_be_meant_is_a_usage_error(cli: Cli, words: list[str], reason: str) -> None:
    answer = cli("queues", *words)
    assert answer.code == 2
    assert reason in answer.err
    assert cli("queues", "--json").json() == {"queues": []}


def test_without_a_database_nothing_is_made(tmp_path: Any) -> None:
    away = Cli(f"sqlite:///{tmp_path / 'nowhere.db'}", tmp_path)
    for words in (["throttles"], ["shares"], ["queues"], ["queues", "pause", "mail"]):
        assert away(*words).code == 3
    assert list(tmp_path.iterdir()) == []


# -- words ---------------------------------------------------------------------------------------
def test_rates_and_counts_are_read_as_people_write_them() -> None:
    assert read_rate("90000/1m") == Rate(90_000, 60)
    assert read_rate("0.5/10") == Rate(0.5, 10)
    assert read_rate("off").amount is None
    assert (read_count_or_off("0"), read_count_or_off("off")) == (0, "off")
    assert read_until("1h30m") == 5_400
    with pytest.raises(click.BadParameter):
        read_rate("1/2/3")


@pytest.mark.parametrize(
    ("per_second", "text"),
    [
        (1_500.0, "1,500/s"),
        (1.0, "1/s"),
        (0.5, "30/m"),
        (1 / 3_600, "1/h"),
        (1 / 86_400, "1/d"),
        (1e-6, "0.09/d"),
        (1_234_567.891, "1,234,567.89/s"),
    ],
)
def test_rates_are_shown_in_a_unit_that_makes_them_1_or_more(per_second: float, text: str) -> None:
    assert rate_text(per_second) == text


def test_amounts_are_short() -> None:
    assert [number(value) for value in (None, 0.0, 100.0, 2.5, -15.0)] == [
        "",
        "0",
        "100",
        "2.5",
        "-15",
    ]


def test_a_pause_that_is_over_is_not_shown() -> None:
    assert pause_cell(None, None, None) == ""
    assert pause_cell(datetime(2001, 1, 1, tzinfo=UTC), "429", "ada") == ""
    assert pause_cell(datetime.max.replace(tzinfo=UTC), None, None) == "until resumed"


def test_who_has_no_name_here_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", fail)
    assert os_user() is None


# -- quotas ----------------------------------------------------------------------------------------
def test_quotas_are_set_shown_and_removed(cli: Cli) -> None:
    assert cli("quotas").out == "No tenant has quotas.\n"
    words = ["--waiting", "1000", "--running", "20", "--rate", "60/minute", "--by", "ada"]
    assert cli("quotas", "set", "acme", *words).out == "acme has its new quotas\n"
    line = cli("quotas").out.splitlines()[1]
    assert line.split()[:7] == ["acme", "0", "of", "1,000", "0", "of", "20"]
    (shown,) = cli("quotas", "--json").json()["quotas"]
    assert (shown["rate"], shown["burst"], shown["set_by"]) == (1.0, 60.0, "ada")
    cli("quotas", "set", "acme", "--waiting", "off", "--rate", "off")
    (shown,) = cli("quotas", "--json").json()["quotas"]
    assert (shown["waiting_limit"], shown["running_limit"], shown["rate"]) == (None, 20, None)
    assert cli("quotas", "remove", "acme").out == "acme has no quotas any more\n"
    assert cli("quotas", "remove", "acme").out == "acme had no quotas\n"
    for wrong in (["--waiting", "many"], ["--rate", "fast"], []):
        assert cli("quotas", "set", "acme", *wrong).code == 2
