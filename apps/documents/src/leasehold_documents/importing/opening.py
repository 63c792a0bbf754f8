"""A connector's cloud, ready to be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from leasehold_documents.importing.clients import endpoints_of
from leasehold_documents.providers import PROVIDERS, Bearer, Http, Provider


@contextmanager
def open_provider(connector: dict[str, Any], bearer: Bearer) -> Iterator[Provider]:
    """Get ready to read with somebody's tokens, which are looked up when they are needed."""
    with Http(bearer) as http:
        yield PROVIDERS[connector["provider"]](http, endpoints_of(connector))
