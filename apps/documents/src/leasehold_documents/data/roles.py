"""Roles and row level security, on PostgreSQL: what the database itself keeps apart.

Two roles that nobody logs in as: `documents_member` is what a person's transaction acts as and sees
the rows of that person's tenants; `documents_worker` works for all. Neither owns a table, and
security is forced, so that owners are bound, too. A new table with a `tenant_id` is read by members
and written by workers, unless `MEMBER_RIGHTS` says otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Table, text
from sqlalchemy.exc import ProgrammingError

from leasehold_documents.data.binding import MEMBER, WORKER
from leasehold_documents.data.policies import policies_of
from leasehold_documents.data.tables import metadata
from leasehold_documents.errors import RolesRefused

if TYPE_CHECKING:
    from sqlalchemy import Connection

ALL = "SELECT, INSERT, UPDATE, DELETE"
MEMBER_RIGHTS: dict[str, str] = {
    "nodes": ALL,
    "connectors": ALL,
    "documents": ALL,
    "extractions": "SELECT, INSERT, UPDATE",  # an estimate and a consent are a member's own
    "document_ledger": "SELECT, INSERT",
    "notifications": "SELECT, UPDATE",
    "document_suggestions": "SELECT, UPDATE",
    "document_lessons": ALL,
    "document_arrivals": "SELECT, INSERT, DELETE",
    "document_audit": "",
    "document_pauses": "",
}
# Roles are the whole server's: another database's migration may make them at the same moment.
_MAKE_ROLE = """
DO $$
BEGIN
  CREATE ROLE {role} NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END
$$
"""
_JOIN = """
DO $$
BEGIN
  IF NOT pg_has_role('{role}', 'MEMBER') THEN
    GRANT {role} TO CURRENT_USER;
  END IF;
END
$$
"""
# Who may end leases does the queue's work; its owner need not.
_LOGINS = text("""
SELECT DISTINCT quote_ident(role.rolname)
FROM pg_class AS lease
CROSS JOIN aclexplode(lease.relacl) AS acl
JOIN pg_roles AS role ON role.oid = acl.grantee
CROSS JOIN unnest(CAST(:roles AS text[])) AS wanted (name)
WHERE lease.oid = 'leasehold.lease'::regclass
  AND acl.privilege_type = 'DELETE'
  AND role.oid <> lease.relowner
  AND NOT pg_has_role(role.oid, wanted.name, 'MEMBER')
""")
_NOT_ALLOWED = "42501"
_HAS_ROLE = text("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :role)")
# The person of this transaction, and their tenants: one, if it names one. They run as the owner,
# who may read memberships: a policy that did so by itself would ask itself.
_FUNCTIONS = """
CREATE OR REPLACE FUNCTION {schema}.documents_user()
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT nullif(current_setting('documents.user', true), '')::uuid
$$;

CREATE OR REPLACE FUNCTION {schema}.documents_tenants(ranks text[])
RETURNS uuid[]
LANGUAGE sql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(array_agg(m.tenant_id), '{{}}')
  FROM {schema}.memberships AS m
  WHERE m.user_id = nullif(current_setting('documents.user', true), '')::uuid
    AND m.role = ANY (ranks)
    AND coalesce(m.tenant_id::text = nullif(current_setting('documents.tenant', true), ''), true)
$$;

CREATE OR REPLACE FUNCTION {schema}.documents_colleagues()
RETURNS uuid[]
LANGUAGE sql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
  SELECT coalesce(array_agg(DISTINCT m.user_id), '{{}}')
  FROM {schema}.memberships AS m
  WHERE m.tenant_id = ANY ({schema}.documents_tenants('{{reader,member,admin}}'))
$$;
"""
_CALLABLE = ("documents_user()", "documents_tenants(text[])", "documents_colleagues()")


def secure(connection: Connection) -> None:
    """Make the roles, their rights and the policies; for tables that stand already."""
    if connection.dialect.name != "postgresql":
        return
    _make_roles(connection)
    _make_functions(connection)
    for table in metadata.sorted_tables:
        _secure_table(connection, table)


def share(connection: Connection) -> None:
    """Let the logins of the queue's workers act as both roles: `leasehold migrate --roles`."""
    for login in connection.scalars(_LOGINS, {"roles": [MEMBER, WORKER]}).all():
        _allow(connection, f"GRANT {MEMBER}, {WORKER} TO {login}")


def _make_roles(connection: Connection) -> None:
    for role in (MEMBER, WORKER):
        if not connection.scalar(_HAS_ROLE, {"role": role}):
            _allow(connection, _MAKE_ROLE.format(role=role))
    for role in (MEMBER, WORKER):
        # Whoever owns the tables is bound by security, too; a superuser is not, and need not be.
        _allow(connection, _JOIN.format(role=role))


def _allow(connection: Connection, statement: str) -> None:
    try:
        _run(connection, statement)
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) != _NOT_ALLOWED:
            raise
        raise RolesRefused((MEMBER, WORKER)) from None


def _make_functions(connection: Connection) -> None:
    schema = schema_of(connection)
    _run(connection, _FUNCTIONS.format(schema=schema))
    _run(connection, f"GRANT USAGE ON SCHEMA {schema} TO {MEMBER}, {WORKER}")
    for function in _CALLABLE:
        _run(connection, f"REVOKE ALL ON FUNCTION {schema}.{function} FROM PUBLIC")
        _run(connection, f"GRANT EXECUTE ON FUNCTION {schema}.{function} TO {MEMBER}, {WORKER}")


def schema_of(connection: Connection) -> str:
    """Name the schema that the tables are in, fit for SQL."""
    return str(connection.scalar(text("SELECT quote_ident(current_schema())")))


def _secure_table(connection: Connection, table: Table) -> None:
    rights = rights_of(table)
    _run(connection, f"ALTER TABLE {table.name} ENABLE ROW LEVEL SECURITY")
    _run(connection, f"ALTER TABLE {table.name} FORCE ROW LEVEL SECURITY")
    _run(connection, f"GRANT {ALL} ON {table.name} TO {WORKER}")
    if rights:
        _run(connection, f"GRANT {rights} ON {table.name} TO {MEMBER}")
    for statement in policies_of(table, rights):
        _run(connection, statement)


def rights_of(table: Table) -> str:
    """Say what a member may do with a table, on rows of their tenants."""
    return MEMBER_RIGHTS.get(table.name, "SELECT")


def _run(connection: Connection, statement: str) -> None:
    connection.exec_driver_sql(statement)
