"""Every route, asked by those who may not: nothing is told, and nothing changes.

The walk is over the routes that the application has: a new one is in it by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.web import WebSettings
from leasehold_sync.web.app import ROUTERS
from tests.kit.walking import Step, steps_of
from tests.sync.web.kit import APP, SyncAsker, serve_inside

if TYPE_CHECKING:
    import httpx

    import leasehold as lh

pytestmark = pytest.mark.usefixtures("app")
BODIES = {"start_sync": {"app_key": APP, "mode": "full"}, "work": {}}
ENTITY = {"app": APP, "collection": "customers", "id": "none"}
ENDLESS = {"follow_job"}


def ask(step: Step, asker: SyncAsker, ids: dict[str, str], **options: Any) -> httpx.Response:
    path = step.path_for(ids)
    if step.name in BODIES:
        options.setdefault("json", BODIES[step.name])
    elif step.changes:
        options.setdefault("data", {"mode": "full"})
    return asker.ask(step.method, path, params=ENTITY, **options)


@pytest.fixture
def steps() -> list[Step]:
    found = steps_of(ROUTERS)
    assert len(found) >= 14
    return found


def begin(asker: SyncAsker) -> dict[str, str]:
    return {"job_id": asker.start()["job_id"], "app_key": APP}


def standing(asker: SyncAsker, ids: dict[str, str]) -> Any:
    return asker.get(f"/jobs/{ids['job_id']}")


def test_who_is_not_known_gets_nothing(asker: SyncAsker, steps: list[Step]) -> None:
    ids = begin(asker.as_token("ada", scope="operate"))
    for step in steps:
        assert ask(step, asker, ids).status_code == 401, step


def test_who_may_only_read_changes_nothing(asker: SyncAsker, steps: list[Step]) -> None:
    ids = begin(asker.as_token("ada", scope="operate"))
    bob = asker.as_token("bob", scope="read")
    before = standing(bob, ids)
    for step in steps:
        if step.name in ENDLESS:
            continue
        answer = ask(step, bob, ids)
        if step.changes:
            assert answer.status_code == 403, step
        else:
            assert answer.status_code in {200, 307, 404}, (step, answer.text)
    assert standing(bob, ids) == before


def test_who_is_bound_to_a_tenant_does_not_get_in(asker: SyncAsker, steps: list[Step]) -> None:
    ids = begin(asker.as_token("ada", scope="operate"))
    tina = asker.as_token("tina", scope="admin", tenant="acme")
    for step in steps:
        assert ask(step, tina, ids).status_code == 403, step


def test_another_sites_page_changes_nothing(asker: SyncAsker, steps: list[Step]) -> None:
    ids = begin(asker)
    before = standing(asker, ids)
    for step in steps:
        for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
            if step.changes:
                assert ask(step, asker, ids, headers=headers).status_code == 403, step
    assert standing(asker, ids) == before


def test_a_service_that_is_read_only_is_so_here_too(
    queue: lh.Client, asker: SyncAsker, steps: list[Step]
) -> None:
    ids = begin(asker)
    with serve_inside(queue, WebSettings(needs_worker=False, is_read_only=True)) as other:
        for step in steps:
            if step.changes:
                assert ask(step, other, ids).status_code == 403, step
