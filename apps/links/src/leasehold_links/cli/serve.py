"""`leasehold-links serve`: the library by itself, with a worker in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.kit import Command, read_duration, set_up_logging, with_session

if TYPE_CHECKING:
    from leasehold.cli.kit import Session
    from leasehold.web import Application

_LEVELS = ("debug", "info", "warning", "error")
_EXAMPLE = """\
leasehold-links serve
leasehold-links serve --demo --port 9000
leasehold-links serve --host 0.0.0.0 --allow-host links.example.org --migrate"""
_NOTES = """\
As long as there is no token (leasehold token add), whoever reaches the service may do everything:
an address that is not this machine's own is refused then."""


@click.command(cls=Command, example=_EXAMPLE, notes=_NOTES)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8320, show_default=True, help="0: any."
)
@click.option(
    "--allow-host", "hosts", multiple=True, metavar="NAME", help="Answer to this name, too."
)
@click.option("--root-path", default="", metavar="PATH", help="What a proxy takes off each path.")
@click.option(
    "--auth",
    type=click.Choice(["auto", "required"]),
    default="auto",
    show_default=True,
    help="Ask who it is as soon as there is a token, or in any case.",
)
@click.option(
    "--migrate", "is_migrating", is_flag=True, help="Make the tables first. A file's always are."
)
@click.option("--worker/--no-worker", "has_worker", default=True, help="Import and enrich here.")
@click.option("--demo", "has_demo", is_flag=True, help="With a bookmark file and a web of its own.")
@click.option("--slots", type=click.IntRange(1), default=16, show_default=True, help="At once.")
@click.option(
    "--grace",
    type=read_duration,
    metavar="TIME",
    default="1s",
    show_default=True,
    help="Time for jobs to end in.",
)
@click.option("--log-level", type=click.Choice(_LEVELS), default="info", show_default=True)
@click.option("--log-format", type=click.Choice(["console", "json"]), default="console")
@with_session
def serve(
    session: Session,
    /,
    *,
    is_migrating: bool,
    has_worker: bool,
    has_demo: bool,
    slots: int,
    grace: float,
    log_level: str,
    log_format: str,
    **options: Any,
) -> None:
    """Serve the library at /links, with the dashboard of its queue, until Ctrl-C or SIGTERM."""
    from leasehold import web

    set_up_logging(log_level, log_format)
    with session.client(may_create=True) as client:
        web.serve(
            client,
            _applications(has_demo=has_demo),
            migrate=is_migrating or client.url.startswith("sqlite"),
            worker=has_worker,
            on_start=lambda address, broken: _announce(session, address, broken),
            slots=slots,
            grace=grace,
            **options,
        )


def _applications(*, has_demo: bool) -> list[Application]:
    from leasehold_links import demo, web

    library = web.application()
    return [library, demo.application()] if has_demo else [library]


def _announce(session: Session, address: str, broken: dict[str, str]) -> None:
    """Say where it is; what it can't be without is refused."""
    import json

    from leasehold_links.errors import NotServed

    if broken:
        raise NotServed(session.hide_secrets("; ".join(broken.values())))
    if session.is_json:
        click.echo(json.dumps({"address": address, "library": f"{address}/links/"}))  # on one line
        return
    click.echo(f"leasehold-links is at {address}/links/ (Ctrl-C ends it)")
    click.echo(f"  queue      {session.shown_url}, its dashboard at {address}/")
