"""What all requests share: the queue, the tables beside it, open streams, runs under way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

from fastapi import Depends, Request

import leasehold as lh
from leasehold.kit.data import Database
from leasehold.kit.web import Following
from leasehold.web import Beside, Refused, make_problem

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")
MOST_RUNS = 8  # in a process: each has threads and connections of its own


@dataclass(frozen=True, slots=True)
class Hub:
    """The syncs of one database."""

    client: lh.Client
    database: Database
    following: Following = field(default_factory=Following)
    runs: Beside = field(default_factory=Beside)  # `POST /worker` and immediate syncs

    def read(self, look: Callable[..., T], *given: Any, **named: Any) -> T:
        """Look at the database, in a transaction of its own."""
        connection: Connection
        with self.database.browse() as connection:
            return look(connection, *given, **named)

    def refuse_too_many_runs(self) -> None:
        """Refuse a run when there are as many as a process can have."""
        if len(self.runs) >= MOST_RUNS:
            detail = "so many runs as may be are under way; ask again when one has ended"
            headers = {"Retry-After": "5"}
            raise Refused(make_problem(429, "too-many-runs", detail, headers=headers))


def get_hub(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


OfHub: TypeAlias = Annotated[Hub, Depends(get_hub)]
