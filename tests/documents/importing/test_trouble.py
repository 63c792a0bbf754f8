"""What goes wrong at a cloud ends, rests or goes on as it should; what was imported stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

import leasehold as lh
from leasehold.kit.servers import Request
from leasehold_documents import importing
from leasehold_documents.data.tables import memberships
from leasehold_documents.errors import Rejected
from leasehold_documents.importing.attempt import MOST_RESETS
from leasehold_documents.servers.gdrive import DOCUMENT, SHORTCUT
from tests.documents.flow.kit import Office, another_tenant, changed
from tests.documents.importing.kit import (
    ALL,
    CONTENT,
    PAGES,
    Cloud,
    asks_for_content,
    cloud_of,
    fill,
    secret_words,
)

RESETS: dict[str, int | str] = {"dropbox": "reset", "onedrive": "resync", "gdrive": 400}
BUSY: dict[str, int | str] = {"dropbox": 429, "onedrive": 429, "gdrive": "userRateLimitExceeded"}


def test_a_cloud_that_asks_for_patience_gets_it_and_nothing_counts_as_failed(cloud: Cloud) -> None:
    fill(cloud.server, 6)
    cloud.server.fail(BUSY[cloud.name], path=CONTENT[cloud.name], skip=3, retry_after=40)
    job_id, other = cloud.start(), cloud.start()
    cloud.work()
    job = cloud.job(job_id)
    assert (job.state, job.failures) == ("queued", 0)
    wanted = 30 if cloud.name == "gdrive" else 40  # Google says nowhere how long
    assert job.run_at - datetime.now(UTC) > timedelta(seconds=wanted - 20)
    assert cloud.job(other).attempt == 0  # the connector rests, not only this import
    cloud.office.client.store.skew_seconds += 60
    cloud.work()
    assert cloud.job(job_id).result["imported_count"] == 6
    assert cloud.job(other).result["imported_count"] == 0
    assert cloud.downloads() == 6 + (cloud.name != "gdrive" or 1)


def test_a_listing_that_is_reset_begins_anew_and_brings_nothing_twice(cloud: Cloud) -> None:
    names = fill(cloud.server, 14)
    if cloud.name == "gdrive":
        cloud.server.page_size = 5
        cloud.server.on_request = void_token_once(cloud)
    else:
        path = f"{PAGES[cloud.name]}{'/continue' if cloud.name == 'dropbox' else ''}"
        cloud.server.fail(RESETS[cloud.name], path=path, skip=1)
    result = cloud.run()
    assert cloud.names() == names
    assert result["imported_count"] == cloud.downloads() == 14


def void_token_once(cloud: Cloud) -> Callable[[Request], None]:
    """Let Google's page token be void as soon as one is used: its list is another one now."""

    def look(request: Request) -> None:
        if "pageToken" in dict(request.query):
            cloud.server.on_request = None
            cloud.server.fail("voidPageToken")

    return look


def test_a_listing_that_is_reset_for_ever_fails_and_is_tried_again_later(office: Office) -> None:
    with cloud_of("dropbox", office, page_size=3) as cloud:
        cloud.connect()
        fill(cloud.server, 8)
        cloud.server.fail("reset", path="/2/files/list_folder/continue", times=MOST_RESETS + 1)
        job_id = cloud.start()
        cloud.work()
        assert (cloud.job(job_id).state, cloud.job(job_id).failures) == ("failed", 1)
        assert "PROVIDER_LISTING_RESET" in cloud.job(job_id).error
        cloud.office.client.store.skew_seconds += 120
        cloud.work()
        assert cloud.job(job_id).result["imported_count"] == 8


def test_a_revoked_consent_keeps_what_is_there_and_connecting_anew_goes_on(cloud: Cloud) -> None:
    names = fill(cloud.server, 6)
    seen: list[str] = []

    def revoke_at_the_fourth(request: Request) -> None:
        if asks_for_content(cloud.name, request):
            seen.append(request.path)
            if len(seen) == 4:
                cloud.server.accounts.revoke()

    cloud.server.on_request = revoke_at_the_fourth
    job_id = cloud.start()
    cloud.work()
    cloud.server.on_request = None
    job = cloud.job(job_id)
    assert job.state == "dead"
    assert "CONNECTOR_EXPIRED" in job.error
    assert len(cloud.documents()) == 3
    assert cloud.connector()["status"] == "expired"
    with pytest.raises(Rejected, match="CONNECTOR_EXPIRED"):
        cloud.start()
    (notice,) = cloud.office.rows("notifications")
    assert (notice["kind"], notice["data"]["code"]) == ("import_failed", "CONNECTOR_EXPIRED")
    assert notice["data"]["imported"] == 3

    asked = importing.connect(
        cloud.office.access,
        cloud.name,
        redirect_uri="https://papers.example/back",
        connector_id=cloud.connector_id,
    )
    back = cloud.consent(asked.url)
    importing.finish(cloud.office.access, state=back["state"], code=back["code"])
    assert cloud.connector()["status"] == "active"
    cloud.office.client.retry(job_id)
    cloud.work()
    assert cloud.job(job_id).result["imported_count"] == 6
    assert cloud.names() == names
    assert not secret_words(cloud.server).search(repr(cloud.job(job_id)))


def test_a_server_that_fails_is_tried_again_and_no_file_is_fetched_twice(cloud: Cloud) -> None:
    fill(cloud.server, 5)
    cloud.server.fail(503 if cloud.name == "gdrive" else 500, path=CONTENT[cloud.name], skip=4)
    job_id = cloud.start()
    cloud.work()
    assert (cloud.job(job_id).state, cloud.job(job_id).failures) == ("failed", 1)
    assert "PROVIDER_UNAVAILABLE" in cloud.job(job_id).error
    before = len(cloud.documents())
    cloud.office.client.store.skew_seconds += 90
    cloud.work()
    assert cloud.job(job_id).result["imported_count"] == 5
    assert len(cloud.documents()) == 5 > before
    assert cloud.downloads() <= 6


def test_content_that_comes_damaged_is_never_kept(cloud: Cloud) -> None:
    cloud.server.put("/Vertrag.txt", b"Mietvertrag " * 500)
    path = "/personal/download/" if cloud.name == "onedrive" else CONTENT[cloud.name]
    job_id = cloud.start()
    for how in ("cut", "hangup", "html"):
        cloud.server.fail(how, path=path)
        cloud.work()
        assert "PROVIDER_UNAVAILABLE" in cloud.job(job_id).error
        cloud.office.client.store.skew_seconds += 2_000
    cloud.server.fail("html_ok", path=path)  # which is noticed by its check sum, and asked again
    cloud.work()
    assert cloud.job(job_id).result["imported_count"] == 1
    assert cloud.content("Vertrag.txt") == b"Mietvertrag " * 500


def test_a_file_that_changes_before_it_is_fetched_comes_as_it_is_then(cloud: Cloud) -> None:
    identifier = cloud.server.put("/Entwurf.txt", b"erste Fassung")

    def write_anew(request: Request) -> None:
        if asks_for_content(cloud.name, request):
            cloud.server.on_request = None
            cloud.server.put("/Entwurf.txt", b"zweite Fassung, etwas laenger")

    cloud.server.on_request = write_anew
    assert cloud.run()["imported_count"] == 1
    assert cloud.content("Entwurf.txt") == b"zweite Fassung, etwas laenger"
    assert cloud.run()["imported_count"] == 0  # it is known by its new content
    assert cloud.documents()[0]["remote_id"] == identifier


def test_what_is_empty_too_large_or_gone_is_refused_by_its_code_and_the_rest_comes(
    cloud: Cloud,
) -> None:
    cloud.server.put("/Leer.txt", b"  \n")
    cloud.server.put("/Groß.txt", b"x" * 5_000)
    cloud.server.put("/Gut.txt", b"gut")
    gone = cloud.server.put("/Weg.txt", b"weg")

    def delete_it(request: Request) -> None:
        if asks_for_content(cloud.name, request):
            cloud.server.on_request = None
            cloud.server.tree.delete(gone, 0.0)

    cloud.server.on_request = delete_it
    with changed(file_bytes=4_000):
        job_id = cloud.start()
        cloud.work()
    assert cloud.names() == ["Gut.txt"]
    assert cloud.outcomes(job_id) == {
        "Leer.txt": ("refused", "EMPTY_FILE"),
        "Groß.txt": ("refused", "FILE_TOO_LARGE"),
        "Gut.txt": ("imported", None),
        "Weg.txt": ("refused", "REMOTE_NOT_FOUND"),
    }
    (notice,) = cloud.office.rows("notifications")
    assert (notice["kind"], notice["data"]["refused"]) == ("import_done", 3)


def test_a_folder_that_is_not_there_ends_the_import_at_once(cloud: Cloud) -> None:
    job_id = cloud.start("/Nirgends")
    cloud.work()
    assert cloud.job(job_id).state == "dead"
    assert "REMOTE_NOT_FOUND" in cloud.job(job_id).error


def test_shortcuts_lead_to_files_and_folders_once_and_never_in_a_circle(office: Office) -> None:
    with cloud_of("gdrive", office, page_size=3) as cloud:
        cloud.connect()
        fill(cloud.server, 4, "/Verträge/Alt")
        paper = cloud.server.put("/Anderswo/Protokoll", b"Protokoll", kind=DOCUMENT)
        gone = cloud.server.put("/Anderswo/Weg.txt", b"weg")
        folders = {node.name: node.id for node in cloud.server.tree.nodes.values()}
        cloud.server.put("/Verträge/Zum Protokoll", b"", kind=SHORTCUT, target=paper)
        cloud.server.put("/Verträge/Alt/Hinauf", b"", kind=SHORTCUT, target=folders["Verträge"])
        cloud.server.put("/Verträge/Ins Leere", b"", kind=SHORTCUT, target=gone)
        cloud.server.delete(gone)
        job_id = cloud.start("/Verträge")
        cloud.work()
        assert cloud.job(job_id).result["imported_count"] == 5
        assert cloud.names() == ["Protokoll.docx", *(f"Vertrag 00{n}.txt" for n in range(1, 5))]
        assert cloud.outcomes(job_id)["Ins Leere"] == ("refused", "REMOTE_NOT_FOUND")


def test_a_used_up_day_at_google_rests_for_long(office: Office) -> None:
    with cloud_of("gdrive", office) as cloud:
        cloud.connect()
        cloud.server.fail("dailyLimitExceeded")
        job_id = cloud.start()
        cloud.work()
        job = cloud.job(job_id)
        assert (job.state, job.failures) == ("queued", 0)
        assert job.run_at - datetime.now(UTC) > timedelta(minutes=50)


def test_the_token_goes_nowhere_but_to_its_own_cloud(office: Office) -> None:
    with cloud_of("onedrive", office) as cloud:
        cloud.connect()
        fill(cloud.server, 2)
        cloud.server.fail("foreign_link", path=PAGES["onedrive"])
        job_id = cloud.start()
        cloud.work()
        assert "another address" in cloud.job(job_id).error
        cloud.office.client.store.skew_seconds += 90
        cloud.work()
        downloads = [each for each in cloud.server.seen() if "/personal/" in each.path]
        assert len(downloads) == 2
        assert all("authorization" not in each.headers for each in downloads)


def test_who_is_no_member_any_more_imports_nothing(dropbox: Cloud) -> None:
    fill(dropbox.server, 3)
    job_id = dropbox.start()
    with dropbox.office.database.write() as connection:
        connection.execute(memberships.delete())
    dropbox.work()
    assert dropbox.job(job_id).state == "cancelled"
    assert dropbox.documents() == []


def test_a_payload_that_names_another_tenants_connector_is_refused_and_written_down(
    office: Office,
) -> None:
    with cloud_of("dropbox", office) as cloud:
        cloud.connect()
        fill(cloud.server, 2)
        stranger = another_tenant(office)
        with pytest.raises(Exception, match="there is no connector"):
            importing.start(stranger, cloud.connector()["id"])
        task = importing.import_dropbox.with_options(
            tenant=str(stranger.tenant_id), created_by=str(stranger.user_id)
        )
        job = office.client.enqueue(task, str(cloud.connector_id), "/", [])
        cloud.work()
        assert "TENANT_MISMATCH" in str(cloud.job(job.id).error)
        assert cloud.documents() == []
        (row,) = office.rows("document_audit")
        assert (row["action"], row["tenant_id"]) == ("job.tenant_mismatch", office.tenant_id)


def test_an_import_that_is_cancelled_stops_at_once_and_keeps_what_it_has(office: Office) -> None:
    with cloud_of("dropbox", office) as cloud:
        cloud.connect()
        fill(cloud.server, 30)
        job_id = cloud.start()
        seen: list[str] = []

        def cancel_at_the_third(request: Request) -> None:
            if asks_for_content("dropbox", request):
                seen.append(request.path)
                if len(seen) == 3:
                    office.client.cancel(job_id)

        cloud.server.on_request = cancel_at_the_third
        cloud.server.delay(0.05, CONTENT["dropbox"])
        lh.Worker(office.client, ALL, slots=1, poll="100ms", grace="5s").run(until_empty=True)
        assert cloud.job(job_id).state == "cancelled"
        assert 2 <= len(cloud.documents()) < 30
        assert office.rows("notifications") == []  # who has cancelled it knows


def test_only_one_import_of_a_connector_runs_at_a_time(office: Office) -> None:
    with cloud_of("dropbox", office) as cloud:
        cloud.connect()
        fill(cloud.server, 9)
        ids = list(cloud.server.ids())
        wanted = [tuple(ids[begin : begin + 3]) for begin in (0, 3, 6)]
        for files in wanted:
            cloud.start("/", files)
        cloud.server.delay(0.02, CONTENT["dropbox"])
        worker = lh.Worker(office.client, ALL, slots=4, poll="100ms", grace="5s")
        worker.run(until_empty=True)
        seen = [each for each in cloud.server.seen() if each.path == CONTENT["dropbox"]]
        order = [json.loads(each.headers["dropbox-api-arg"])["path"] for each in seen]
        assert sorted(order) == sorted(ids)
        groups = [next(files for files in wanted if each in files) for each in order]
        assert sum(left != right for left, right in pairwise(groups)) == 2  # never in turns
