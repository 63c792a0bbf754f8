"""The plots show what was measured, and leave out what was not. Nothing is drawn here."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.plots import Chart, choose_charts, read_report
from bench.scenarios import SCENARIOS


def peer(title: str, **works: dict[str, float]) -> dict[str, Any]:
    return {"title": title, "works": {work: {"medians": done} for work, done in works.items()}}


def speed(jobs_per_second: float) -> dict[str, float]:
    return {"jobs_per_second": jobs_per_second}


PEERS = {
    "peers": {
        "leasehold": peer(
            "leasehold", W2=speed(9), W3=speed(50) | {"wal_bytes_per_job": 600}, W4=speed(90)
        ),
        "slow": peer(
            "Slow", W1=speed(3), W3=speed(10) | {"wal_bytes_per_job": 900}, W5={"p50_ms": 1}
        ),
        "fast": peer("Fast", W1=speed(7), W3=speed(70), W4={}),
        "broken": peer("Broken"),
    }
}


def suite(*results: tuple[str, str, dict[str, float]]) -> dict[str, Any]:
    size = {"jobs": 100_000, "beside": 1_000_000}
    return {
        "results": [
            {"store": store, "scenario": scenario, "size": size, "medians": medians}
            for store, scenario, medians in results
        ]
    }


def charts(peers: dict[str, Any], results: dict[str, Any]) -> dict[str, Chart]:
    return {chart.name: chart for chart in choose_charts(peers, results)}


def test_the_fastest_peer_comes_first_and_one_without_figures_is_left_out() -> None:
    (panel,) = charts(PEERS, {})["drain"].panels
    assert [row.label for row in panel.rows] == ["Fast", "leasehold", "Slow"]


def test_a_bar_that_was_not_measured_is_missing_and_not_zero() -> None:
    (panel,) = charts(PEERS, {})["drain"].panels
    assert panel.series == ("1 process", "2 processes")
    assert [row.values for row in panel.rows] == [(70, None), (50, 90), (10, None)]


def test_only_leasehold_is_marked_as_ours() -> None:
    (panel,) = charts(PEERS, {})["drain"].panels
    assert [row.label for row in panel.rows if row.is_ours] == ["leasehold"]


def test_where_less_is_better_the_least_comes_first() -> None:
    (panel,) = charts(PEERS, {})["wal"].panels
    assert [row.label for row in panel.rows] == ["leasehold", "Slow"]


def test_bulk_and_single_enqueue_have_a_panel_each() -> None:
    panels = charts(PEERS, {})["enqueue"].panels
    assert {panel.title: [row.label for row in panel.rows] for panel in panels} == {
        "in bulk": ["leasehold"],
        "one by one": ["Fast", "Slow"],
    }


def test_robustness_comes_from_the_suite_with_its_sizes() -> None:
    results = suite(
        ("postgres", "drain, much waiting", speed(45)),
        ("postgres", "drain, 1 process", speed(50)),
        ("sqlite", "drain, 1 process", {}),
        ("postgres", "bulk enqueue", speed(99)),
    )
    (panel,) = charts({}, results)["robustness"].panels
    assert panel.title == "PostgreSQL"
    assert [(row.label, row.values) for row in panel.rows] == [
        ("100,000 jobs", (50,)),
        ("… of 1,000,000 waiting", (45,)),
    ]


def test_every_scenario_of_the_robustness_chart_is_one_of_the_suite() -> None:
    everything = suite(*(("postgres", each.name, speed(1)) for each in SCENARIOS))
    (panel,) = charts({}, everything)["robustness"].panels
    assert len(panel.rows) == 6


def test_a_chart_without_figures_is_not_drawn() -> None:
    assert charts({}, {}) == {}
    assert "robustness" not in charts(PEERS, {})


def test_a_missing_report_is_named_with_what_would_write_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert read_report(tmp_path / "peers.json", "make bench-peers") == {}
    assert "make bench-peers writes it" in capsys.readouterr().out


def test_a_report_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "peers.json"
    path.write_text(json.dumps(PEERS))
    assert read_report(path, "make bench-peers") == PEERS
