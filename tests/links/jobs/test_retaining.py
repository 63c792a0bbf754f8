"""Retention: what nobody needs goes, what somebody needs stays, wherever it is broken off."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import insert, text

import leasehold as lh
from leasehold.kit.data import Database, upsert
from leasehold_links import retaining
from leasehold_links.data.tables import evidence, import_item, robots
from leasehold_links.tasks import daily, enrich, retain
from leasehold_links.uploading import start_import
from tests.links.dialects import CHROME
from tests.links.jobs.kit import begin_import, counts, rows, run_imports

NOW = datetime.now(UTC)
ENTRIES = b'<DL><DT><A HREF="https://a.com/">a</A><DT><A HREF="https://b.com/">b</A></DL>'


def run_retention(client: lh.Client) -> dict[str, int]:
    job = client.enqueue(retain)
    lh.Worker(client, [retain]).run(until_empty=True)
    found: dict[str, int] = client.get(job.id).result
    return found


def unplace(database: Database, url: str) -> UUID:
    """Take a link out of its folder, and let its address have been held against its domain."""
    with database.write() as connection:
        row = connection.execute(
            text("SELECT id, job_id FROM links_canonical WHERE url = :url"), {"url": url}
        ).one()
        connection.execute(text("DELETE FROM links_link WHERE url = :url"), {"url": url})
        held = {"domain": "a.com", "canonical_id": UUID(str(row[0])), "reason": "robots"}
        connection.execute(insert(evidence), held | {"status": None, "seen_at": NOW})
    return UUID(str(row[1]))


def test_an_address_in_nobodys_folder_goes_with_its_enrichment(
    client: lh.Client, database: Database
) -> None:
    begin_import(client, database, ENTRIES)
    run_imports(client)
    job_id = unplace(database, "https://a.com/")
    key = client.get(job_id).key
    assert run_retention(client)["canonicals"] == 1
    assert rows(database, "SELECT url FROM links_canonical") == [("https://b.com/",)]
    assert rows(database, "SELECT count(*) FROM links_evidence") == [(0,)]
    assert (len(client.find(kind=enrich)), client.key(key or "")) == (1, None)
    begin_import(client, database, ENTRIES)  # and comes back as a new one
    run_imports(client)
    assert (counts(database), len(client.find(kind=enrich))) == ((1, 2, 2), 2)


def test_a_kill_between_an_address_and_its_job_loses_none(
    client: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_import(client, database, ENTRIES)
    run_imports(client)
    job_id = unplace(database, "https://a.com/")

    def die(_client: lh.Client, job_ids: list[str]) -> None:
        if job_ids:
            raise OSError("the worker is away")  # after the address has gone, before its job does

    monkeypatch.setattr(lh.Client, "delete_these", die)
    job = client.enqueue(retain)
    lh.Worker(client, [retain]).run(until_empty=True)
    monkeypatch.undo()
    assert (counts(database)[1], client.get(job_id).kind) == (1, "links.enrich")
    client.retry(job.id)
    lh.Worker(client, [retain]).run(until_empty=True)
    assert client.get(job.id).state == "succeeded"
    with pytest.raises(lh.JobNotFound):
        client.get(job_id)


def test_what_has_an_age_goes_by_it(client: lh.Client, database: Database) -> None:
    begin_import(client, database, CHROME.encode())
    run_imports(client)
    with database.write() as connection:
        for name, age in (("old", 25), ("new", 23)):
            row = {"origin": name, "status": 200, "rules": "", "fetched_at": hours_ago(age)}
            upsert(connection, robots, row, key=["origin"])
        import_id = connection.execute(text("SELECT id FROM links_import")).scalar_one()
        for number, age in ((900, 91 * 24), (901, 89 * 24)):
            item = {"number": number, "outcome": "skipped", "reason": "x", "url": "", "title": ""}
            given = item | {"import_id": UUID(str(import_id)), "created_at": hours_ago(age)}
            connection.execute(insert(import_item), given)
    said = run_retention(client)
    assert (said["robots"], said["items"]) == (1, 1)
    assert rows(database, "SELECT origin FROM links_robots") == [("new",)]
    assert rows(database, "SELECT number FROM links_import_item ORDER BY number") == [(3,), (901,)]


def hours_ago(hours: float) -> datetime:
    return NOW - timedelta(hours=hours)


def test_files_of_ended_imports_go_and_those_of_others_stay(
    client: lh.Client, database: Database
) -> None:
    ended = start_import(client, database, "ada", "x.html", [CHROME.encode()])
    client.cancel(ended)  # by hand, past the library: its file is still there
    waiting = start_import(client, database, "ada", "y.html", [CHROME.encode()])
    assert run_retention(client)["uploads"] == 1
    left = rows(database, "SELECT DISTINCT import_id FROM links_upload")
    assert [UUID(str(row[0])) for row in left] == [waiting]


def test_enrichments_that_another_one_replaced_go_after_a_month(
    client: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_import(client, database, ENTRIES)
    run_imports(client)
    first = client.find(kind=enrich)[0]
    client.cancel(first.id)
    with database.write() as connection:
        instead = enrich.with_options(on_duplicate="replace", unique_for="live")
        made = client.on(connection).enqueue(instead, **first.args)
        connection.execute(
            text("UPDATE links_canonical SET job_id = :new WHERE job_id = :old"),
            {"new": str(made.id), "old": str(first.id)}
            if database.is_sqlite
            else {"new": made.id, "old": first.id},
        )
    assert run_retention(client)["enrichments"] == 0
    monkeypatch.setattr(retaining, "SUPERSEDED", timedelta(seconds=-60))
    assert run_retention(client)["enrichments"] == 1
    assert {job.id for job in client.find(kind=enrich)} >= {made.id}
    assert len(client.find(kind=enrich)) == 2


def test_jobs_of_imports_and_links_are_kept(client: lh.Client, database: Database) -> None:
    begin_import(client, database, CHROME.encode())
    run_imports(client)
    lh.Worker(client, [enrich], queues=["links-imports"], schedules=[daily]).run(until_empty=True)
    keep = client.retention.of(queue="links", task=enrich)
    assert keep.succeeded == keep.dead == keep.cancelled
    assert keep.succeeded is not None
    assert keep.succeeded > 50 * 365 * 86_400
    assert [each.name for each in client.schedules.list()] == ["links.retention"]
