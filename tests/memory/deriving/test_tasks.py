"""The nine kinds of jobs, and what follows an episode."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_memory import tasks

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_there_are_nine_kinds_as_the_seed_names_them() -> None:
    assert {each.name for each in tasks.KINDS} == {
        "reflect_episode",
        "extract_entities",
        "extract_facts",
        "extract_loops",
        "upsert_embeddings",
        "bond_summary",
        "person_summary_refresh",
        "topic_summary_refresh",
        "capsule_refresh",
    }


def test_seven_jobs_follow_an_episode_and_the_same_again_makes_none(
    queue: lh.Client, database: Database
) -> None:
    memory = cast("tasks.HasClient", SimpleNamespace(client=queue))
    for _ in range(2):
        with database.write() as connection:
            tasks.after_episode(memory, connection, 1, now=NOW)
    jobs = {job.kind: job.args for job in queue.find()}
    assert len(queue.find()) == 7
    assert jobs == {
        "reflect_episode": {"unit_id": 1},
        "extract_entities": {"unit_id": 1},
        "extract_facts": {"unit_id": 1},
        "extract_loops": {"unit_id": 1},
        "upsert_embeddings": {"unit_id": 1},
        "capsule_refresh": {"limit": 5},
        "bond_summary": {"scope_key": "rolling:7d"},
    }


def test_what_follows_an_episode_that_was_not_stored_never_was(
    queue: lh.Client, database: Database
) -> None:
    memory = cast("tasks.HasClient", SimpleNamespace(client=queue))
    with pytest.raises(KeyError), database.write() as connection:  # noqa: PT012
        tasks.after_episode(memory, connection, 1, now=NOW)
        raise KeyError
    assert queue.find() == []
