"""What is told to whom, by the engine's alerts: each once, however many processes watch.

More than 100 jobs in a queue are a warning in the log; more than 10 that died within an hour are an
error, told to the platform's admin by e-mail, if there is one and a mail server; no worker for 5
minutes is an error, too, and the health check fails. An engine whose service refuses our key is
shown among them while it is paused; the admin is told by the job that has met it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from leasehold.alerting import AlertConfig, read_config
from leasehold_documents.access import Service
from leasehold_documents.data import pauses
from leasehold_documents.settings import Settings, settings

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold.kit.data import Database

_RULES = """
[alerts.depth]
above = {queue}
[alerts.dead]
above = {dead}
within = "1h"
sinks = {sinks}
[alerts.silent]
above = {silence}
sinks = {sinks}
"""


def alert_config(said: Settings | None = None) -> AlertConfig:
    """Make the rules and who is told, by the settings: for `leasehold.alerting.AlertWatch`."""
    said = said or settings()
    admin = _admin(said)
    rules = _RULES.format(
        queue=said.queue_warning,
        dead=said.dead_alert,
        silence=said.silence_seconds,
        sinks=json.dumps(["log", "admin"] if admin else ["log"]),
    )
    return read_config(rules + admin, where="the settings of documents")


class Alert(NamedTuple):
    """Something that is not as it should be."""

    name: str
    subject: str
    level: str
    since: datetime
    value: float
    bound: float
    text: str


def alerts_of(client: lh.Client, database: Database) -> list[Alert]:
    """List what fires now, in all processes that watch, and the engines that refuse us."""
    firing = client.alerts.list(firing=True)
    told = [Alert(*(getattr(each, name) for name in Alert._fields)) for each in firing]
    with Service(client, database).read() as connection:
        resting = pauses.find(connection, datetime.now(UTC))
    return [*told, *map(_paused, resting)]


def _paused(row: Mapping[str, Any]) -> Alert:
    engine, until = row["engine"], row["until"]
    text = f"{engine} is paused until {until:%H:%M} UTC, and its documents wait: {row['reason']}"
    return Alert("engine", engine, "error", row["created_at"], 1, 0, text)


def _admin(said: Settings) -> str:
    """Write the sink that mails to the platform's admin; nothing without one or without a host."""
    if not (said.smtp_host and said.admin_email):
        return ""
    fields = {
        "kind": "email",
        "host": said.smtp_host,
        "port": said.smtp_port,
        "security": said.smtp_security,
        "sender": said.smtp_from or said.admin_email,
        "to": [said.admin_email],
        **({"user": said.smtp_user, "password": said.smtp_password} if said.smtp_user else {}),
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in fields.items()]
    return "\n".join(["[sinks.admin]", *lines])
