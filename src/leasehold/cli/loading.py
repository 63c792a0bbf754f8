"""Finds the tasks that `module:attribute` names."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from leasehold.errors import BadOption, LeaseholdError
from leasehold.registry import Registry, collect
from leasehold.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterable


def load_registry(names: Iterable[str]) -> Registry:
    """Import each `module` or `module:attribute` and collect their tasks."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as `python -m` does: the program's own modules come first
    return Registry([task for name in names for task in load_tasks(name)])


def load_tasks(name: str) -> list[Task[..., Any]]:
    """Return the tasks of a module, or those of its attribute: a task, several, a registry."""
    module_name, _, attribute = name.partition(":")
    found: Any = import_module(module_name)
    for part in filter(None, attribute.split(".")):
        if not hasattr(found, part):
            raise click.UsageError(f"{name!r}: there is no {part!r} in it")
        found = getattr(found, part)
    tasks = _read_tasks(found, name)
    if not tasks:
        raise click.UsageError(f"{name!r} has no tasks: decorate its functions with @task")
    return tasks


def import_module(name: str) -> ModuleType:
    """Import it; errors of the module's own code are told apart from a wrong name."""
    if "/" in name or name.endswith(".py") or not name:
        raise click.UsageError(f"{name!r} is not a module path; write it like shop.tasks")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        is_own = error.name is not None and f"{name}.".startswith(f"{error.name}.")
        if is_own:
            raise click.UsageError(
                f"there is no module {error.name!r} here; looked in {Path.cwd()} and sys.path"
            ) from error
        raise _broken(name, error) from error
    except BadOption:
        raise
    except Exception as error:
        raise _broken(name, error) from error


def _broken(name: str, error: Exception) -> LeaseholdError:
    return LeaseholdError(
        f"importing {name} failed with {type(error).__name__}: {error} (--debug shows where)"
    )


def _read_tasks(found: Any, name: str) -> list[Task[..., Any]]:
    if isinstance(found, ModuleType):
        return collect(found)
    if isinstance(found, Task):
        return [found]
    if isinstance(found, (Registry, list, tuple, set, frozenset)):
        return list(Registry(found))
    raise click.UsageError(
        f"{name!r} is a {type(found).__name__}; name a task, a list of tasks or a Registry"
    )
