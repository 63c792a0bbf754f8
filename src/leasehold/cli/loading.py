"""Finds the tasks that `module:attribute` names."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click

from leasehold.errors import BadOption, LeaseholdError
from leasehold.registry import Registry
from leasehold.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterable


def load_registry(names: Iterable[str]) -> Registry:
    """Import each `module` or `module:attribute` and collect their tasks."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as `python -m` does: the program's own modules come first
    found = [load_tasks(name) for name in names]
    return Registry(
        [task for each in found for task in each], [one for each in found for one in each.schedules]
    )


def load_tasks(name: str) -> Registry:
    """Return the tasks of a module, or those of its attribute: a task, several, a registry.

    A whole module's schedules come with them.
    """
    module_name, _, attribute = name.partition(":")
    found: Any = import_module(module_name)
    for part in filter(None, attribute.split(".")):
        if not hasattr(found, part):
            raise click.UsageError(f"{name!r}: there is no {part!r} in it")
        found = getattr(found, part)
    return _read(found, name)


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


def _read(found: Any, name: str) -> Registry:
    if not isinstance(found, (ModuleType, Task, Registry, list, tuple, set, frozenset)):
        raise click.UsageError(
            f"{name!r} is a {type(found).__name__}; name a task, a list of tasks or a Registry"
        )
    if isinstance(found, Registry):
        registry = found
    else:
        registry = Registry([found] if isinstance(found, Task) else found)
    if not registry:
        raise click.UsageError(f"{name!r} has no tasks: decorate its functions with @task")
    return registry
