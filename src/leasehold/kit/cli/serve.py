"""`serve` of an application's program: the application by itself, with a worker in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.kit import (
    Command,
    listening_options,
    logging_options,
    set_up_logging,
    with_session,
)
from leasehold.kit.errors import NotServed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.alerting import AlertConfig
    from leasehold.cli.kit import Session
    from leasehold.web import Application

_NOTES = """\
As long as there is no token (leasehold token add), whoever reaches the service may do everything:
an address that is not this machine's own is refused then."""


def serve_command(
    program: str,
    path: str,
    make: Callable[[], Sequence[Application]],
    *,
    make_demo: Callable[[], Application] | None = None,
    make_alerts: Callable[[], AlertConfig] | None = None,
    **served: Any,
) -> click.Command:
    """Make the command `serve` of a program, which leads people to the path, as in `/links/`.

    `make_demo` makes what --demo serves in addition, `make_alerts` the rules to watch by; `served`
    are options of `leasehold.web.serve`.
    """

    @click.command(
        "serve",
        cls=Command,
        example=_example(program, has_demo=make_demo is not None),
        notes=_NOTES,
    )
    @listening_options
    @click.option(
        "--migrate",
        "is_migrating",
        is_flag=True,
        help="Make the tables first. A file's always are.",
    )
    @click.option("--worker/--no-worker", "has_worker", default=True, help="Run its jobs here.")
    @click.option("--slots", type=click.IntRange(1), default=16, show_default=True, help="At once.")
    @logging_options
    @with_session
    def serve(
        session: Session,
        /,
        *,
        is_migrating: bool,
        has_worker: bool,
        log_level: str,
        log_format: str,
        has_demo: bool = False,
        **options: Any,
    ) -> None:
        """Serve the application, with the dashboard of its queue, until Ctrl-C or SIGTERM."""
        from leasehold import web

        set_up_logging(log_level, log_format)
        demo = [make_demo()] if has_demo and make_demo is not None else []
        with session.client(may_create=True) as client:
            web.serve(
                client,
                [*make(), *demo],
                migrate=is_migrating or client.url.startswith("sqlite"),
                worker=has_worker,
                alerts=None if make_alerts is None else make_alerts(),
                on_start=lambda address, broken: _announce(session, program, address, path, broken),
                **served,
                **options,
            )

    if make_demo is None:
        return serve
    return click.option(
        "--demo", "has_demo", is_flag=True, help="With something in it to see, all on this machine."
    )(serve)


def _example(program: str, *, has_demo: bool) -> str:
    name = program.removeprefix("leasehold-")
    lines = [
        f"{program} serve",
        f"{program} serve --demo --port 9000",
        f"{program} serve --host 0.0.0.0 --allow-host {name}.example.org --migrate",
    ]
    return "\n".join(line for line in lines if has_demo or "--demo" not in line)


def _announce(
    session: Session, program: str, address: str, path: str, broken: dict[str, str]
) -> None:
    """Say where it is; what it can't be without is refused."""
    if broken:
        raise NotServed(session.hide_secrets("; ".join(broken.values())))
    if session.is_json:
        told = {"address": address, "application": address + path}
        click.echo(json.dumps(told))  # on one line: the program goes on
        return
    click.echo(f"{program} is at {address}{path} (Ctrl-C ends it)")
    click.echo(f"  queue      {session.shown_url}, its dashboard at {address}/")
