"""Nobody finds what is another tenant's: not by a forged tenant, nor by words that look alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import psycopg
import pytest
from sqlalchemy import Connection, text

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.access import Access, Service
from leasehold_documents.data import audit
from leasehold_documents.data.binding import bind_member
from leasehold_documents.errors import Forbidden
from leasehold_documents.searching import postgres, search, sqlite
from tests.documents.searching.kit import Archive

FUNCTION = "documents_search(uuid, tsquery, integer)"


@pytest.fixture
def other(queue: lh.Client, database: Database) -> Archive:
    return Archive(queue, database, "Fremde AG")


@pytest.fixture
def postgres_archive(app_postgres_url: str) -> Iterator[Archive]:
    with lh.Client(app_postgres_url) as client:
        database = Database(client.url)
        yield Archive(client, database)
        database.close()


class Forged:
    """A person of one tenant who names another one, behind the back of `Access`."""

    def __init__(self, own: Access, other: Access) -> None:
        self.database = own.database
        self.user_id = own.user_id
        self.tenant_id = other.tenant_id

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self.database.read() as connection:
            bind_member(connection, self.user_id, None)
            yield connection


def test_a_tenant_finds_its_own_papers_alone(archive: Archive, other: Archive) -> None:
    archive.put("own", "Mietvertrag der eigenen Wohnung")
    other.put("foreign", "Mietvertrag der fremden Wohnung")
    assert archive.found("mietvertrag") == ["own"]
    assert other.found("wohnung oder miet*") == ["foreign"]


def test_tenants_whose_words_have_the_same_prefix_are_still_kept_apart(
    archive: Archive, other: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (postgres, sqlite):
        monkeypatch.setattr(module, "prefix_of", lambda _tenant: "aaa")
    archive.put("own", "Mietvertrag der eigenen Wohnung")
    other.put("foreign", "Mietvertrag der fremden Wohnung")
    assert archive.found("mietvertrag") == ["own"]
    assert other.found('wohnung oder miet* oder "der eigenen"') == ["foreign"]
    assert len(archive.every_hit("mietvertrag")) == 1


def test_the_database_itself_refuses_a_foreign_tenant_and_it_is_audited(
    postgres_archive: Archive,
) -> None:
    own = postgres_archive
    foreign = Archive(own.queue, own.database, "Fremde AG")
    foreign.put("foreign", "Mietvertrag")
    forged = cast("Access", Forged(own.access, foreign.access))
    with pytest.raises(Forbidden):
        search(forged, "mietvertrag")
    with Service(own.queue, own.database).read() as connection:
        row = audit.find(connection)[0]
    expected = ("search.refused", own.access.user_id, foreign.tenant_id)
    assert (row["action"], row["user_id"], row["tenant_id"]) == expected


def test_only_the_applications_roles_may_call_the_function(postgres_archive: Archive) -> None:
    wanted = text("SELECT has_function_privilege(:role, :function, 'EXECUTE')")
    with postgres_archive.database.read() as connection:
        rights = {
            role: connection.scalar(wanted, {"role": role, "function": FUNCTION})
            for role in ("documents_member", "documents_worker", "public")
        }
    assert rights == {"documents_member": True, "documents_worker": True, "public": False}


def test_inside_the_function_tenant_and_words_are_looked_up_in_the_index(
    postgres_archive: Archive,
) -> None:
    postgres_archive.put("own", "Mietvertrag der eigenen Wohnung")
    plan = _plan(postgres_archive, "'x':*")
    assert "Bitmap Index Scan on document_terms_words" in plan
    (condition,) = (line for line in plan.splitlines() if "Index Cond" in line and "tsv" in line)
    assert "tenant_id = " in condition
    assert "tsv @@ " in condition
    assert "Seq Scan" not in plan


def test_a_plan_kept_for_many_calls_looks_up_the_same(postgres_archive: Archive) -> None:
    plan = _plan(postgres_archive, "'x' & !'y'", calls=8)
    assert plan.count("Bitmap Index Scan on document_terms_words") == 8
    assert "Seq Scan" not in plan


def test_in_sqlite_words_are_looked_up_in_fts5_newest_first_without_sorting(
    archives: dict[str, Archive],
) -> None:
    said = {"wanted": '"x"', "tenant_id": "t", "most": 10}
    with archives["sqlite"].database.read() as connection:
        rows = connection.execute(text(f"EXPLAIN QUERY PLAN {sqlite._FIND.text}"), said)
        steps = [row.detail for row in rows]
    assert [step.partition(" VIRTUAL")[0].partition(" USING")[0] for step in steps] == [
        "SCAN w",
        "SEARCH t",
    ]
    assert "VIRTUAL TABLE INDEX" in steps[0]
    assert "INTEGER PRIMARY KEY" in steps[1]


def _plan(archive: Archive, wanted: str, *, calls: int = 1) -> str:
    """Let the server tell how it runs the statements of the function, as a member calls it."""
    told: list[str] = []
    with psycopg.connect(archive.queue.url) as connection:
        connection.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        for setting in _TELLING:
            connection.execute(setting)
        said = {"user": str(archive.access.user_id), "tenant": archive.tenant_id, "wanted": wanted}
        connection.execute("SELECT set_config('documents.user', %(user)s, true)", said)
        connection.execute("SET LOCAL ROLE documents_member")
        for _ in range(calls):
            connection.execute(
                "SELECT number FROM documents_search(%(tenant)s, %(wanted)s::tsquery, 10)", said
            )
        connection.rollback()
    return "\n".join(each for each in told if "document_terms" in each)


_TELLING: tuple[Any, ...] = (
    "LOAD 'auto_explain'",
    "SET auto_explain.log_min_duration = 0",
    "SET auto_explain.log_nested_statements = on",
    "SET client_min_messages = log",
)
