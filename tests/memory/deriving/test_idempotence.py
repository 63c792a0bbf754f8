"""Each kind of job may run any number of times: the same rows, and one version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import leasehold as lh
from leasehold_memory import tasks
from leasehold_memory.model.units import UnitKind
from tests.memory.deriving.kit import World, open_world

TIMES = 10
SAID = (
    "My sister Emma lives in Osaka. She likes jazz and she works as a nurse.",
    "I met Tom at the concert. I live in Kyoto and I love ramen.",
    "I moved to Tokyo. Emma's birthday is on May 4. Tomorrow I will call Emma.",
    "妹の花子さんは横浜に住んでいます。明日、病院に行く予定です。",
)


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(tmp_path_factory.mktemp("home")) as world:
        for day, text in enumerate(SAID):
            world.say(text, day=day)
        world.work()
        yield world


def abouts(world: World) -> dict[str, Any]:
    """Return an argument for each kind."""
    episode = world.find(UnitKind.EPISODE)[2].id
    summed_up = [each.payload["scope_key"].split(":") for each in world.find(UnitKind.SUMMARY)]
    entities = {what: int(number) for what, number in sorted(summed_up) if what != "rolling"}
    return dict.fromkeys((task.name for task in tasks.KINDS), episode) | {
        "upsert_embeddings": world.find(UnitKind.FACT)[0].id,
        "bond_summary": "rolling:7d",
        "person_summary_refresh": entities["person"],
        "topic_summary_refresh": entities["topic"],
        "capsule_refresh": 5,
    }


@pytest.mark.parametrize("task", tasks.KINDS, ids=lambda task: task.name)
def test_ten_runs_leave_the_same_rows_as_one(derived: World, task: lh.Task[..., Any]) -> None:
    about = abouts(derived)[task.name]
    before = derived.rows()
    for _ in range(TIMES):
        assert derived.run(task, about).state == "succeeded"
    assert derived.rows() == before


def test_everything_that_was_derived_once_has_one_version(derived: World) -> None:
    """But for what later episodes have changed: where I live, and who has been met since."""
    several = {
        (each.kind.name, each.identity)
        for kind in UnitKind
        for each in derived.find(kind)
        if each.version > 1
    }
    assert {kind for kind, _ in several} <= {"EPISODE", "FACT"}


def test_every_derived_memory_leads_back_to_its_job_and_its_evidence(derived: World) -> None:
    episodes = {each.id for each in derived.find(UnitKind.EPISODE)}
    found = [each for kind in UnitKind if kind != UnitKind.EPISODE for each in derived.find(kind)]
    assert {each.kind for each in found} == set(UnitKind) - {UnitKind.EPISODE}
    for each in found:
        assert each.job_id is not None
        assert derived.client.get(each.job_id).state == "succeeded"
        assert each.evidence
        assert set(each.evidence) <= episodes
