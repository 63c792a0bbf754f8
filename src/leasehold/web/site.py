"""What all requests share: the client of the store, the settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from leasehold.client import Client
from leasehold.web.settings import WebSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One service over one store."""

    client: Client
    settings: WebSettings


def get_site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


OfSite = Annotated[Site, Depends(get_site)]
