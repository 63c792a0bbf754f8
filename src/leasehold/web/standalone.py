"""Serves applications by a program of their own: the service, a worker in it, and its door."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

from leasehold.alerting import AlertWatch
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from leasehold.web.opening import choose_auth, open_tables
from leasehold.web.serving import (
    DEFAULT_GRACE,
    DEFAULT_PORT,
    Running,
    address_of,
    check_address,
    embedded_workers,
    open_socket,
)
from leasehold.web.settings import WebSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from leasehold.alerting import AlertConfig
    from leasehold.client import Client
    from leasehold.web.applications import Application
    from leasehold.web.opening import Auth


def serve(
    client: Client,
    applications: Iterable[Application],
    *,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    hosts: Iterable[str] = (),
    auth: Auth = "auto",
    migrate: bool = False,
    worker: bool = True,
    alerts: AlertConfig | None = None,
    root_path: str = "",
    aliases: Mapping[str, str] | None = None,
    on_start: Callable[[str, dict[str, str]], None] = lambda _address, _broken: None,
    **worker_options: Any,
) -> None:
    """Serve these applications and the dashboard until a signal, as `leasehold serve` does.

    People are asked who they are as there: `auth="auto"` as soon as there is a token. `hosts` are
    further names to answer to. `alerts` are watched for by these rules, else by nobody: see
    `leasehold.alerting`. `aliases` are further paths: `{"/worker": "/shop/worker"}` lets the
    first be answered as the second, also in place of the service's own. `on_start` is told the
    address, and which applications are broken and why. `worker_options` are the embedded
    `Worker`'s.
    """
    if auth == "off":
        check_address(host, is_asking=False)
    with ExitStack() as stack:
        opened = stack.enter_context(open_socket(host, port))
        open_tables(client, is_migrating=migrate)
        settings = WebSettings(
            hosts=(*hosts, host), auth=choose_auth(client, host, auth), needs_worker=worker
        )
        found = [Found(name=each.name, application=each) for each in applications]
        assembly = stack.enter_context(
            closing(
                assemble(
                    client,
                    settings=settings,
                    found=found,
                    is_migrating=migrate,
                    aliases=aliases,
                )
            )
        )
        workers = []
        if worker:
            options = {"grace": DEFAULT_GRACE, **worker_options}
            workers = stack.enter_context(embedded_workers(assembly, **options))
        if alerts is not None:
            stack.enter_context(AlertWatch(client, alerts))
        running = Running(assembly, workers, has_access_log=False, root_path=root_path)
        address = address_of(opened) + root_path
        running.serve(opened, on_start=lambda: on_start(address, dict(assembly.broken)))
