"""The rules of alerts, and the file that says them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from leasehold.alerting import load_config, read_config
from leasehold.alerting.mail import MailSink
from leasehold.alerting.sinks import CommandSink, LogSink
from leasehold.alerting.webhook import WebhookSink
from leasehold.errors import BadOption
from leasehold.model.alerts import Alert, Fact, Facts, Judged, Rule, judge
from leasehold.model.statistics import Depth

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def depth(queue: str, ready: int, oldest: float | None = None) -> Depth:
    return Depth(at=NOW, queue=queue, ready=ready, scheduled=999, oldest_seconds=oldest)


def firing(name: str, subject: str) -> Alert:
    return Alert(
        name=name,
        subject=subject,
        level="warning",
        is_firing=True,
        since=NOW,
        value=1,
        bound=1,
        seen_at=NOW,
        told_at=None,
    )


def verdicts(judged: list[Judged]) -> dict[str, str]:
    def word(each: Judged) -> str:
        return "above" if each.is_above else "below" if each.is_below else "between"

    return {f"{each.name} {each.subject}".strip(): word(each) for each in judged}


def test_without_a_file_the_built_in_rules_hold() -> None:
    config = load_config(None)
    said = {rule.name: (rule.above, rule.level, rule.sinks) for rule in config.rules}
    assert said == {
        "depth": (100, "warning", ("log",)),
        "dead": (10, "error", ("log",)),
        "silent": (300, "error", ("log",)),
    }
    assert config.sinks == {"log": LogSink()}
    assert {rule.within_seconds for rule in config.rules} == {3600}


def test_depth_counts_what_is_ready_in_each_queue_by_its_own_limit() -> None:
    rule = Rule(fact=Fact.DEPTH, above=100, queues={"bulk": 1000.0, "test": None, "gone": 5.0})
    facts = Facts(
        at=NOW,
        depths=[depth("mail", 101), depth("bulk", 999), depth("test", 10**6), depth("x", 81)],
    )
    assert verdicts(judge([rule], facts, [])) == {
        "depth mail": "above",
        "depth bulk": "between",
        "depth x": "between",
        "depth gone": "below",
    }


def test_a_limit_is_passed_above_it_and_left_well_below_it() -> None:
    rule = Rule(fact=Fact.DEPTH, above=100)
    for ready, verdict in ((101, "above"), (100, "between"), (81, "between"), (80, "below")):
        assert verdicts(judge([rule], Facts(at=NOW, depths=[depth("q", ready)]), [])) == {
            "depth q": verdict
        }


def test_deaths_are_counted_together_and_by_queue_where_it_has_a_limit() -> None:
    rule = Rule(fact=Fact.DEAD, above=10, queues={"mail": 2.0})
    facts = Facts(at=NOW, died={"mail": 3, "bulk": 9})
    assert verdicts(judge([rule], facts, [])) == {"dead": "above", "dead mail": "above"}


def test_waiting_and_silence_are_spans_of_time() -> None:
    rules = [Rule(fact=Fact.WAITING, above=60.0), Rule(fact=Fact.SILENT, above=300.0)]
    facts = Facts(at=NOW, depths=[depth("q", 1, 61.0), depth("r", 0, None)], silent_seconds=299)
    assert verdicts(judge(rules, facts, [])) == {
        "waiting q": "above",
        "waiting r": "below",
        "silent": "below",
    }


def test_what_fires_and_is_not_looked_at_any_more_is_clear() -> None:
    rule = Rule(fact=Fact.DEPTH, above=100)
    known = [firing("depth", "emptied"), firing("dead", ""), firing("depth", "q")]
    facts = Facts(at=NOW, depths=[depth("q", 500)])
    assert verdicts(judge([rule], facts, known)) == {
        "depth q": "above",
        "depth emptied": "below",
        "dead": "below",
    }


def test_a_file_says_rules_sinks_and_secrets_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK", "https://hooks.example.com/xyzzy")
    (tmp_path / "password").write_text("s3cret\n")
    path = tmp_path / "alerts.toml"
    path.write_text(
        f"""
[alerts]
every = "5s"
sinks = ["log", "ops"]
remind = "4h"
silent = false

[alerts.depth]
above = 1000
queues = {{ bulk = 50000, test = false }}

[alerts.waiting]
above = "10m"
sinks = ["mail"]

[alerts.dead]
within = "10m"
level = "warning"
remind = "1h"

[sinks.ops]
kind = "webhook"
url = "env:HOOK"
secret = "file:{tmp_path / "password"}"

[sinks.mail]
kind = "email"
host = "mail.example.com"
sender = "jobs@example.com"
to = ["ops@example.com"]
user = "me"
password = "file:{tmp_path / "password"}"

[sinks.page]
kind = "command"
argv = ["/bin/page", "now"]
timeout = "3s"
"""
    )
    config = load_config(path)
    rules = {rule.name: rule for rule in config.rules}
    assert set(rules) == {"depth", "waiting", "dead"}
    assert rules["depth"].queues == {"bulk": 50000.0, "test": None}
    assert (rules["waiting"].above, rules["waiting"].sinks) == (600, ("mail",))
    assert (rules["dead"].within_seconds, rules["dead"].remind_seconds) == (600, 3600)
    assert rules["depth"].remind_seconds == 4 * 3600
    assert config.every_seconds == 5
    assert config.sinks["ops"] == WebhookSink("https://hooks.example.com/xyzzy", "s3cret", 10.0)
    mail = config.sinks["mail"]
    assert isinstance(mail, MailSink)
    assert (mail.port, mail.security, mail.password) == (587, "starttls", "s3cret")
    assert config.sinks["page"] == CommandSink(("/bin/page", "now"), 3.0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[alerts]\nsinks = ['ops']", "no sink 'ops'"),
        ("[alerts.deep]\nabove = 1", "unknown field `deep`"),
        ("[alerts.depth]\nabove = 'many'", "not a number of jobs"),
        ("[alerts.depth]\nabove = -1", "not a number of jobs"),
        ("[alerts.depth]\nwithin = '1h'", "only alerts.dead"),
        ("[alerts.silent]\nqueues = { q = 1 }", "has no queues"),
        ("[alerts.silent]\nabove = 'soon'", "can't read 'soon'"),
        ("[alerts.depth]\nqueues = { q = true }", "give a limit"),
        ("[sinks.x]\nkind = 'pigeon'", "pigeon"),
        ("[sinks.x]\nkind = 'webhook'\nurl = 'gopher://x'", "http"),
        ("[sinks.x]\nkind = 'webhook'\nurl = 'env:NOT_THERE_AT_ALL'", "NOT_THERE_AT_ALL"),
        ("[sinks.x]\nkind = 'command'\nargv = []", "argv"),
        ("[sinks.log]\nkind = 'command'\nargv = ['x']", "another name"),
        ("[alerts", "alerts.toml"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(text: str, why: str) -> None:
    with pytest.raises(BadOption, match=r"alerts\.toml") as refused:
        read_config(text, where="alerts.toml")
    assert why in str(refused.value)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="can't read"):
        load_config(tmp_path / "nothing.toml")


@pytest.mark.parametrize(
    ("name", "subject", "is_firing", "text"),
    [
        ("depth", "mail", True, "queue mail has 120 jobs ready, more than 100"),
        ("depth", "mail", False, "cleared: queue mail has 120 jobs ready"),
        ("dead", "", True, "120 jobs died lately, more than 100"),
        ("silent", "", True, "no worker was seen for 2 m"),
        ("silent", "", False, "cleared: a worker is there again"),
        ("waiting", "mail", True, "a job of queue mail waits for 2 m, more than 2 m"),
    ],
)
def test_an_alert_says_itself_in_a_sentence(
    name: str, subject: str, *, is_firing: bool, text: str
) -> None:
    from msgspec import structs

    alert = structs.replace(firing(name, subject), value=120, bound=100, is_firing=is_firing)
    assert alert.text == text
