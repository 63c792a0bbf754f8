"""Who is no member sees nothing, whoever forgets to ask; what members may do is said by role."""

from __future__ import annotations

import contextlib
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, select, text

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents import access as people
from leasehold_documents.access import Access, Service
from leasehold_documents.data import audit, nodes
from leasehold_documents.data.tables import documents
from leasehold_documents.errors import AlreadyThere, Forbidden, NotFound
from tests.documents.access.kit import Two, add_document


@lh.task(name="documents test", share=lh.TENANT)
def work(number: int) -> int:
    return number


def test_a_foreign_tenant_is_refused_and_audited(
    queue: lh.Client, database: Database, two: Two
) -> None:
    with pytest.raises(Forbidden):
        Access(queue, database, two.ada, two.second)
    with Service(queue, database).read() as connection:
        (row,) = audit.find(connection)
    assert (row["action"], row["user_id"], row["tenant_id"]) == (
        "tenant.refused",
        two.ada,
        two.second,
    )


def test_an_unknown_tenant_is_refused_like_a_foreign_one(
    queue: lh.Client, database: Database, two: Two
) -> None:
    with pytest.raises(Forbidden) as unknown:
        Access(queue, database, two.ada, uuid4())
    with pytest.raises(Forbidden) as foreign:
        Access(queue, database, two.ada, two.second)
    assert str(unknown.value) == str(foreign.value)


def test_a_job_is_the_tenants_and_commits_with_the_rows(
    queue: lh.Client, database: Database, two: Two
) -> None:
    ada = Access(queue, database, two.ada, two.first)
    with ada.write() as session:
        add_document(session.connection(), two.first)
        job = ada.on(session).enqueue(work.with_options(created_by=str(two.ada)), 1)
        add_document(session.connection(), two.first)
    found = queue.get(job.id)
    assert (found.tenant, found.created_by) == (str(two.first), str(two.ada))
    assert [each.id for each in ada.client.find()] == [job.id]
    assert not Access(queue, database, two.bob, two.second).client.find()


def test_nothing_is_left_of_a_transaction_that_fails(
    queue: lh.Client, database: Database, two: Two
) -> None:
    ada = Access(queue, database, two.ada, two.first)
    with contextlib.suppress(ZeroDivisionError), ada.write() as session:
        add_document(session.connection(), two.first)
        ada.on(session).enqueue(work, 1)
        raise ZeroDivisionError
    with ada.read() as connection:
        assert not connection.execute(select(documents.c.id)).all()
    assert not queue.find()


def test_a_refused_enqueue_leaves_the_transaction_the_members(
    queue: lh.Client, database: Database, two: Two
) -> None:
    ada = Access(queue, database, two.ada, two.first)
    with ada.write() as session:
        with pytest.raises(lh.ForeignTenant):
            ada.on(session).enqueue(work.with_options(tenant=str(two.second)), 1)
        assert _role(session.connection()) in {"documents_member", None}


def test_who_is_removed_sees_nothing_by_an_access_from_before(
    queue: lh.Client, database: Database, two: Two
) -> None:
    ada = Access(queue, database, two.ada, two.first)
    cancelled: list[tuple[UUID, UUID]] = []

    def cancel(tenant_id: UUID, user_id: UUID) -> None:
        cancelled.append((tenant_id, user_id))

    assert people.remove_member(database, two.ada, two.first, cancel=cancel)
    with pytest.raises(Forbidden), ada.read():
        pytest.fail("reads")
    with pytest.raises(Forbidden), ada.write():
        pytest.fail("writes")
    assert not people.remove_member(database, two.ada, two.first, cancel=cancel)
    assert cancelled == [(two.first, two.ada)] * 2  # who was interrupted does it again


def test_a_reader_may_not_write(queue: lh.Client, database: Database, two: Two) -> None:
    people.add_member(database, two.ada, two.first, "reader")
    ada = Access(queue, database, two.ada, two.first)
    with pytest.raises(Forbidden), ada.write():
        pytest.fail("writes")


@pytest.mark.parametrize(
    ("role", "allowed"),
    [("reader", ["reader"]), ("member", ["reader", "member"])],
)
def test_each_role_may_what_the_lesser_ones_may(
    queue: lh.Client, database: Database, two: Two, role: str, allowed: list[str]
) -> None:
    people.add_member(database, two.ada, two.first, role)
    ada = Access(queue, database, two.ada, two.first)
    for asked in ("reader", "member", "admin"):
        if asked in allowed:
            ada.require(asked)
        else:
            with pytest.raises(Forbidden):
                ada.require(asked)


def test_people_find_their_tenants_by_name(database: Database, two: Two) -> None:
    found = people.memberships_of(database, two.eve)
    assert [(each.tenant_id, each.name, each.role) for each in found] == [
        (two.first, "Erste GmbH", "member"),
        (two.second, "Zweite AG", "member"),
    ]
    assert people.organization_named(database, "Zweite AG") == two.second
    assert people.user_named(database, "eve@example.com") == two.eve


def test_what_is_not_there_or_there_twice_is_said(database: Database, two: Two) -> None:
    with pytest.raises(AlreadyThere, match="ada@"):
        people.create_user(database, "ada@example.com")
    for lookup in (people.user_named, people.organization_named):
        with pytest.raises(NotFound):
            lookup(database, "nobody")
    with pytest.raises(NotFound):
        people.add_member(database, two.ada, uuid4())
    with pytest.raises(NotFound):
        people.add_member(database, uuid4(), two.first)


def test_a_new_organization_has_german_places(database: Database, two: Two) -> None:
    with database.read() as connection:
        rows = nodes.find(connection, two.first)
    named = {row["name"]: row for row in rows}
    assert named["Mietverträge"]["doc_type"] == "Mietvertrag"
    assert named["Mietverträge"]["parent_id"] == named["Verträge"]["id"]


def _role(connection: Connection) -> str | None:
    if connection.dialect.name == "sqlite":
        return None
    return str(connection.scalar(text("SELECT current_user")))
