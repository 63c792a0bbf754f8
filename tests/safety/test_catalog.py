"""The catalog itself says that tenants are kept apart: no table, key or function is forgotten."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from leasehold.store import open_store
from leasehold.store.postgres import rights
from leasehold.store.postgres.roles import read_relations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.safety.roles import Access

# Unique keys whose value a tenant can't choose, or that are of a job's own rows: an id is unique
# among all tenants, and another one's id is `IdConflict`, revealing nothing.
_JOB_IDS = {"id", "job_id", "needs"}
# Only operators write these, under names that no tenant can choose: a share's weight, a pause.
_OPERATORS = {"share", "queue", "retention", "quota"}
_KEYS = """
SELECT class.relname, array_agg(attribute.attname::text ORDER BY attribute.attname)
FROM pg_index
JOIN pg_class AS class ON class.oid = indrelid
JOIN pg_attribute AS attribute ON attribute.attrelid = class.oid AND attribute.attnum = ANY (indkey)
WHERE class.relnamespace = 'leasehold'::regnamespace
  AND indisunique
GROUP BY class.relname, indexrelid
ORDER BY class.relname
"""
_POLICIES = """
SELECT tablename, policyname, qual, with_check, roles::text[], cmd, permissive
FROM pg_policies
WHERE schemaname = 'leasehold'
"""


@pytest.fixture
def admin(access: Access) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(access.admin, autocommit=True) as connection:
        yield connection


def forgotten(connection: psycopg.Connection[Any], access: Access) -> list[str]:
    """Name what would let a tenant see another one's rows, or that nobody has thought of."""
    relations = read_relations(connection)
    policies = {(row[0], row[1]): row[2:] for row in connection.execute(_POLICIES)}
    found = [each.name for each in relations if each.is_unbound]
    for each in relations:
        if each.is_view or each.name in rights.OPEN:
            continue
        _, _, worker, app = access.roles
        whole = policies.get((each.name, "leasehold_all"))
        if whole is None or worker not in whole[2] or app in whole[2]:
            found.append(f"{each.name}: no policy for workers")
        own = policies.get((each.name, "leasehold_app"))
        if each.has_tenant and (own is None or own[0] != own[1] or own[2] != [app]):
            found.append(f"{each.name}: no policy for tenants")
    known = {*rights.APP, *rights.NOT_FOR_TENANTS, *rights.VIEWS}
    return found + [f"{each.name}: no rights" for each in relations if each.name not in known]


def test_every_table_with_tenants_rows_has_forced_policies_with_both_clauses(
    access: Access, admin: psycopg.Connection[Any]
) -> None:
    assert forgotten(admin, access) == []
    assert any(each.has_tenant for each in read_relations(admin))


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TABLE leasehold.invoice (id uuid, tenant text NOT NULL)",
        "CREATE TABLE leasehold.invoice (id uuid)",
        "CREATE VIEW leasehold.invoice AS SELECT id, tenant FROM leasehold.job",
        "ALTER TABLE leasehold.key NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE leasehold.job DISABLE ROW LEVEL SECURITY",
        "DROP POLICY leasehold_app ON leasehold.batch",
        "ALTER POLICY leasehold_app ON leasehold.batch USING (true)",
        "ALTER POLICY leasehold_app ON leasehold.step WITH CHECK (true)",
        "ALTER VIEW leasehold.jobs SET (security_invoker = false)",
    ],
)
def test_a_table_that_was_forgotten_is_found(
    access: Access, admin: psycopg.Connection[Any], made: str
) -> None:
    with admin.transaction(force_rollback=True):
        admin.execute(made.encode())
        assert forgotten(admin, access) != []
    assert forgotten(admin, access) == []


def test_every_unique_key_that_a_tenant_can_choose_includes_the_tenant(
    admin: psycopg.Connection[Any],
) -> None:
    tenants = {each.name for each in read_relations(admin) if each.has_tenant}
    keys = [row for row in admin.execute(_KEYS) if row[0] in tenants]
    assert {table for table, _ in keys} >= {"job", "key", "throttle", "bucket", "schedule"}
    for table, columns in keys:
        is_chosen = table not in _OPERATORS
        assert not is_chosen or "tenant" in columns or _JOB_IDS & set(columns), f"{table} {columns}"
    assert _OPERATORS <= rights.NOT_FOR_TENANTS


def test_no_role_is_more_than_it_should_be(access: Access, admin: psycopg.Connection[Any]) -> None:
    found = admin.execute(
        "SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin, "
        "pg_has_role(rolname, %s, 'MEMBER') FROM pg_roles WHERE rolname = ANY (%s)",
        (access.roles.owner, list(access.roles)),
    ).fetchall()
    assert len(found) == 4
    assert not any(any(row[1:5]) for row in found)
    assert {row[0] for row in found if not row[5]} == {access.roles.owner}
    assert {row[0] for row in found if row[6]} == {access.roles.owner, access.roles.migrator}


def test_the_app_has_no_right_that_the_matrix_does_not_give(
    access: Access, admin: psycopg.Connection[Any]
) -> None:
    for each in read_relations(admin):
        given = admin.execute(
            "SELECT array_agg(kind) FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', "
            "'TRUNCATE', 'REFERENCES', 'TRIGGER']) AS kind WHERE has_table_privilege(%s, %s, kind)",
            (access.roles.app, f"leasehold.{each.name}"),
        ).fetchone()
        assert given is not None
        matrix = "SELECT" if each.name in rights.VIEWS else rights.APP.get(each.name, "")
        whole = set(re.findall(r"[A-Z]+(?! \()", re.sub(r"[A-Z]+ \([^)]*\)", "", matrix)))
        assert set(given[0] or ()) == whole, each.name


def test_functions_run_with_the_rights_of_who_calls_them(
    access: Access, admin: psycopg.Connection[Any]
) -> None:
    found = admin.execute(
        "SELECT proname, prosecdef, proconfig, has_function_privilege(%s, oid, 'EXECUTE') "
        "FROM pg_proc WHERE pronamespace = 'leasehold'::regnamespace",
        (access.roles.app,),
    ).fetchall()
    definers = {name: config for name, is_definer, config, _ in found if is_definer}
    triggers = {"keep_apart", "keep_rows_apart"}  # which nobody can call
    assert definers.keys() == {*triggers, "admit", "lock_quota"}
    assert {config[0] for config in definers.values()} == {"search_path=pg_catalog, pg_temp"}
    assert {name for name, _, _, may in found if not may} == rights.WORKER_FUNCTIONS


def test_a_later_table_is_the_workers_at_once_and_tenants_have_nothing_of_it(
    access: Access, admin: psycopg.Connection[Any]
) -> None:
    with admin.transaction(force_rollback=True):
        admin.execute(f"SET LOCAL ROLE {access.roles.owner}".encode())
        admin.execute("CREATE TABLE leasehold.invoice (id uuid, tenant text NOT NULL)")
        may = admin.execute(
            "SELECT has_table_privilege(%s, 'leasehold.invoice', 'INSERT'), "
            "has_table_privilege(%s, 'leasehold.invoice', 'SELECT')",
            (access.roles.worker, access.roles.app),
        ).fetchone()
    assert may == (True, False)


def test_doctor_tells_of_a_forgotten_table(access: Access, admin: psycopg.Connection[Any]) -> None:
    admin.execute("CREATE TABLE leasehold.invoice (id uuid, tenant text NOT NULL)")
    store = open_store(access.worker)
    try:
        said = [each for each in store.examine() if each.topic == "tenants"]
    finally:
        store.close()
        admin.execute("DROP TABLE leasehold.invoice")
    assert [(each.level, "invoice" in each.message) for each in said] == [("problem", True)]
