"""Writes docs/grafana/leasehold.json, the dashboard for Grafana: `python tools/grafana.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "docs/grafana/leasehold.json"
_SOURCE = {"type": "prometheus", "uid": "${source}"}
_RATE = "[$__rate_interval]"


def panel(
    title: str,
    place: tuple[int, int, int, int],
    *queries: tuple[str, str],
    unit: str = "short",
    kind: str = "timeseries",
    text: str = "",
) -> dict[str, Any]:
    """Make one panel; `place` is x, y, width and height, a query an expression and its legend."""
    x, y, width, height = place
    return {
        "type": kind,
        "title": title,
        "description": text,
        "datasource": _SOURCE,
        "gridPos": {"x": x, "y": y, "w": width, "h": height},
        "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
        "targets": [
            {"refId": chr(65 + number), "expr": expression, "legendFormat": legend}
            for number, (expression, legend) in enumerate(queries)
        ],
    }


def _quantile(share: float, metric: str, by: str = "") -> str:
    names = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, sum by ({names}) (rate({metric}_bucket{_RATE})))"


def panels() -> list[dict[str, Any]]:
    """Return what the page shows: the whole queue first, then the workers' processes."""
    queue = 'queue=~"$queue"'
    outcomes = f"rate(leasehold_outcomes_total{{{queue}}}{_RATE})"
    unhappy = f'rate(leasehold_outcomes_total{{{queue}, outcome=~"failed|dead|lapsed"}}{_RATE})'
    attempts = f"rate(leasehold_worker_attempts_total{_RATE})"
    claimed = f"sum(rate(leasehold_worker_claim_jobs_sum{_RATE}))"
    per_claim = f"{claimed} / sum(rate(leasehold_worker_claim_jobs_count{_RATE}))"
    return [
        panel(
            "Waiting",
            (0, 0, 6, 4),
            (f'sum(max by (queue) (leasehold_jobs{{{queue}, state=~"ready|parked|blocked"}}))', ""),
            kind="stat",
        ),
        panel(
            "Oldest ready",
            (6, 0, 6, 4),
            (f"max(leasehold_oldest_ready_seconds{{{queue}}})", ""),
            kind="stat",
            unit="s",
        ),
        panel(
            "Running, of slots",
            (12, 0, 6, 4),
            ("max(leasehold_running)", "running"),
            ("max(leasehold_slots)", "slots"),
            kind="stat",
        ),
        panel(
            "Workers and alerts",
            (18, 0, 6, 4),
            ("max(leasehold_workers)", "workers"),
            ("count(leasehold_alert_firing) or vector(0)", "alerts"),
            kind="stat",
        ),
        panel(
            "Outcomes a second",
            (0, 4, 12, 8),
            (f"sum by (outcome) ({outcomes})", "{{outcome}}"),
            unit="ops",
        ),
        panel(
            "Depth",
            (12, 4, 12, 8),
            (f'sum by (queue) (leasehold_jobs{{{queue}, state=~"ready|parked"}})', "{{queue}}"),
        ),
        panel(
            "Run time",
            (0, 12, 12, 8),
            (_quantile(0.5, "leasehold_run_seconds"), "p50"),
            (_quantile(0.95, "leasehold_run_seconds"), "p95"),
            (_quantile(0.99, "leasehold_run_seconds"), "p99"),
            unit="s",
        ),
        panel(
            "Unhappy ends by kind",
            (12, 12, 12, 8),
            (f"topk(10, sum by (kind, outcome) ({unhappy}))", "{{kind}} {{outcome}}"),
            unit="ops",
        ),
        panel(
            "Attempts a second by process",
            (0, 20, 12, 8),
            (f"sum by (instance) ({attempts})", "{{instance}}"),
            unit="ops",
        ),
        panel(
            "Jobs by claim, and what a claim takes",
            (12, 20, 12, 8),
            (
                per_claim,
                "jobs",
            ),
            (_quantile(0.95, "leasehold_worker_claim_seconds"), "p95 seconds"),
        ),
        panel(
            "Lag of the event loop",
            (0, 28, 8, 8),
            (_quantile(0.99, "leasehold_worker_loop_lag_seconds", "instance"), "{{instance}}"),
            unit="s",
            text="A handler that blocks the loop makes all async handlers wait.",
        ),
        panel(
            "Leases lost and taken back",
            (8, 28, 8, 8),
            (f"sum(rate(leasehold_worker_lease_losses_total{_RATE}))", "lost"),
            (f"sum(rate(leasehold_worker_leases_reclaimed_total{_RATE}))", "taken back"),
            (f"sum(rate(leasehold_worker_handlers_abandoned_total{_RATE}))", "abandoned"),
            unit="ops",
        ),
        panel(
            "Slots and connections",
            (16, 28, 8, 8),
            ("sum by (instance) (leasehold_worker_running)", "running {{instance}}"),
            ("sum by (instance) (leasehold_worker_slots)", "slots {{instance}}"),
            (
                'sum by (instance) (leasehold_worker_pool_connections{state="in_use"})',
                "connections {{instance}}",
            ),
        ),
    ]


def dashboard() -> dict[str, Any]:
    """Return the whole document."""
    source = {"name": "source", "type": "datasource", "query": "prometheus", "label": "Source"}
    queue = {
        "name": "queue",
        "type": "query",
        "label": "Queue",
        "datasource": _SOURCE,
        "query": "label_values(leasehold_jobs, queue)",
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
    }
    return {
        "uid": "leasehold",
        "title": "leasehold",
        "tags": ["jobs"],
        "schemaVersion": 39,
        "refresh": "10s",
        "time": {"from": "now-1h", "to": "now"},
        "templating": {"list": [source, queue]},
        "panels": [{"id": number, **each} for number, each in enumerate(panels(), 1)],
    }


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(dashboard(), indent=2) + "\n", "utf-8")
