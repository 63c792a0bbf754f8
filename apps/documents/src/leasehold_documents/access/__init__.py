"""Who may see and do what: one person in one tenant, or the service, which works for all.

    access = Access(client, database, user_id, tenant_id)
    with access.read() as connection: …
    with access.write() as session:
        …
        access.on(session).enqueue(task, …)   # in the same transaction, as the tenant's job

On PostgreSQL every such transaction has the role `documents_member` (or `documents_worker`), which
row level security binds; on SQLite the data functions' `tenant_id` is the fence.
"""

from leasehold_documents.access.enqueuing import BoundEnqueuer
from leasehold_documents.access.members import (
    add_member,
    create_organization,
    create_user,
    memberships_of,
    organization_named,
    remove_member,
    user_named,
)
from leasehold_documents.access.person import Access
from leasehold_documents.access.service import Service
from leasehold_documents.data.people import Membership

__all__ = [
    "Access",
    "BoundEnqueuer",
    "Membership",
    "Service",
    "add_member",
    "create_organization",
    "create_user",
    "memberships_of",
    "organization_named",
    "remove_member",
    "user_named",
]
