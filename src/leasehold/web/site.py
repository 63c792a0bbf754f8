"""What all requests of one store share: its client and tasks, the settings, its neighbours."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Annotated

from fastapi import Depends, Request

from leasehold.client import Client
from leasehold.registry import Registry
from leasehold.web.access.access import Access
from leasehold.web.access.clients import identity_client
from leasehold.web.access.identity import Identity, identity_of
from leasehold.web.beside import Beside
from leasehold.web.settings import WebSettings
from leasehold.worker import Worker
from leasehold.worker.observing import Observer

MAIN_TITLE = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLink:
    """A store that the service shows: where its dashboard is, below the service's root."""

    name: str  # "" is the service's own
    title: str
    path: str  # "" or "/stores/<name>"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationLink:
    """An installed application, for the front page. One that could not be loaded says why."""

    name: str
    title: str
    path: str
    store: str = ""  # the name of its store
    error: str | None = None


@dataclass(slots=True, kw_only=True)
class Site:
    """One service over one store. The same pages stand once for each store.

    `ending` is set when the process is about to end: whoever keeps a request open waits for it too.
    """

    client: Client
    settings: WebSettings
    registry: Registry = field(default_factory=Registry)  # the tasks that run here
    title: str = MAIN_TITLE
    path: str = ""  # where it is mounted below the service: "", or "/stores/<name>"
    stores: tuple[StoreLink, ...] = (StoreLink(name="", title=MAIN_TITLE, path=""),)
    applications: tuple[ApplicationLink, ...] = ()
    workers: tuple[Worker, ...] = ()  # that are embedded here
    observers: tuple[Observer, ...] = ()  # of the workers that run here
    access: Access | None = None  # who may ask; one for all stores of a service
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    runs: Beside = field(default_factory=Beside)  # one for each `POST /worker`

    def begin(self) -> None:
        """Begin anew after an end: a host may start its applications more than once."""
        if self.ending.is_set():
            self.ending = asyncio.Event()  # the old one belongs to a loop that has ended

    def seen_by(self, identity: Identity | None) -> Site:
        """Return the site as somebody may see it: who is bound to a tenant has only its client.

        The one place where a request gets its client, so that no route can forget whose it is.
        """
        if identity is None or identity.tenant is None:
            return self
        return replace(self, client=identity_client(self.client, identity))

    def base(self, request: Request) -> str:
        """Return the path of the whole service, below which the links of stores and apps are."""
        root: str = request.scope.get("root_path", "")
        return root.removesuffix(self.path)


def get_site(request: Request) -> Site:
    """Return the site as whoever asks may see it."""
    return get_whole_site(request).seen_by(identity_of(request))


def get_whole_site(request: Request) -> Site:
    """Return the site itself, for what is about no tenant's jobs."""
    site: Site = request.app.state.site
    return site


OfSite = Annotated[Site, Depends(get_site)]
OfWholeSite = Annotated[Site, Depends(get_whole_site)]
