"""Every route, asked by those who may not: nobody gets what is not theirs, and nothing changes.

The walk is over the routes that the application has: a new one is in it by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from leasehold.web import WebSettings
from leasehold_links.web.app import ROUTERS
from leasehold_links.web.pages.visiting import PAGES
from tests.kit.walking import Step, steps_of
from tests.links.jobs.kit import rows
from tests.links.web.kit import serve_inside

if TYPE_CHECKING:
    import httpx

    import leasehold as lh
    from leasehold.kit.data import Database
    from tests.links.web.kit import Asker

BODIES: dict[str, dict[str, Any]] = {
    "create_folder": {"names": ["x"]},
    "create_link": {"url": "https://example.org/new"},
    "edit_link": {"title": "stolen"},
}
FORM = {"url": "https://example.org/new", "domain": "example.com", "title": "stolen"}
QUERIES = {"choose_language": {"to": "en"}, "choose_pictures": {"to": "on"}}
ENDLESS = {"follow_import", "follow_links"}
OF_DOMAINS = "domain"  # everybody's: they are nobody's own


def ask(step: Step, asker: Asker, ids: dict[str, str], **options: Any) -> httpx.Response:
    path = step.path_for(ids)
    options.setdefault("params", QUERIES.get(step.name, {}))
    if step.changes and step.path.startswith("/api/"):
        options.setdefault("json", BODIES.get(step.name, {}))
    elif step.changes:
        options.setdefault("data", FORM)
    return asker.ask(step.method, path, **options)


@pytest.fixture
def steps() -> list[Step]:
    found = steps_of((*ROUTERS, PAGES.router))
    assert len(found) >= 35
    return found


def belongings(database: Database) -> list[Any]:
    """All that a walk could have changed."""
    names = ("links_folder", "links_link", "links_import", "links_domain", "links_canonical")
    return [sorted(map(str, rows(database, f"SELECT * FROM {name}"))) for name in names]  # noqa: S608 - our own names


def furnish(asker: Asker) -> dict[str, str]:
    """Give somebody a library; returns the ids of what is in it."""
    folder = asker.post("/api/folders", {"names": ["Mine"]}, status=201)
    new = {"url": "https://example.com/mine?token=secret", "folder_id": folder["id"]}
    link = asker.post("/api/links", new, status=201)
    return {
        "folder_id": folder["id"],
        "link_id": link["id"],
        "import_id": asker.upload(),
        "domain": "example.com",
        "name": "links.css",
    }


def test_what_is_anothers_is_not_there(asker: Asker, database: Database, steps: list[Step]) -> None:
    ada, bob = asker.as_token("ada", scope="operate"), asker.as_token("bob", scope="admin")
    theirs = furnish(ada)
    before = belongings(database)
    walked = [step for step in steps if step.has_id]
    assert len(walked) >= 14
    for step in walked:
        assert ask(step, bob, theirs).status_code == 404, step
        nothing = {name: str(uuid4()) for name in theirs}
        assert ask(step, bob, nothing).status_code == 404, step
    assert belongings(database) == before
    mine = furnish(bob)
    folder = {"folder_id": theirs["folder_id"]}
    bob.refused(404, "GET", "/api/links", params=folder)
    bob.refused(404, "POST", "/api/links", json={"url": "https://a.com", **folder})
    bob.refused(404, "PATCH", f"/api/links/{mine['link_id']}", json=folder)
    moved = bob.send(f"/link/{mine['link_id']}", {"folder": theirs["folder_id"]})
    assert moved.status_code == 404
    answer = bob.ask("GET", "/", params={"folder": theirs["folder_id"]})
    assert answer.status_code == 404


def test_who_is_not_known_gets_nothing(asker: Asker, steps: list[Step]) -> None:
    theirs = furnish(asker.as_token("ada", scope="operate"))
    for step in steps:
        assert ask(step, asker, theirs).status_code == 401, step


def test_who_may_only_read_changes_nothing(
    asker: Asker, database: Database, client: lh.Client, steps: list[Step]
) -> None:
    mine = furnish(asker.as_token("ada", scope="operate"))
    client.tokens.revoke("ada")
    ada = asker.as_token("ada", scope="read")
    before = belongings(database)
    for step in steps:
        if step.name in ENDLESS:
            continue
        answer = ask(step, ada, mine)
        if step.changes:
            assert answer.status_code == 403, step
        else:
            assert answer.status_code in {200, 303}, (step, answer.text)
    assert belongings(database) == before


def test_another_sites_page_changes_nothing(
    asker: Asker, database: Database, steps: list[Step]
) -> None:
    mine = furnish(asker)
    before = belongings(database)
    for step in steps:
        for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
            if step.changes:
                assert ask(step, asker, mine, headers=headers).status_code == 403, step
    assert belongings(database) == before


def test_people_of_tenants_have_libraries_of_their_own_and_no_say_about_domains(
    asker: Asker, database: Database, steps: list[Step]
) -> None:
    tina = asker.as_token("tina", scope="admin", tenant="acme")
    other = asker.as_token("tina of globex", scope="admin", tenant="globex")
    slash = asker.as_token("acme/tina", scope="admin")
    theirs = furnish(tina)
    users = {user for (user,) in rows(database, "SELECT user_id FROM links_link")}
    assert users == {"acme/tina"}
    for stranger in (other, slash):
        assert stranger.get("/api/links")["links"] == []
        stranger.refused(404, "GET", f"/api/links/{theirs['link_id']}")
    for step in steps:
        if OF_DOMAINS in step.path:
            assert ask(step, tina, theirs).status_code == 403, step
            assert ask(step, tina, theirs).json()["type"].endswith(":not-for-tenants")


def test_a_service_that_is_read_only_is_so_here_too(
    client: lh.Client, database: Database, steps: list[Step]
) -> None:
    with serve_inside(client) as asker:
        mine = furnish(asker)
    settings = WebSettings(needs_worker=False, is_read_only=True)
    with serve_inside(client, settings) as asker:
        for step in steps:
            if step.changes:
                assert ask(step, asker, mine).status_code == 403, step
