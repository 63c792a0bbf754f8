"""Every route, asked by those who may not: nobody gets what is not theirs, and nothing changes.

The walk is over the routes that the application has: a new one is in it by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from leasehold.web import WebSettings
from leasehold_documents.access import Access, add_member, create_user
from leasehold_documents.data.tables import metadata
from leasehold_documents.web.app import ROUTERS
from leasehold_documents.web.pages.shell import PAGES
from tests.documents.web.furnishing import agree_to, hand_in
from tests.documents.web.kit import LEASE, serve_inside
from tests.documents.web.test_flow import UNSURE
from tests.kit.walking import Step, steps_of

if TYPE_CHECKING:
    import httpx

    import leasehold as lh
    from leasehold.kit.data import Database
    from leasehold_documents.settings import Settings
    from tests.documents.access.kit import Two
    from tests.documents.web.kit import DocumentAsker

BODIES: dict[str, dict[str, Any]] = {
    "correct_suggestion": {"doc_type": "stolen"},
    "start_import": {"remote_path": "/"},
    "create_connector": {"provider": "dropbox", "name": "stolen"},
    "finish_connector": {"state": "x", "code": "x"},
}
QUERIES = {
    "choose_language": {"to": "en"},
    "choose_tenant": {"to": "x"},
    "search_documents": {"q": "mietvertrag"},
    "show_search": {"q": "mietvertrag"},
    "download": {"token": "x"},
}
FORM = {"engine": "unstructured_fast", "doc_type": "stolen", "provider": "dropbox", "name": "x"}
# What is for everybody: it shows nothing of anybody's.
OPEN = {"answer", "choose_language", "choose_tenant", "get_health", "download_link"} | {
    *("show_sign_in", "sign_in", "sign_out", "download_file", "return_from_provider")
}
CRONS = {"tick"}
OVERSEERS = {"list_alerts"}
ENDLESS = {"follow_document", "follow_notifications", "follow_jobs"}
MARKS = {"mark_notifications_read", "mark_read"}  # also for who only reads


@pytest.fixture
def steps() -> list[Step]:
    found = steps_of((*ROUTERS, PAGES.router))
    assert len(found) >= 45
    return found


@pytest.fixture
def ids(queue: lh.Client, database: Database, two: Two, said: Settings) -> dict[str, str]:
    """What is there in the first tenant, of each kind."""
    access = Access(queue, database, two.ada, two.first)
    document_id = hand_in(access, "geheim.pdf", LEASE)
    job_id = agree_to(access, document_id)
    with access.read() as connection:
        (extraction,) = connection.exec_driver_sql("SELECT id FROM extractions").scalars()
    hand_in(access, "mehr.pdf", UNSURE)
    return {
        "document_id": str(document_id),
        "extraction_id": str(extraction),
        "job_id": str(job_id),
        "connector_id": str(uuid4()),
        "name": "documents.css",
        "provider": "dropbox",
    }


def ask(step: Step, asker: DocumentAsker, ids: dict[str, str], **options: Any) -> httpx.Response:
    path = step.path_for(ids)
    options.setdefault("params", QUERIES.get(step.name, {}))
    if step.name in {"upload_document", "upload_paper"}:
        options.setdefault("files", {"file": ("stolen.txt", b"stolen")})
    elif step.changes and step.path.startswith("/api/"):
        body = BODIES.get(step.name, {})
        extra = {"extraction_id": ids["extraction_id"]} if "confirm" in step.path else {}
        options.setdefault("json", body | extra)
    elif step.changes:
        options.setdefault("data", FORM | {"extraction_id": ids["extraction_id"], "token": "x"})
    return asker.ask(step.method, path, **options)


def belongings(database: Database) -> dict[str, list[str]]:
    """All that a walk could have changed; what was refused is written down, and is not in it."""
    left_out = {"document_audit", "users", "memberships"}
    with database.read() as connection:
        return {
            name: sorted(map(str, connection.execute(table.select()).all()))
            for name, table in metadata.tables.items()
            if name not in left_out
        }


def is_for_members(step: Step) -> bool:
    return step.name not in OPEN | CRONS | OVERSEERS and not _is_file(step)


def _is_file(step: Step) -> bool:
    return step.path in {"/api/file", "/connectors/callback"}


def test_who_is_not_known_gets_nothing(
    asker: DocumentAsker, database: Database, steps: list[Step], ids: dict[str, str]
) -> None:
    before = belongings(database)
    for step in steps:
        if step.name not in OPEN and not _is_file(step):
            assert ask(step, asker, ids).status_code == 401, step
    assert belongings(database) == before


def test_what_is_anothers_is_not_there(
    asker: DocumentAsker, database: Database, two: Two, steps: list[Step], ids: dict[str, str]
) -> None:
    bob = asker.as_user(two.bob)
    before = belongings(database)
    walked = [step for step in steps if step.has_id and is_for_members(step)]
    assert len(walked) >= 25
    for step in walked:
        assert ask(step, bob, ids).status_code == 404, step
        nothing = {name: str(uuid4()) for name in ids}
        assert ask(step, bob, nothing).status_code == 404, step
    assert belongings(database) == before
    for path in ("/api/documents", "/papers", "/inbox", "/jobs", "/api/jobs", "/"):
        assert "geheim.pdf" not in bob.ask("GET", path).text
        assert ids["job_id"] not in bob.ask("GET", path).text


def test_who_names_another_tenant_is_refused_everywhere(
    asker: DocumentAsker, database: Database, two: Two, steps: list[Step], ids: dict[str, str]
) -> None:
    bob = asker.as_user(two.bob, two.first)
    before = belongings(database)
    for step in steps:
        if is_for_members(step) and step.name != "get_me":
            assert ask(step, bob, ids).status_code == 403, step
    assert belongings(database) == before


def test_who_only_reads_changes_nothing(
    asker: DocumentAsker, database: Database, two: Two, steps: list[Step], ids: dict[str, str]
) -> None:
    reader = create_user(database, "rita@example.com")
    add_member(database, reader, two.first, "reader")
    rita = asker.as_user(reader)
    before = belongings(database)
    for step in steps:
        if not is_for_members(step) or step.name in ENDLESS | MARKS:
            continue
        answer = ask(step, rita, ids)
        if step.name == "browse_connector" or (step.changes and step.name != "make_link"):
            assert answer.status_code == 403, step
        else:
            assert answer.status_code in {200, 303, 404}, (step, answer.text)
    assert belongings(database) == before


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_another_sites_page_changes_nothing(
    asker: DocumentAsker, database: Database, two: Two, steps: list[Step], ids: dict[str, str]
) -> None:
    ada = asker.as_user(two.ada)
    before = belongings(database)
    for step in steps:
        for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
            if step.changes:
                assert ask(step, ada, ids, headers=headers).status_code == 403, step
    assert belongings(database) == before


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_service_that_is_read_only_is_so_here_too(
    queue: lh.Client, two: Two, steps: list[Step], ids: dict[str, str]
) -> None:
    settings = WebSettings(needs_worker=False, is_read_only=True)
    with serve_inside(queue, settings) as asker:
        ada = asker.as_user(two.ada)
        for step in steps:
            if step.changes:
                assert ask(step, ada, ids).status_code == 403, step
