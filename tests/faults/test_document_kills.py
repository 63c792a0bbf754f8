"""A document that is agreed to is extracted once and billed once, wherever its worker is killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.document_steps import Place
from tests.faults.documented import Campaign, Plan, faults_of_review, opened, recover, stepping

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.target import Target

STRIDE = 12  # of the statements, others on each store; `documented` goes by all of them
# Between what a job has written and its end there must be nothing.
ENDS = ("transaction", "finish", "claim", "put")


def test_a_kill_at_any_step_leaves_one_extraction_and_one_bill(
    target: Target, tmp_path: Path
) -> None:
    first = 1 if target.store == "sqlite" else 2
    place = Place(url=target.url, vault=str(tmp_path / "vault"))
    with opened(target, tmp_path) as office, stepping(place, tmp_path) as steps:
        whole = steps.run(office, 0)
        assert whole.signal == 0
        assert faults_of_review(office, recover(office, 0)) == []
        chosen = [
            point
            for point, name in enumerate(whole.names, 1)
            if point % STRIDE == first or any(end in name for end in ENDS)
        ]
        assert len(chosen) > 15  # statements, commits, files, and the jobs' own ends
        for point in chosen:
            ended = steps.run(office, point)
            document = recover(office, point)
            assert faults_of_review(office, document) == [], (point, ended)


def test_documents_of_three_tenants_survive_their_workers(target: Target, tmp_path: Path) -> None:
    plan = Plan(documents=24, workers=2, kills=3, limit_seconds=100)
    result = Campaign(target, tmp_path, plan, seed=7).run()
    assert result.broken == []
    assert result.struck >= 3
