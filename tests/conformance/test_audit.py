"""The audit record: rows are only ever added, with what they tell of, or not at all."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import TYPE_CHECKING

import psycopg
import pytest
from msgspec import structs

from leasehold.model.audit import AuditFilter, Entry
from leasehold.model.lanes import Pause
from tests.conformance.kit import enqueue_one, pass_time

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

ENTRY = Entry(
    actor="ana",
    via="api",
    action="queue.pause",
    subject="mail",
    address="192.0.2.7",
    tenant="acme",
    count=3,
    detail={"reason": "répair", "deep": {"a": 1}},
)
DENIED = (psycopg.errors.RaiseException, sqlite3.IntegrityError)


def rows_of(store: Store, **where: object) -> list[str]:
    """List the subjects of rows, the newest first."""
    found = store.audit(AuditFilter(**where), before=None, limit=100)  # type: ignore[arg-type]  # as a test says
    return [each.subject for each in found]


def test_a_row_says_who_did_what_from_where_and_to_how_many(store: Store) -> None:
    store.record(ENTRY)
    (found,) = store.audit(AuditFilter(), before=None, limit=10)
    assert Entry(**{name: getattr(found, name) for name in Entry.__struct_fields__}) == ENTRY


def test_rows_come_newest_first_page_by_page_and_filtered(store: Store) -> None:
    for number in range(5):
        tenant = "acme" if number % 2 else "globex"
        actor = "ana" if number < 3 else "ben"
        store.record(structs.replace(ENTRY, subject=str(number), tenant=tenant, actor=actor))
    first = store.audit(AuditFilter(), before=None, limit=2)
    assert [each.subject for each in first] == ["4", "3"]
    rest = store.audit(AuditFilter(), before=first[-1].id, limit=10)
    assert [each.subject for each in rest] == ["2", "1", "0"]
    assert rows_of(store, tenant="acme") == ["3", "1"]
    assert rows_of(store, actor="ben") == ["4", "3"]
    assert rows_of(store, action="token.add") == []
    pass_time(store, 60)
    store.record(structs.replace(ENTRY, subject="later"))
    assert rows_of(store, since=store.moment()) == []
    assert rows_of(store, since=first[0].at)[0] == "later"


def test_no_row_is_changed_or_taken_away(store: Store, tables: Tables) -> None:
    store.record(ENTRY)
    name = "leasehold_audit" if store.url.startswith("sqlite:") else "leasehold.audit"
    for statement in ("UPDATE " + name + " SET actor = 'eve'", "DELETE FROM " + name):  # noqa: S608 - our names
        with pytest.raises(DENIED, match="audit record"):
            tables.execute(statement)
    assert rows_of(store) == ["mail"]


def test_pruning_says_so_in_the_record(store: Store) -> None:
    store.record(structs.replace(ENTRY, subject="old"))
    store.record(structs.replace(ENTRY, subject="old, too"))
    pass_time(store, 3_600)
    store.record(structs.replace(ENTRY, subject="new"))
    pruning = Entry(actor="ana", via="cli", action="audit.prune", subject="!")
    assert store.prune_audit(pruning, older_seconds=7_200) == 0
    assert store.prune_audit(pruning, older_seconds=60) == 2
    assert rows_of(store) == ["!", "new"]
    last = store.audit(AuditFilter(), before=None, limit=1)[0]
    assert (last.action, last.count, last.actor) == ("audit.prune", 2, "ana")


def test_what_is_done_together_is_done_whole_or_not_at_all(store: Store) -> None:
    pause = Pause(reason="together", by="ana")
    with suppress(KeyError), store.together():
        store.pause_queue("mail", pause)
        store.record(ENTRY)
        raise KeyError
    assert store.queues() == []
    assert rows_of(store) == []
    with store.together():
        store.pause_queue("mail", pause)
        assert [each.name for each in store.queues()] == ["mail"]  # it sees what it has done
        with store.together():
            store.record(ENTRY)
    assert [each.name for each in store.queues()] == ["mail"]
    assert rows_of(store) == ["mail"]


def test_all_verbs_for_people_work_together(store: Store) -> None:
    """Twice each, after a rollback: what a connection had prepared is gone then."""
    for _ in range(2):
        job, other = enqueue_one(store), enqueue_one(store)
        with suppress(KeyError), store.together():
            store.cancel(job, by="ana")
            raise KeyError
        with store.together():
            store.reprioritise(job, 5)
            store.cancel(job, by="ana")
            store.retry(job)
            store.delete(job)
            store.delete(other)
            assert store.get(job) is None
        assert store.get(other) is None
