"""Every route, asked by those who may not: nothing is told, and nothing changes.

The walk is over the routes that the application has: a new one is in it by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from msgspec import structs

import leasehold as lh
from leasehold_memory.data import units
from leasehold_memory.opening import Memory
from leasehold_memory.web.app import ROUTERS, make_app
from leasehold_memory.web.application import application
from tests.kit.asking import Asker as ServiceAsker
from tests.kit.asking import asking as asking_service
from tests.kit.walking import Step, steps_of
from tests.memory.web.kit import Asker, Standing

IDS = {
    "preset": "local",
    "preset_id": "local",
    "unit_id": "1",
    "entity_id": "1",
    "job_id": str(uuid4()),
    "version": "1",
    "kind": "model",
}
ENDLESS = {"follow_changes", "follow_logs"}
BODIES: dict[str, Any] = {
    "post_chat": {"text": "hello"},
    "put_settings": {"memory_enabled": False},
    "edit_unit": {"payload": {"user_text": "other"}},
    "roll_back_unit": {"version": 1},
}


@pytest.fixture(scope="module")
def steps() -> list[Step]:
    found = steps_of(ROUTERS)
    assert len(found) >= 15
    return found


@pytest.fixture
def episode(memory: Memory) -> int:
    with memory.database.write() as connection:
        now = datetime.now(UTC)
        return units.save_episode(connection, user_text="hello", reply_text="hi", occurred_at=now)


def path_of(step: Step) -> str:
    known = {name: IDS.get(name, "x") for name in (*IDS, *_parameters(step.path))}
    return step.path_for(known)


def _parameters(path: str) -> list[str]:
    return [part.strip("{}").partition(":")[0] for part in path.split("/") if part[:1] == "{"]


def body_of(step: Step) -> dict[str, Any]:
    if step.name in BODIES:
        return {"json": BODIES[step.name]}
    return {"data": {"x": "y"}} if step.changes else {}


def everything(memory: Memory) -> Any:
    with memory.database.read() as connection:
        found = units.find(connection).units
    return found, memory.client.find(limit=100), memory.settings.current()


def test_who_shows_no_token_gets_nothing(
    asker: Asker, memory: Memory, episode: int, steps: list[Step]
) -> None:
    before = everything(memory)
    assert before[0][0].id == episode
    for step in steps:
        for shown in ({}, {"authorization": "Bearer wrong"}):
            answer = asker.ask(step.method, path_of(step), headers=shown, **body_of(step))
            assert answer.status_code == 401, step
            assert "hello" not in answer.text
    assert everything(memory) == before


def test_another_sites_page_changes_nothing(
    asker: Asker, memory: Memory, episode: int, steps: list[Step]
) -> None:
    before = everything(memory)
    assert before[0][0].id == episode
    for step in steps:
        for origin in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
            if step.changes:
                shown = asker.shown | origin
                answer = asker.ask(step.method, path_of(step), headers=shown, **body_of(step))
                assert answer.status_code == 403, step
    assert everything(memory) == before


@pytest.fixture
def inside(queue: lh.Client, companion: Standing) -> Iterator[ServiceAsker]:
    """The application inside of the service, over the same companion."""
    plugged = structs.replace(application(), make_app=lambda _client: make_app(companion))
    with asking_service(queue, plugged) as ask:
        yield ServiceAsker(ask, queue, "/memory")


def test_inside_of_the_service_its_own_door_holds(
    inside: ServiceAsker, memory: Memory, episode: int, steps: list[Step]
) -> None:
    owner = inside.as_token("ada", scope="operate")
    reader = inside.as_token("bob", scope="read")
    tenant = inside.as_token("tina", scope="admin", tenant="acme")
    before = everything(memory)
    assert owner.get("/api/memories/local/units")["units"][0]["id"] == episode
    for step in steps:
        path, body = path_of(step), body_of(step)
        assert inside.ask(step.method, path, **body).status_code == 401, step
        assert tenant.ask(step.method, path, **body).status_code == 403, step
        if step.changes:
            assert reader.ask(step.method, path, **body).status_code == 403, step
        elif step.name not in ENDLESS:
            answer = reader.ask(step.method, path)
            assert answer.status_code in {200, 307, 404, 422}, (step, answer.text)
    assert everything(memory) == before


def test_every_route_of_the_api_is_described_with_how_it_fails() -> None:
    document = make_app(Standing.__new__(Standing)).openapi()
    for path, operations in document["paths"].items():
        for operation in operations.values():
            assert {"401", "403", "422", "503"} <= operation["responses"].keys(), path
            assert operation["summary"], path
