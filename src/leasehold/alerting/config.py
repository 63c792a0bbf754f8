"""The rules and sinks that an operator writes down, in TOML.

[alerts]
sinks = ["log", "ops"]

[alerts.depth]
above = 1000
queues = { bulk = 50000, test = false }

[sinks.ops]
kind = "webhook"
url = "env:OPS_WEBHOOK"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec

from leasehold.alerting.mail import PLAIN, STARTTLS, TLS, MailSink
from leasehold.alerting.sinks import TIMEOUT_SECONDS, CommandSink, LogSink, Sink
from leasehold.alerting.webhook import WebhookSink
from leasehold.errors import BadOption
from leasehold.model.alerts import Fact, Rule
from leasehold.model.durations import seconds

LOG = "log"
EVERY_SECONDS = 15.0
_ENV, _FILE = "env:", "file:"
_SMTP_PORTS = {STARTTLS: 587, TLS: 465, PLAIN: 25}
Span = str | int | float


class _Said(msgspec.Struct, forbid_unknown_fields=True):
    """What stands in a table of the file; a word that is not known is refused."""


class _Rule(_Said, kw_only=True):
    above: Span | None = None
    within: Span | None = None
    queues: dict[str, Span | bool] = {}
    level: Literal["info", "warning", "error"] | None = None
    sinks: tuple[str, ...] | None = None
    remind: Span | None = None


class _Alerts(_Said, kw_only=True):
    every: Span = EVERY_SECONDS
    sinks: tuple[str, ...] = (LOG,)
    remind: Span | None = None
    depth: _Rule | bool = True
    waiting: _Rule | bool = False
    dead: _Rule | bool = True
    silent: _Rule | bool = True


class _Webhook(_Said, kw_only=True, tag_field="kind", tag="webhook"):
    url: str
    secret: str | None = None
    timeout: Span = TIMEOUT_SECONDS


class _Mail(_Said, kw_only=True, tag_field="kind", tag="email"):
    host: str
    sender: str
    to: tuple[str, ...]
    port: int | None = None
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password: str | None = None
    timeout: Span = TIMEOUT_SECONDS


class _Command(_Said, kw_only=True, tag_field="kind", tag="command"):
    argv: tuple[str, ...]
    timeout: Span = TIMEOUT_SECONDS


class _File(_Said, kw_only=True):
    alerts: _Alerts = msgspec.field(default_factory=_Alerts)
    sinks: dict[str, _Webhook | _Mail | _Command] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertConfig:
    """Rules, sinks by name, and how often to look. Without anything said, the log is told."""

    rules: tuple[Rule, ...]
    sinks: Mapping[str, Sink] = field(default_factory=lambda: {LOG: LogSink()})
    every_seconds: float = EVERY_SECONDS


def load_config(path: str | Path | None) -> AlertConfig:
    """Read a file; without one the built-in rules hold. `BadOption` says what is wrong in it."""
    if path is None:
        return read_config("")
    try:
        return read_config(Path(path).read_text("utf-8"), where=str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"can't read {path}: {error}") from error


def read_config(text: str, *, where: str = "alerts") -> AlertConfig:
    """Read such a text."""
    try:
        said = msgspec.convert(tomllib.loads(text), _File)
        config = _build(said)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, BadOption) as error:
        raise BadOption(f"{where}: {error}") from error
    for rule in config.rules:
        for name in rule.sinks:
            if name not in config.sinks:
                known = ", ".join(sorted(config.sinks))
                raise BadOption(f"{where}: alert {rule.name} has no sink {name!r}; known: {known}")
    return config


def _build(said: _File) -> AlertConfig:
    alerts = said.alerts
    rules = [
        _rule(fact, _Rule() if given is True else given, alerts)
        for fact in Fact
        if (given := getattr(alerts, fact.value)) is not False
    ]
    if LOG in said.sinks:
        raise BadOption("the sink 'log' is there already; give yours another name")
    sinks: dict[str, Sink] = {name: _sink(each) for name, each in said.sinks.items()}
    every = max(1.0, seconds(alerts.every, name="every"))
    return AlertConfig(rules=tuple(rules), sinks={LOG: LogSink(), **sinks}, every_seconds=every)


_DEFAULTS: dict[Fact, dict[str, Any]] = {
    Fact.DEPTH: {"above": 100, "level": "warning"},
    Fact.WAITING: {"above": "10m", "level": "warning"},
    Fact.DEAD: {"above": 10, "level": "error"},
    Fact.SILENT: {"above": "5m", "level": "error"},
}
_SPANS = frozenset({Fact.WAITING, Fact.SILENT})


def _rule(fact: Fact, given: _Rule, alerts: _Alerts) -> Rule:
    default = _DEFAULTS[fact]
    if given.within is not None and fact is not Fact.DEAD:
        raise BadOption(f"alerts.{fact.value}: only alerts.dead counts `within` a time")
    if given.queues and fact is Fact.SILENT:
        raise BadOption("alerts.silent is about all workers: it has no queues")
    remind = alerts.remind if given.remind is None else given.remind
    return Rule(
        fact=fact,
        above=_limit(fact, default["above"] if given.above is None else given.above),
        queues={name: _queue_limit(fact, name, limit) for name, limit in given.queues.items()},
        within_seconds=seconds("1h" if given.within is None else given.within, name="within"),
        level=given.level or default["level"],
        sinks=alerts.sinks if given.sinks is None else given.sinks,
        remind_seconds=None if remind is None else max(60.0, seconds(remind, name="remind")),
    )


def _queue_limit(fact: Fact, queue: str, limit: Span | bool) -> float | None:  # noqa: FBT001
    if limit is False:
        return None
    if limit is True:
        raise BadOption(f"alerts.{fact.value}.queues.{queue}: give a limit, or false for none")
    return _limit(fact, limit)


def _limit(fact: Fact, limit: Span) -> float:
    if fact in _SPANS:
        return seconds(limit, name=f"alerts.{fact.value}.above")
    if isinstance(limit, str) or limit < 0:
        raise BadOption(f"alerts.{fact.value}: {limit!r} is not a number of jobs")
    return float(limit)


def _sink(given: _Webhook | _Mail | _Command) -> Sink:
    timeout = min(60.0, seconds(given.timeout, name="timeout"))
    match given:
        case _Webhook():
            return WebhookSink(reveal(given.url) or "", reveal(given.secret), timeout)
        case _Mail():
            return MailSink(
                host=given.host,
                port=given.port or _SMTP_PORTS[given.security],
                sender=given.sender,
                to=given.to,
                security=given.security,
                user=given.user,
                password=reveal(given.password),
                timeout_seconds=timeout,
            )
        case _Command():
            if not given.argv:
                raise BadOption("a command's argv names at least the program")
            return CommandSink(given.argv, timeout)


def reveal(value: str | None) -> str | None:
    """Read a secret that stands elsewhere: `env:NAME`, `file:/run/secrets/x`; else as it is."""
    if value is None:
        return None
    if value.startswith(_ENV):
        name = value.removeprefix(_ENV)
        if name not in os.environ:
            raise BadOption(f"the environment has no {name}")
        return os.environ[name]
    if value.startswith(_FILE):
        return Path(value.removeprefix(_FILE)).read_text("utf-8").strip()
    return value
