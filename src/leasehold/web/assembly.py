"""Puts the service together: the store's own pages, and the installed applications with theirs."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from leasehold.client import Client
from leasehold.errors import BadOption
from leasehold.registry import Registry
from leasehold.web.access.application_gate import ApplicationGate
from leasehold.web.access.lasting import Lasting
from leasehold.web.app import create_app, first_segments
from leasehold.web.applications import note_broken
from leasehold.web.mounting import ApplicationMount, broken, lifespan_of
from leasehold.web.own_tables import check_tables, migrate_tables
from leasehold.web.site import ApplicationLink, Site, StoreLink

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from fastapi import FastAPI
    from starlette.types import ASGIApp

    from leasehold.web.applications import Application, Found
    from leasehold.web.settings import WebSettings

STORES = "stores"
# What the service has itself beside its routes, or will have.
_RESERVED = frozenset(
    {STORES, "account", "api", "docs", "live", "login", "logout", "metrics", "static", "tokens"}
    | {"batches", "failures", "jobs", "queues", "schedules", "system", "throttles", "workers"}
)


@dataclass(slots=True, kw_only=True)
class Assembly:
    """The whole service: what is served, the sites with their stores, the clients it opened."""

    app: FastAPI
    main: Site
    sites: list[Site] = field(default_factory=list)
    clients: list[Client] = field(default_factory=list)
    served: dict[str, ASGIApp] = field(default_factory=dict)  # applications, by name
    broken: dict[str, str] = field(default_factory=dict)
    is_migrating: bool = False

    def close(self) -> None:
        """Close the stores of applications; the service's own is its caller's."""
        for client in self.clients:
            client.close()


def assemble(
    client: Client,
    *,
    settings: WebSettings,
    registry: Registry | None = None,
    found: Iterable[Found] = (),
    is_migrating: bool = False,
    aliases: Mapping[str, str] | None = None,
) -> Assembly:
    """Make the service over a store, with these applications in it.

    With `is_migrating` applications' own stores and tables are brought up to date. `aliases` are
    paths that stand for others, also in place of the service's own.
    """
    main = Site(client=client, settings=settings, registry=registry or Registry())
    app = create_app(client, site=main)
    app.state.aliases.update(aliases or {})
    assembly = Assembly(app=app, main=main, sites=[main], is_migrating=is_migrating)
    for each in found:
        _add(assembly, each)
    for site in assembly.sites:
        site.stores = tuple(_store_link(one) for one in assembly.sites)
        site.applications = main.applications
    assembly.app.router.lifespan_context = lambda _app: _living(assembly)
    return assembly


def _add(assembly: Assembly, found: Found) -> None:
    """Add one application; if that fails, say so in its place."""
    main, application = assembly.main, found.application
    link = ApplicationLink(
        name=found.name,
        title=found.name if application is None else application.title,
        path=f"/{found.name}",
        error=found.error,
    )
    if application is not None:
        try:
            link = _plug_in(assembly, application, link)
        except Exception as error:  # noqa: BLE001 - an application's own code
            link = replace(link, error=note_broken(found.name, error))
    if link.error is not None:
        assembly.broken[link.name] = link.error
        if link.name not in _taken(assembly):
            _mount(assembly, link.path, broken(link.name, link.error))
    main.applications = (*main.applications, link)


def _plug_in(
    assembly: Assembly, application: Application, link: ApplicationLink
) -> ApplicationLink:
    if application.name in _taken(assembly):
        raise BadOption(f"/{application.name} is taken: give the application another name")
    site = assembly.main
    if application.store_url is not None:
        site = _site_of(assembly, application)
    if assembly.is_migrating:
        migrate_tables(application, site.client)
    check_tables(application, site.client)
    own = application.registry()
    together = Registry([*site.registry, *own], [*site.registry.schedules, *own.schedules])
    if application.make_app is not None:
        app = application.make_app(site.client)
        lasting = Lasting(assembly.main.access, lambda: assembly.main.ending)
        _mount(assembly, link.path, ApplicationGate(app, application, lasting))
        assembly.served[application.name] = app
        if application.is_for_everybody or application.is_asking:
            assembly.app.state.public_paths.add(link.path)
        if application.is_asking:
            assembly.app.state.asking_paths.add(link.path)
        if application.body_limit is not None:
            assembly.app.state.body_limits[link.path] = application.body_limit
    else:
        link = replace(link, path=f"{site.path}/")  # it has no page but those of its store
    site.registry = together
    site.observers = (*site.observers, *application.observers)
    if site is assembly.main:
        return link
    assembly.sites.append(site)
    _mount(assembly, site.path, create_app(site.client, site=site))
    return replace(link, store=application.name)


def _site_of(assembly: Assembly, application: Application) -> Site:
    client = Client(application.store_url)
    assembly.clients.append(client)
    if assembly.is_migrating:
        client.store.migrate()
    client.store.check_schema()
    client.store.check_role()
    return Site(
        client=client,
        settings=assembly.main.settings,
        title=application.title,
        path=f"/{STORES}/{application.name}",
        ending=assembly.main.ending,
        access=assembly.main.access,
    )


def _taken(assembly: Assembly) -> frozenset[str]:
    """Name what can't be an application's: our own paths, and the applications before it."""
    before = {each.name for each in assembly.main.applications}
    return _RESERVED | first_segments(assembly.app) | before


def _mount(assembly: Assembly, path: str, app: ASGIApp) -> None:
    assembly.app.router.routes.append(ApplicationMount(path, app=app))


def _store_link(site: Site) -> StoreLink:
    name = site.path.removeprefix(f"/{STORES}/")
    return StoreLink(name=name, title=site.title, path=site.path)


@asynccontextmanager
async def _living(assembly: Assembly) -> AsyncIterator[None]:
    """Start the applications; at the end tell whoever keeps a request open, then end them."""
    assembly.main.begin()
    for site in assembly.sites:
        site.ending = assembly.main.ending
    async with AsyncExitStack() as stack:
        for name, app in assembly.served.items():
            try:
                await stack.enter_async_context(lifespan_of(app))
            except Exception as error:  # noqa: BLE001 - an application's own code
                _mark_broken(assembly, name, note_broken(name, error))
        try:
            yield
        finally:
            assembly.main.ending.set()


def _mark_broken(assembly: Assembly, name: str, error: str) -> None:
    """Let an application that did not start say so, instead of answering half-way."""
    assembly.broken[name] = error
    routes = assembly.app.router.routes
    routes[:] = [each for each in routes if getattr(each, "path", None) != f"/{name}"]
    _mount(assembly, f"/{name}", broken(name, error))
    links = assembly.main.applications
    marked = tuple(replace(each, error=error) if each.name == name else each for each in links)
    for site in assembly.sites:
        site.applications = marked
