"""What a sink is given: one alert that fired, still fires or cleared."""

from __future__ import annotations

import msgspec

from leasehold.model.alerts import Alert


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """The document of webhooks and commands. `id` is the same however often it is sent."""

    id: str
    name: str
    subject: str
    state: str  # firing, clear
    level: str
    value: float
    limit: float
    since: str
    reminder: int  # how often it was told before
    text: str  # a sentence; some chat services show a field of this name


def event_of(alert: Alert) -> Event:
    """Say what stands there to be told."""
    since = alert.since.isoformat()
    return Event(
        id=f"{alert.name}/{alert.subject}/{alert.state}/{since}/{alert.reminders}",
        name=alert.name,
        subject=alert.subject,
        state=alert.state,
        level=alert.level if alert.is_firing else "info",
        value=alert.value,
        limit=alert.bound,
        since=since,
        reminder=alert.reminders,
        text=f"leasehold: {alert.text}",
    )


TEST_EVENT = Event(
    id="test",
    name="test",
    subject="",
    state="firing",
    level="info",
    value=0.0,
    limit=0.0,
    since="1970-01-01T00:00:00+00:00",
    reminder=0,
    text="leasehold: this is a test of this sink",
)
