"""The dashboard for Grafana asks for metrics that exist, with labels that they have."""

from __future__ import annotations

import json
import re
from pathlib import Path

import leasehold as lh
from leasehold.metrics import Metrics
from leasehold.model.alerts import Judged
from leasehold.model.statistics import Counted
from leasehold.web.fleet import FleetCollector
from tests.worker.kit import new_worker, wait_until
from tools.grafana import dashboard

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"\bleasehold_[a-z_]+")


FIRING = Judged(
    name="depth", subject="", level="info", value=2, bound=1, is_above=True, is_below=False
)


@lh.task(name="noop")
async def noop() -> None: ...


def test_every_metric_that_it_names_exists(sqlite_url: str) -> None:
    metrics = Metrics()
    with lh.Client(sqlite_url) as client:
        ran = Counted(queue="default", kind="noop", fact="ran", bucket=0, seconds=1.0)
        ended = Counted(queue="default", kind="noop", fact="succeeded")
        client.store.add_statistics([ran, ended])
        client.store.note_alerts([FIRING])
        client.enqueue(noop)
        with new_worker(client, [noop], observers=[metrics]):
            wait_until(
                lambda: "leasehold_worker_attempt_seconds_bucket" in names(metrics, client),
                "it ran",
            )
            known = names(metrics, client)
    text = (ROOT / "docs/grafana/leasehold.json").read_text("utf-8")
    named = set(NAME.findall(text))
    assert len(named) > 15
    assert named - known == set()


def names(metrics: Metrics, client: lh.Client) -> set[str]:
    families = [*metrics.registry.collect(), *FleetCollector(client).collect()]
    samples = [sample.name for family in families for sample in family.samples]
    return {*samples, *(family.name for family in families)}


def test_it_is_what_the_tool_writes() -> None:
    written = json.loads((ROOT / "docs/grafana/leasehold.json").read_text("utf-8"))
    assert written == dashboard()
