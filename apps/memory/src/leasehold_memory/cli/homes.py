"""The home that a command is about: `--home`, where other programs have `--url`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leasehold.cli.kit import Command, Group, NotFound

if TYPE_CHECKING:
    from leasehold_memory.opening import Memory
    from leasehold_memory.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])


class HomeCommand(Command):
    """A command about a home, which has no use for a database's URL."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params = [each for each in self.params if each.name != "url"]


class HomeGroup(Group):
    """Commands about a home."""

    command_class = HomeCommand

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.params = [each for each in self.params if each.name != "url"]


def _read_home(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Path:
    from leasehold_memory.settings.home import home_folder

    return home_folder() if value is None else Path(value).expanduser().absolute()


def home_option(command: F) -> F:
    """Add --home: the folder, as a path."""
    return click.option(
        "--home",
        callback=_read_home,
        metavar="FOLDER",
        help="Where it lives.  [default: LEASEHOLD_MEMORY_HOME, else ./memory]",
    )(command)


def preset_option(command: F) -> F:
    """Add --preset: whose memory, else the active one's."""
    return click.option(
        "--preset", metavar="ID", help="The memory of this embedding preset.  [default: active]"
    )(command)


@contextmanager
def open_home(home: Path, *, may_create: bool = False) -> Iterator[Settings]:
    """Open its settings; a home that is not there is made only for those who begin one."""
    from leasehold_memory.errors import PresetNotFound
    from leasehold_memory.settings import open_settings
    from leasehold_memory.settings.home import settings_file

    if not may_create and not settings_file(home).exists():
        raise NotFound(
            f"no companion lives in {home}: name its folder with --home or "
            "LEASEHOLD_MEMORY_HOME, or begin with `leasehold-memory run`"
        )
    settings = open_settings(home)
    try:
        yield settings
    except PresetNotFound as error:
        raise NotFound(str(error)) from error
    finally:
        settings.close()


@contextmanager
def open_memory_of(home: Path, preset: str | None) -> Iterator[Memory]:
    """Open the memory of a preset, or of the active one."""
    from leasehold_memory.opening import open_memory

    with open_home(home) as settings:
        snapshot = settings.current()
        chosen = snapshot.embedding if preset is None else snapshot.embedding_named(preset)
        with open_memory(home, chosen, settings) as memory:
            yield memory
