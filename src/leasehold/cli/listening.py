"""The options of programs that serve: where they listen, who is asked, and what they log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from leasehold.cli.values import read_duration

LEVELS = ("debug", "info", "warning", "error")
F = TypeVar("F", bound=Callable[..., Any])

_LISTENING = (
    click.option(
        "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
    ),
    click.option(
        "--port", type=click.IntRange(0, 65_535), default=8320, show_default=True, help="0: any."
    ),
    click.option(
        "--allow-host", "hosts", multiple=True, metavar="NAME", help="Answer to this name, too."
    ),
    click.option(
        "--root-path", default="", metavar="PATH", help="What a proxy takes off each path."
    ),
    click.option(
        "--auth",
        type=click.Choice(["auto", "required"]),
        default="auto",
        show_default=True,
        help="Ask who it is as soon as there is a token, or in any case.",
    ),
    click.option(
        "--grace",
        type=read_duration,
        metavar="TIME",
        default="1s",
        show_default=True,
        help="Time for jobs to end in.",
    ),
)
_LOGGING = (
    click.option("--log-level", type=click.Choice(LEVELS), default="info", show_default=True),
    click.option("--log-format", type=click.Choice(["console", "json"]), default="console"),
)


def listening_options(command: F) -> F:
    """Add --host, --port, --allow-host, --root-path, --auth and --grace."""
    return _add(_LISTENING, command)


def logging_options(command: F) -> F:
    """Add --log-level and --log-format."""
    return _add(_LOGGING, command)


def _add(options: tuple[Callable[[F], F], ...], command: F) -> F:
    for option in reversed(options):
        command = option(command)
    return command
