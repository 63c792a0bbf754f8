"""What all requests share: the queue, the database beside it, and the open streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

from fastapi import Depends, Request

import leasehold as lh
from leasehold.kit.data import Database
from leasehold.kit.web import Following
from leasehold_links.settings import Settings, settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Library:
    """The libraries of all who come here."""

    client: lh.Client
    database: Database
    settings: Settings = field(default_factory=settings)
    following: Following = field(default_factory=Following)

    def read(self, look: Callable[..., T], *given: Any, **named: Any) -> T:
        """Look at the database, in a transaction of its own."""
        connection: Connection
        with self.database.browse() as connection:
            return look(connection, *given, **named)


def get_library(request: Request) -> Library:
    library: Library = request.app.state.library
    return library


OfLibrary: TypeAlias = Annotated[Library, Depends(get_library)]
