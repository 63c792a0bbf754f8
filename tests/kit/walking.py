"""All routes of an application, one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from fastapi import APIRouter
from fastapi.routing import APIRoute

_NAMES = re.compile(r"\{(\w+)(?::\w+)?\}")


class Step(NamedTuple):
    """One route and method."""

    method: str
    path: str
    name: str

    @property
    def changes(self) -> bool:
        return self.method not in {"GET", "HEAD"}

    @property
    def has_id(self) -> bool:
        return "_id" in self.path

    def path_for(self, ids: Mapping[str, str]) -> str:
        """Return its path with these in the places of its parameters."""
        return _NAMES.sub(lambda found: ids[found[1]], self.path)


def steps_of(routers: Iterable[APIRouter]) -> list[Step]:
    return [
        Step(method, route.path, route.name)
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in sorted(route.methods or ())
    ]
