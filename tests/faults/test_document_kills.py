"""A document that is agreed to is extracted once and billed once, wherever its worker is killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.document_steps import Place
from tests.faults.documented import Campaign, Plan, Steps, faults_of, opened, recover

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.target import Target

STRIDE = 10  # of the statements, others on each store; `documented` goes by all of them
# Between what a job has written and its end there must be nothing.
ENDS = ("transaction", "finish", "claim", "put")


def test_a_kill_at_any_step_leaves_one_extraction_and_one_bill(
    target: Target, tmp_path: Path
) -> None:
    first = 1 if target.store == "sqlite" else 2
    place = Place(url=target.url, vault=str(tmp_path / "vault"))
    with opened(target, tmp_path) as office, Steps(place) as steps:
        document, whole = steps.run(office, 0)
        assert whole.signal == 0
        assert faults_of(office, document) == []
        assert len(whole.names) > 30  # statements, commits, files, and the job's own end
        chosen = [
            point
            for point, name in enumerate(whole.names, 1)
            if point % STRIDE == first or any(end in name for end in ENDS)
        ]
        for point in chosen:
            document, ended = steps.run(office, point)
            recover(office, document)
            assert faults_of(office, document) == [], (point, ended)


def test_documents_of_three_tenants_survive_their_workers(target: Target, tmp_path: Path) -> None:
    plan = Plan(documents=24, workers=2, kills=3, limit_seconds=100)
    result = Campaign(target, tmp_path, plan, seed=7).run()
    assert result.broken == []
    assert result.struck >= 3
