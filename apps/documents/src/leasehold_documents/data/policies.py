"""The policies of each table: whose rows a member sees, and may write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from leasehold_documents.data.binding import MEMBER, WORKER

if TYPE_CHECKING:
    from sqlalchemy import Table

# In a sub-select, so that it is asked once for a statement and not once for a row.
_TENANTS = "ANY ((SELECT documents_tenants('{{{ranks}}}'))::uuid[])"
READABLE = _TENANTS.format(ranks="reader,member,admin")
WRITABLE = _TENANTS.format(ranks="member,admin")
_OWN = "user_id = (SELECT documents_user())"
# What is not simply the tenant's.
_SEEN = {
    "organizations": f"id = {READABLE}",
    "users": "id = ANY ((SELECT documents_colleagues())::uuid[])",
    "notifications": f"tenant_id = {READABLE} AND {_OWN}",
}
_WRITTEN = {"notifications": f"tenant_id = {READABLE} AND {_OWN}"}  # readers read them, too


def policies_of(table: Table, rights: str) -> Iterator[str]:
    """Write the statements that make a table's policies."""
    yield (
        f"CREATE POLICY documents_worker_all ON {table.name} TO {WORKER}"
        " USING (true) WITH CHECK (true)"
    )
    seen = _SEEN.get(table.name, f"tenant_id = {READABLE}")
    written = _WRITTEN.get(table.name, f"tenant_id = {WRITABLE}")
    for right in filter(None, rights.split(", ")):
        yield (
            f"CREATE POLICY documents_member_{right.lower()} ON {table.name} FOR {right}"
            f" TO {MEMBER} {_clauses(right, seen, written)}"
        )


def _clauses(right: str, seen: str, written: str) -> str:
    match right:
        case "SELECT":
            return f"USING ({seen})"
        case "INSERT":
            return f"WITH CHECK ({written})"
        case "UPDATE":
            return f"USING ({written}) WITH CHECK ({written})"
        case _:
            return f"USING ({written})"
