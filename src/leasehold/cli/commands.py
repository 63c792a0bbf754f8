"""What all commands share: the options --url, --json and --debug, an example, and how they fail."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

from leasehold.cli.failing import exit_code_of, show_error
from leasehold.cli.session import Session
from leasehold.errors import LeaseholdError

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

_URL, _JSON, _DEBUG = "leasehold.url", "leasehold.json", "leasehold.debug"


class Command(click.Command):
    """A command with the shared options and an example below its help."""

    def __init__(self, *args: Any, example: str, notes: str = "", **options: Any) -> None:
        options["epilog"] = _epilog(example, notes)
        super().__init__(*args, **options)
        self.params.extend(_shared_options())
        self.context_settings.setdefault("help_option_names", ["-h", "--help"])


class Group(Command, click.Group):
    """A command with commands; the shared options may stand before or after their names."""

    command_class = Command


class Listing(Group):
    """A group that lists, or shows, by itself; where a command is named, only that one runs."""

    def __init__(self, *args: Any, callback: Callable[..., Any], **options: Any) -> None:
        alone = _unless_named(callback)
        super().__init__(*args, callback=alone, invoke_without_command=True, **options)


class Program(Group):
    """The outermost command: turns leasehold's errors into one line and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LeaseholdError as error:
            show_error(error, read_session(ctx))
            ctx.exit(exit_code_of(error))


def _unless_named(command: Callable[P, R]) -> Callable[P, R | None]:
    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R | None:
        is_named = click.get_current_context().invoked_subcommand is not None
        return None if is_named else command(*args, **kwargs)

    return run


def with_session(command: Callable[Concatenate[Session, P], R]) -> Callable[P, R]:
    """Give a command what the shared options say, as its first argument."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        return command(read_session(click.get_current_context()), *args, **kwargs)

    return run


def read_session(context: click.Context) -> Session:
    """Read the shared options, wherever on the line they stood."""
    said = context.meta
    return Session(
        given_url=said.get(_URL),
        is_json=said.get(_JSON, False),
        is_debug=said.get(_DEBUG, False),
    )


def _epilog(example: str, notes: str) -> str:
    lines = "\n".join(f"  {line}" for line in example.splitlines())
    return f"\b\nExample:\n{lines}" + (f"\n\n{notes}" if notes else "")


def _shared_options() -> list[click.Option]:
    return [
        click.Option(
            ["--url"],
            help="The database [default: LEASEHOLD_URL]; a password is safer in LEASEHOLD_URL.",
            expose_value=False,
            callback=_note(_URL),
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            help="Print one JSON document instead of text.",
            expose_value=False,
            callback=_note(_JSON),
        ),
        click.Option(
            ["--debug"],
            is_flag=True,
            help="Show the traceback of an error.",
            expose_value=False,
            callback=_note(_DEBUG),
        ),
    ]


def _note(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    """Write a shared option down where the commands below find it; the innermost one stands."""

    def note(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value:
            context.meta[key] = value

    return note
