"""Options of `leasehold work` and `leasehold serve` that let others watch."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.client import Client
    from leasehold.worker import Observer

F = TypeVar("F", bound="Callable[..., Any]")


def sending_options(command: F) -> F:
    """Let a command send traces and errors."""
    traces = click.option(
        "--otel", is_flag=True, help="A span for each attempt, by the program's tracer provider."
    )
    errors = click.option(
        "--sentry", is_flag=True, help="Send what dies to Sentry: by SENTRY_DSN, or as set up."
    )
    return traces(errors(command))


def metrics_options(command: F) -> F:
    """Let a command serve metrics."""
    port = click.option(
        "--metrics-port",
        type=click.IntRange(0, 65535),
        help="Serve Prometheus metrics of this process at this port; 0 takes a free one.",
    )
    host = click.option(
        "--metrics-host",
        default="127.0.0.1",
        show_default=True,
        help="Address for --metrics-port. Anybody who reaches it can read them.",
    )
    return port(host(command))


CONFIG = click.option(
    "--config",
    type=click.Path(dir_okay=False),
    envvar="LEASEHOLD_ALERTS",
    help="Alert rules and sinks, in TOML.  [default: LEASEHOLD_ALERTS, else the built-in rules]",
)
ALERTS = click.option(
    "--alerts",
    type=click.Path(dir_okay=False),
    envvar="LEASEHOLD_ALERTS",
    metavar="FILE",
    help="Watch for alerts by this TOML file.  [default: LEASEHOLD_ALERTS]",
)


@contextmanager
def watching_alerts(
    client: Client, path: str | None, *, by_default: bool, needs_worker: bool = True
) -> Iterator[None]:
    """Watch for alerts meanwhile: by the file, or, where that is wanted, by the built-in rules.

    Where no worker is needed the built-in rules do not mind that there is none.
    """
    if path is None and not by_default:
        yield
        return
    from leasehold.alerting import AlertWatch, load_config, read_config

    is_alone = path is None and not needs_worker
    config = read_config("alerts.silent = false") if is_alone else load_config(path)
    with AlertWatch(client, config):
        yield


@contextmanager
def serving_metrics(port: int | None, host: str) -> Iterator[list[Observer]]:
    """Count what workers do and serve it meanwhile, if there is a port for it."""
    if port is None:
        yield []
        return
    import logging

    metrics = _need("leasehold.metrics")
    counting = metrics.Metrics()
    with metrics.served(counting, port=port, host=host) as served_port:
        fields = {"host": host, "port": served_port}
        logging.getLogger("leasehold.cli").info("metrics served", extra=fields)
        yield [counting]


def senders(*, otel: bool, sentry: bool, failed: bool = False) -> list[Observer]:
    """Make the observers that send what they see elsewhere; says so when nothing will be sent.

    With `failed` Sentry gets attempts that will be retried, too.
    """
    import logging

    logger = logging.getLogger("leasehold.cli")
    observers: list[Observer] = []
    if otel:
        observers.append(_need("leasehold.otel").Tracing())
        if _has_no_provider():
            logger.warning("no tracer provider", extra={"remedy": _REMEDY})
    if sentry:
        found = _need("leasehold.sentry")
        observers.append(found.Sentry(failed=failed))
        if not found.set_up():
            logger.warning("no SENTRY_DSN", extra={"remedy": "set it, or init in the tasks"})
    return observers


_REMEDY = "set one in the tasks' module, or start with opentelemetry-instrument"


def _has_no_provider() -> bool:
    from opentelemetry.trace import ProxyTracerProvider, get_tracer_provider

    return isinstance(get_tracer_provider(), ProxyTracerProvider)


def _need(module: str) -> Any:
    """Import what an option needs; its own error says which extra it is."""
    from importlib import import_module

    from leasehold.errors import BadOption

    try:
        return import_module(module)
    except ImportError as error:
        raise BadOption(str(error)) from error
