"""Applications plug in: what one is, and finding those that are installed.

    [project.entry-points."leasehold.apps"]
    shop = "shop.web:application"

names an `Application`, or a function that makes one. One that can't be loaded is told of and shown;
the service and the others go on without it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, TypeAlias

import msgspec
from starlette.types import ASGIApp

from leasehold.client import Client
from leasehold.errors import BadOption, LeaseholdError
from leasehold.registry import Registry
from leasehold.scheduling import Schedule
from leasehold.store.shown_url import hide_password
from leasehold.task import Task
from leasehold.worker import Observer

GROUP = "leasehold.apps"
# Given the client of the application's store.
MakeApp: TypeAlias = Callable[[Client], ASGIApp]
# Given the same client, names steps: those that were taken, or those that are missing.
Steps: TypeAlias = Callable[[Client], Sequence[str]]

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_logger = logging.getLogger("leasehold.web")


class Application(msgspec.Struct, frozen=True, kw_only=True):
    """A program that lives in the service.

    `make_app` makes what is served at `/<name>`, below which its own routes begin at `/`. Its
    `tasks` are run by the embedded worker, which writes its `schedules` down. With a `store_url`
    its jobs have a database of their own, with a worker and a dashboard of their own.

    Where the service asks people who they are, an application's pages are for those who may read,
    and `leasehold.web.identity_of(request)` says who it is. With `is_for_everybody` nobody is
    asked; with `is_for_tenants` people who are bound to a tenant get in: then it is the
    application that shows them only what is theirs. One that `is_asking` finds out itself who it
    is, by credentials of its own: whoever shows none of the service's gets to it as nobody.

    One with tables of its own says how to `migrate` them and what is `pending`; both name steps.
    They are migrated with the store's; while something is pending the application is not served.
    """

    name: str
    title: str
    make_app: MakeApp | None = None
    tasks: Sequence[Task[..., Any]] | ModuleType | Registry = ()
    schedules: Sequence[Schedule] = ()
    observers: Sequence[Observer] = ()  # of the workers that run here, its own jobs' and others'
    store_url: str | None = None
    body_limit: int | None = None  # bytes; None: as the service's
    is_for_everybody: bool = False
    is_for_tenants: bool = False
    is_asking: bool = False
    migrate: Steps | None = None
    pending: Steps | None = None

    def registry(self) -> Registry:
        """Collect its tasks, and the schedules of their module with its own."""
        found = self.tasks if isinstance(self.tasks, Registry) else Registry(self.tasks)
        return Registry(list(found), [*found.schedules, *self.schedules])


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An entry point and what came of it: an application, or why there is none."""

    name: str
    application: Application | None = None
    error: str | None = None


def find_applications() -> list[Found]:
    """Load the installed applications, by name."""
    return load(sorted(entry_points(group=GROUP), key=lambda point: point.name))


def load_applications(names: Iterable[str]) -> list[Found]:
    """Load applications that are named as `module:attribute`, installed or not."""
    return load(EntryPoint(name=name, value=name, group=GROUP) for name in names)


def load(points: Iterable[EntryPoint]) -> list[Found]:
    """Load these entry points; what one of them does wrong is its own matter."""
    return [_load(point) for point in points]


def _load(point: EntryPoint) -> Found:
    try:
        made = point.load()
        application = made() if callable(made) and not isinstance(made, Application) else made
        if not isinstance(application, Application):
            raise BadOption(f"{point.value} is a {type(application).__name__}, no Application")
        check_application_name(application.name)
        return Found(name=application.name, application=application)
    except Exception as error:  # noqa: BLE001 - an application's own code
        return Found(name=point.name, error=note_broken(point.name, error))


def check_application_name(name: str) -> str:
    """Accept a name that can be part of an address."""
    if not _NAME.fullmatch(name):
        raise BadOption(
            f"application {name!r}: write small letters, digits and '-', as in 'my-app'"
        )
    return name


def note_broken(name: str, error: BaseException) -> str:
    """Log what is wrong with an application, whole; return it in a line, to be shown.

    Our own errors say in that line what to do; where they were raised is no news.
    """
    told = hide_password(" ".join(f"{type(error).__name__}: {error}".split()))
    is_ours = isinstance(error, LeaseholdError)
    extra = {"application": name, **({"error": told} if is_ours else {})}
    _logger.error("application broken", extra=extra, exc_info=None if is_ours else error)
    return told
