"""`leasehold serve`: the HTTP service, with a worker in it."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Command, with_session
from leasehold.cli.listening import listening_options, logging_options
from leasehold.cli.oidc import oidc_options, read_oidc
from leasehold.cli.values import read_duration
from leasehold.cli.watching import ALERTS, senders, sending_options, watching_alerts
from leasehold.cli.work import read_queues, read_slots
from leasehold.errors import LeaseholdError

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.registry import Registry
    from leasehold.web.assembly import Assembly

_EXAMPLE = """\
leasehold serve shop.tasks
leasehold serve shop.tasks --port 9000 --queue mail --slots 8
leasehold serve --no-worker --read-only
leasehold serve shop.tasks --no-worker --no-needs-worker   # jobs run by POST /worker only"""
_NOTES = """\
As long as there is no token (leasehold token add), whoever reaches the service may do everything:
an address that is not this machine's own is refused then. Behind a proxy, name it with
--allow-host."""


@click.command(cls=Command, example=_EXAMPLE, notes=_NOTES)
@click.argument("tasks", nargs=-1, metavar="[MODULE[:TASKS]]...")
@listening_options
@click.option("--worker/--no-worker", "has_worker", default=True, help="Run the tasks here.")
@click.option("--apps/--no-apps", "has_apps", default=True, help="Plug installed applications in.")
@click.option(
    "--app", "apps", multiple=True, metavar="MODULE:NAME", help="Plug this application in, too."
)
@click.option("--read-only", "is_read_only", is_flag=True, help="Refuse every change over HTTP.")
@click.option("--no-auth", "is_open", is_flag=True, help="Ask nobody; on this machine only.")
@click.option("--open-metrics", "has_open_metrics", is_flag=True, help="/metrics is for everybody.")
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    default=200.0,
    show_default=True,
    help="Requests a second, of each who asks.",
)
@click.option(
    "--wrong-rate",
    "wrong_per_minute",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="Wrong credentials a minute, of each address.",
)
@click.option(
    "--trust-proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Believe this proxy who its clients are, and whether they use https.",
)
@click.option(
    "--needs-worker/--no-needs-worker",
    default=True,
    help="Not ready when no worker was seen lately.",
)
@click.option(
    "--silent",
    "silent_seconds",
    type=read_duration,
    metavar="TIME",
    default="5m",
    show_default=True,
    help="… for this time.",
)
@click.option("--migrate", "is_migrating", is_flag=True, help="Bring the tables up to date first.")
@click.option(
    "--queue", "queues", multiple=True, help="The worker serves this queue. Or NAME=WEIGHT."
)
@click.option(
    "--slots", multiple=True, help="How many handlers at once. Or QUEUE=N.  [default: 16]"
)
@click.option("--access-log", "has_access_log", is_flag=True, help="Log each request.")
@logging_options
@ALERTS
@oidc_options
@sending_options
@with_session
def serve(
    session: Session,
    /,
    *,
    tasks: tuple[str, ...],
    host: str,
    port: int,
    is_open: bool,
    has_worker: bool,
    queues: tuple[str, ...],
    slots: tuple[str, ...],
    grace: float,
    log_level: str,
    log_format: str,
    has_access_log: bool,
    root_path: str,
    alerts: str | None,
    **options: Any,
) -> None:
    """Serve the HTTP API and the dashboard, and run the jobs of a module's tasks.

    Applications that are installed and name themselves under `leasehold.apps` are plugged in.
    """
    _require_web()
    from leasehold.cli.loading import load_registry
    from leasehold.cli.logs import set_up_logging
    from leasehold.web.serving import (
        Running,
        address_of,
        check_address,
        embedded_workers,
        open_socket,
    )

    if is_open:
        options["auth"] = "off"
    if is_open or _has_no_database(session):  # where there is none, there is no token either
        check_address(host, is_asking=_is_asking_anyway(options))
    set_up_logging(log_level, log_format)
    _quieten_server(has_access_log=has_access_log)
    registry = load_registry(tasks)
    with ExitStack() as stack:
        opened = stack.enter_context(open_socket(host, port))
        assembly = stack.enter_context(closing(_assemble(session, stack, registry, host, options)))
        _watch(stack, assembly, alerts, options)
        workers = []
        if has_worker:
            words = {"queues": read_queues(queues), **read_slots(slots), "grace": grace}
            workers = stack.enter_context(embedded_workers(assembly, **words))
        running = Running(
            assembly,
            workers,
            has_access_log=has_access_log,
            root_path=root_path,
            proxies=options["proxies"],
        )
        address = address_of(opened) + root_path
        running.serve(opened, on_start=lambda: _announce(session, address, assembly))


def _watch(
    stack: ExitStack, assembly: Assembly, alerts: str | None, options: dict[str, Any]
) -> None:
    """Let all that runs here be observed, and watch for alerts.

    By the file or by the built-in rules; one that may change nothing only by a file.
    """
    observers = senders(otel=options["otel"], sentry=options["sentry"])
    for site in assembly.sites:
        site.observers = (*site.observers, *observers)
    about_alerts = watching_alerts(
        assembly.main.client,
        alerts,
        by_default=not options["is_read_only"],
        needs_worker=options["needs_worker"],
    )
    stack.enter_context(about_alerts)


def _require_web() -> None:
    try:
        import fastapi
        import uvicorn
    except ModuleNotFoundError as error:
        raise LeaseholdError(
            f"the service needs {error.name}: pip install 'leasehold[web]'"
        ) from error
    del fastapi, uvicorn


def _quieten_server(*, has_access_log: bool) -> None:
    import logging

    # Its own remarks about starting and stopping are ours to make.
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    logging.getLogger("uvicorn.access").setLevel(
        logging.INFO if has_access_log else logging.WARNING
    )


def _assemble(
    session: Session, stack: ExitStack, registry: Registry, host: str, options: dict[str, Any]
) -> Assembly:
    from leasehold.web.applications import find_applications, load_applications
    from leasehold.web.assembly import assemble
    from leasehold.web.opening import choose_auth, open_tables
    from leasehold.web.settings import WebSettings

    client = stack.enter_context(session.client(may_create=True))
    open_tables(client, is_migrating=options["is_migrating"])
    has_issuer = read_oidc(options) is not None
    auth = choose_auth(client, host, options["auth"], has_issuer=has_issuer)
    settings = WebSettings(
        is_read_only=options["is_read_only"],
        needs_worker=options["needs_worker"],
        silent_seconds=options["silent_seconds"],
        hosts=(*options["hosts"], host),
        auth=auth,
        jwt=read_oidc(options),
        rate=options["rate"],
        burst=5 * options["rate"],
        wrong_per_minute=options["wrong_per_minute"],
        has_open_metrics=options["has_open_metrics"],
    )
    found = find_applications() if options["has_apps"] else []
    found += load_applications(options["apps"])
    return assemble(
        client,
        settings=settings,
        registry=registry,
        found=found,
        is_migrating=options["is_migrating"],
    )


def _has_no_database(session: Session) -> bool:
    from leasehold.cli.failing import NotFound

    try:
        session.require_file()
    except NotFound:
        return True
    return False


def _is_asking_anyway(options: dict[str, Any]) -> bool:
    """Whether everybody is asked who they are, whatever tokens there are."""
    if options["auth"] == "off":
        return False
    return options["auth"] == "required" or read_oidc(options) is not None


def _has_door(assembly: Assembly) -> bool:
    """Whether people are asked who they are."""
    settings = assembly.main.settings
    if settings.auth == "off":
        return False
    is_always = settings.auth == "required" or settings.jwt is not None
    return is_always or assembly.main.client.store.has_tokens()


def _announce(session: Session, address: str, assembly: Assembly) -> None:
    """Say where it is, and what is there."""
    has_door = _has_door(assembly)
    links = assembly.main.applications
    if session.is_json:
        import json

        apps = [{"name": each.name, "path": each.path, "error": each.error} for each in links]
        told = {"address": address, "url": session.shown_url, "applications": apps}
        click.echo(json.dumps(told))  # on one line: the program goes on
        return
    click.echo(f"leasehold is at {address}/ (Ctrl-C ends it)")
    click.echo(f"  queue      {session.shown_url}")
    if not has_door:
        click.echo("  access     everybody on this machine, until: leasehold token add NAME")
    for each in links:
        remark = each.title if each.error is None else f"BROKEN, {each.error}"
        click.echo(f"  {each.name:<10} {address}{each.path}  {remark}")
