"""The benchmark suite still runs, whatever its figures."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from bench.ratios import RATIOS
from bench.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(600)
def test_every_scenario_yields_figures_on_each_of_its_stores(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    finished = subprocess.run(
        [sys.executable, "-m", "bench", "--smoke", "--out", out],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr

    document = json.loads(out.read_text())
    measured = {(each["store"], each["scenario"]): each["medians"] for each in document["results"]}
    assert measured.keys() == {(store, each.name) for each in SCENARIOS for store in each.stores}
    assert all(medians for medians in measured.values())
    assert all(math.isfinite(value) for each in measured.values() for value in each.values())
    ratios = document["ratios"]
    assert len(ratios) == sum(len(ratio.stores) for ratio in RATIOS)
    assert all(math.isfinite(line["value"]) for line in ratios)
