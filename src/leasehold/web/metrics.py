"""`GET /metrics` of the service: the whole queue, and the workers of this process.

Whoever runs workers in this process gives them `app.state.metrics` as an observer.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from prometheus_client.exposition import generate_latest
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST as OPEN_METRICS_TYPE
from prometheus_client.openmetrics.exposition import generate_latest as generate_open_metrics
from starlette.responses import Response

from leasehold.metrics import Metrics
from leasehold.web.access.rights import ApiRouter, reads_metrics
from leasehold.web.fleet import FleetCollector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prometheus_client import Metric

TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OPEN_METRICS = "application/openmetrics-text"
_TEXT = {"schema": {"type": "string"}}

router = ApiRouter(tags=["health"])


class Both:
    """The store's metrics and this process's, as one."""

    def __init__(self, fleet: FleetCollector, process: Metrics) -> None:
        self._fleet = fleet
        self._process = process

    def collect(self) -> Iterable[Metric]:
        return chain(self._fleet.collect(), self._process.registry.collect())


def install(app: FastAPI) -> None:
    """Give the application its metrics."""
    app.state.metrics = Metrics()
    app.state.both_metrics = Both(FleetCollector(app.state.site.client), app.state.metrics)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": _TEXT, OPEN_METRICS: _TEXT}}},
)
@reads_metrics
def get_metrics(request: Request) -> Any:
    """Say how the queue stands, for Prometheus, as text or OpenMetrics."""
    both: Any = request.app.state.both_metrics
    if OPEN_METRICS in request.headers.get("accept", ""):
        opened: bytes = generate_open_metrics(both)  # type: ignore[no-untyped-call]  # it has no types
        return Response(opened, media_type=OPEN_METRICS_TYPE)
    text: bytes = generate_latest(both)
    return Response(text, media_type=TEXT_TYPE)
