"""`leasehold alerts`: what fires, who is told, and quiet for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Listing, with_session
from leasehold.cli.controlling import BY, answer
from leasehold.cli.values import read_duration
from leasehold.cli.watching import CONFIG

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.model.alerts import Alert, Mute

_EXAMPLE = """\
leasehold alerts
leasehold alerts mute depth --for 2h
leasehold alerts test ops --config alerts.toml"""


@click.group(cls=Listing, example=_EXAMPLE)
@click.option("--firing", is_flag=True, help="Only those that fire now.")
@with_session
def alerts(session: Session, /, *, firing: bool) -> None:
    """Show what is not as it should be, and what was not in the last week.

    `leasehold serve` watches, and so does `leasehold work --alerts FILE`.
    """
    with session.client() as client:
        found, mutes = client.alerts.list(firing=firing), client.alerts.mutes()
    _print(session, found, list(mutes))


@alerts.command("mute", example="leasehold alerts mute depth --for 2h")
@click.argument("name")
@click.option(
    "--for",
    "duration",
    type=read_duration,
    metavar="TIME",
    default="1h",
    show_default=True,
    help="How long.",
)
@BY
@with_session
def mute(session: Session, /, *, name: str, duration: float, by: str | None) -> None:
    """Tell nobody of an alert for a time. What still fires then is told."""
    with session.client() as client:
        made = client.alerts.mute(name, duration, by=by)
    answer(session, f"{name}: muted until {made.until:%Y-%m-%d %H:%M:%SZ}", **_muted(made))


@alerts.command("unmute", example="leasehold alerts unmute depth")
@click.argument("name")
@with_session
def unmute(session: Session, /, *, name: str) -> None:
    """Tell of an alert again."""
    with session.client() as client:
        is_changed = client.alerts.unmute(name)
    told = "told again" if is_changed else "it was not muted"
    answer(session, f"{name}: {told}", name=name, is_changed=is_changed)


@alerts.command("test", example="leasehold alerts test ops --config alerts.toml")
@click.argument("sink")
@CONFIG
@with_session
def test(session: Session, /, *, sink: str, config: str | None) -> None:
    """Send a test through one sink of the configuration. Needs no database."""
    from leasehold.alerting import load_config
    from leasehold.alerting.events import TEST_EVENT
    from leasehold.cli.failing import NotFound

    sinks = load_config(config).sinks
    if sink not in sinks:
        raise NotFound(f"there is no sink {sink!r}; known: {', '.join(sorted(sinks))}")
    sinks[sink].send(TEST_EVENT)
    answer(session, f"{sink}: sent", sink=sink, is_sent=True)


def _print(session: Session, found: list[Alert], mutes: list[Mute]) -> None:
    if session.is_json:
        from leasehold.cli.output import print_json

        print_json({"alerts": [_fields(each) for each in found], "mutes": [*map(_muted, mutes)]})
        return
    _print_table(found)
    for each in mutes:
        click.echo(f"{each.name} is muted until {each.until:%Y-%m-%d %H:%M:%SZ}, by {each.set_by}")


def _print_table(found: list[Alert]) -> None:
    from datetime import UTC, datetime

    from leasehold.cli.output import cell, make_table, print_rows
    from leasehold.model.wording import since

    now = datetime.now(UTC)
    table = make_table("alert", "queue", "state", "since", "what")
    for each in found:
        state = cell(each.state, "bold red" if each.is_firing else "green")
        words = (cell(since(each.since, now)), cell(each.text, wraps=True))
        table.add_row(cell(each.name), cell(each.subject), state, *words)
    print_rows(table, empty="Nothing fires.", rows=found)


def _fields(alert: Alert) -> dict[str, Any]:
    return {
        "name": alert.name,
        "subject": alert.subject,
        "state": alert.state,
        "level": alert.level,
        "value": alert.value,
        "limit": alert.bound,
        "since": alert.since,
        "told_at": alert.told_at,
        "muted_until": alert.muted_until,
        "text": alert.text,
    }


def _muted(mute: Mute) -> dict[str, Any]:
    return {"name": mute.name, "until": mute.until, "by": mute.set_by}
