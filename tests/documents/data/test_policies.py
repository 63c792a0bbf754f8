"""PostgreSQL keeps tenants apart, whatever a statement forgets: the seed's policies' intent."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from leasehold.kit.data import Database
from leasehold_documents import access
from leasehold_documents.data.tables import metadata
from tests.documents.access.kit import Two
from tests.documents.data.rows import fill, tenant_tables

HIDDEN = {"document_audit"}
SHOWN = sorted(set(tenant_tables()) - HIDDEN)


@pytest.fixture
def filled(sql: psycopg.Connection[Any], tenants: Two) -> dict[UUID, dict[str, UUID]]:
    """Every table has rows of both tenants."""
    return {
        tenants.first: fill(sql, tenants.first, tenants.ada),
        tenants.second: fill(sql, tenants.second, tenants.bob),
    }


def become(
    sql: psycopg.Connection[Any], user_id: UUID | None, tenant_id: UUID | None = None
) -> None:
    """Act as a person, in one tenant or in all of theirs."""
    settings = {"documents.user": user_id, "documents.tenant": tenant_id}
    for name, value in settings.items():
        sql.execute("SELECT set_config(%s, %s, false)", [name, "" if value is None else str(value)])
    sql.execute("SET ROLE documents_member")


def tenants_in(sql: psycopg.Connection[Any], table: str) -> set[UUID]:
    wanted = SQL("SELECT DISTINCT tenant_id FROM {}").format(Identifier(table))
    return {tenant for (tenant,) in sql.execute(wanted)}


@pytest.mark.usefixtures("filled")
def test_a_member_sees_of_every_table_the_rows_of_their_tenant(
    sql: psycopg.Connection[Any], tenants: Two
) -> None:
    assert all(tenants_in(sql, table) >= {tenants.first, tenants.second} for table in SHOWN)
    become(sql, tenants.ada)
    assert {table: tenants_in(sql, table) for table in SHOWN} == {
        table: {tenants.first} for table in SHOWN
    }


@pytest.mark.usefixtures("filled")
def test_who_is_of_two_tenants_sees_both_or_the_one_that_is_named(
    sql: psycopg.Connection[Any], tenants: Two
) -> None:
    become(sql, tenants.eve)
    assert tenants_in(sql, "documents") == {tenants.first, tenants.second}
    become(sql, tenants.eve, tenants.second)
    assert tenants_in(sql, "documents") == {tenants.second}


@pytest.mark.usefixtures("filled")
def test_a_foreign_tenant_nobody_and_a_stranger_see_nothing(
    sql: psycopg.Connection[Any], tenants: Two
) -> None:
    for user, tenant in ((tenants.ada, tenants.second), (None, None), (None, tenants.first)):
        become(sql, user, tenant)
        assert not any(tenants_in(sql, table) for table in SHOWN)
        assert not sql.execute("SELECT * FROM organizations").fetchall()
        assert not sql.execute("SELECT * FROM users").fetchall()


@pytest.mark.usefixtures("filled")
def test_a_member_sees_themselves_and_their_colleagues(
    sql: psycopg.Connection[Any], tenants: Two
) -> None:
    become(sql, tenants.ada)
    found = {user for (user,) in sql.execute("SELECT id FROM users")}
    assert found == {tenants.ada, tenants.eve}
    assert sql.execute("SELECT id FROM organizations").fetchall() == [(tenants.first,)]


def test_a_member_can_write_into_no_other_tenant(
    sql: psycopg.Connection[Any], tenants: Two, filled: dict[UUID, dict[str, UUID]]
) -> None:
    become(sql, tenants.ada)
    moved = sql.execute("UPDATE documents SET tenant_id = tenant_id WHERE true RETURNING tenant_id")
    assert {tenant for (tenant,) in moved} == {tenants.first}
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql.execute("UPDATE documents SET tenant_id = %s", [tenants.second])
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql.execute(
            "INSERT INTO nodes (id, tenant_id, name, created_at)"
            " VALUES (gen_random_uuid(), %s, 'x', now())",
            [tenants.second],
        )
    foreign = filled[tenants.second]["documents"]
    assert sql.execute("DELETE FROM documents WHERE id = %s", [foreign]).rowcount == 0


def test_members_may_only_read_chunks(
    sql: psycopg.Connection[Any], tenants: Two, filled: dict[UUID, dict[str, UUID]]
) -> None:
    mine = filled[tenants.first]
    become(sql, tenants.ada)
    assert tenants_in(sql, "document_chunks") == {tenants.first}
    insert = (
        "INSERT INTO document_chunks (tenant_id, document_id, chunk_index, text)"
        " VALUES (%s, %s, 7, 'x')"
    )
    changes: list[tuple[str, list[Any]]] = [
        (insert, [tenants.first, mine["documents"]]),
        ("UPDATE document_chunks SET text = 'y'", []),
        ("DELETE FROM document_chunks", []),
    ]
    for statement, given in changes:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            sql.execute(statement.encode(), given)
    # … but who deletes a paper deletes what was made of it.
    assert sql.execute("DELETE FROM documents").rowcount == 1
    assert tenants_in(sql, "document_chunks") == set()
    sql.execute("RESET ROLE")
    assert tenants_in(sql, "document_chunks") == {tenants.second}


@pytest.mark.usefixtures("filled")
def test_who_may_only_read_changes_nothing_whoever_forgets_to_ask(
    sql: psycopg.Connection[Any], papers: Database, tenants: Two
) -> None:
    access.add_member(papers, tenants.ada, tenants.first, "reader")
    become(sql, tenants.ada)
    assert tenants_in(sql, "documents") == {tenants.first}
    assert sql.execute("UPDATE documents SET name = 'y'").rowcount == 0
    assert sql.execute("DELETE FROM documents").rowcount == 0
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql.execute(
            "INSERT INTO nodes (id, tenant_id, name, created_at)"
            " VALUES (gen_random_uuid(), %s, 'x', now())",
            [tenants.first],
        )


@pytest.mark.usefixtures("filled")
def test_news_are_only_for_whom_they_are(sql: psycopg.Connection[Any], tenants: Two) -> None:
    become(sql, tenants.eve)
    assert tenants_in(sql, "notifications") == set()  # they are Ada's and Bob's
    become(sql, tenants.ada)
    assert sql.execute("UPDATE notifications SET read_at = now()").rowcount == 1


def test_what_was_refused_is_for_workers_alone(sql: psycopg.Connection[Any], tenants: Two) -> None:
    become(sql, tenants.ada)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql.execute("SELECT * FROM document_audit")


@pytest.mark.usefixtures("filled")
def test_workers_see_all(sql: psycopg.Connection[Any], tenants: Two) -> None:
    sql.execute("SET ROLE documents_worker")
    assert all(tenants_in(sql, table) >= {tenants.first, tenants.second} for table in SHOWN)


def test_security_is_forced_on_every_table(sql: psycopg.Connection[Any]) -> None:
    found = sql.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"
        " AND relkind = 'r' AND relrowsecurity AND relforcerowsecurity"
    )
    assert {name for (name,) in found} == set(metadata.tables)


def test_the_roles_are_no_superusers_and_pass_no_policy(sql: psycopg.Connection[Any]) -> None:
    found = sql.execute(
        "SELECT rolsuper, rolbypassrls, rolcanlogin, rolcreaterole FROM pg_roles"
        " WHERE rolname IN ('documents_member', 'documents_worker')"
    ).fetchall()
    assert found == [(False, False, False, False)] * 2


def test_nobody_has_rights_by_being_anybody(sql: psycopg.Connection[Any]) -> None:
    """Neither on a table or a view, nor to run a function that acts as the owner."""
    tables = sql.execute(
        "SELECT relname FROM pg_class, aclexplode(relacl) AS acl"
        " WHERE relnamespace = 'public'::regnamespace AND acl.grantee = 0"
    ).fetchall()
    functions = sql.execute(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef"
        " AND EXISTS (SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) AS acl"
        " WHERE acl.grantee = 0)"
    ).fetchall()
    assert (tables, functions) == ([], [])
