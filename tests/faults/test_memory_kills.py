"""What is remembered of an episode is the same, wherever the worker is killed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leasehold_memory import tasks
from tests.faults.remembered import Campaign, campaign


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    with campaign(tmp_path_factory.mktemp("remembered")) as prepared:
        yield prepared


@pytest.mark.parametrize("kind", [task.name for task in tasks.KINDS])
def test_a_job_that_is_killed_before_its_commit_is_taken_back_and_remembers_once(
    run: Campaign, kind: str
) -> None:
    point = run.names.index(f"{kind}: the transaction is to be committed") + 1
    assert run.faults_of(point) == []


@pytest.mark.parametrize("name", ["extract_facts: after ask_json", ": a commit", ": after finish"])
def test_a_kill_between_two_steps_loses_nothing(run: Campaign, name: str) -> None:
    assert run.faults_of(run.names.index(name) + 1) == []
