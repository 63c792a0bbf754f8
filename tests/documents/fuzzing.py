"""Schemathesis against documents: `python -m tests.documents.fuzzing [URL] [--examples 40]`."""

from __future__ import annotations

import tempfile
from uuid import UUID

import pytest

import leasehold as lh
from leasehold.kit.data import close_databases, database_of
from leasehold_documents import tasks
from leasehold_documents.access import Access, add_member, create_organization, create_user
from leasehold_documents.data import browsing
from leasehold_documents.data.migrating import MIGRATIONS
from leasehold_documents.settings import PREFIX
from tests.documents.web.furnishing import agree_to, hand_in
from tests.documents.web.kit import LEASE, SERVICE_TOKEN
from tests.documents.web.test_flow import UNSURE
from tests.web.fuzzing import Fuzzed, fuzz_service, fuzzing_command

APPLICATION = ("--app", "leasehold_documents.web:application", "--no-worker", "--no-needs-worker")
EMAIL = "fuzzer@example.com"


def prepare(url: str) -> tuple[str, dict[str, list[str]]]:
    """Read two papers, and let a third wait; returns a token, and names what is there."""
    with lh.Client(url) as client:
        client.store.migrate()
        MIGRATIONS.migrate(client)
        database = database_of(url)
        tenant_id, user_id = create_organization(database, "Fuzz"), create_user(database, EMAIL)
        add_member(database, user_id, tenant_id, "admin")
        access = Access(client, database, user_id, tenant_id)
        papers = [hand_in(access, "a.pdf", LEASE), hand_in(access, "b.pdf", UNSURE)]
        jobs = [agree_to(access, each) for each in papers]
        lh.Worker(client, tasks).run(until_empty=True)
        extractions = [_last(access, each) for each in papers]
        papers.append(hand_in(access, "c.txt", b"Noch nicht gelesen."))
        secret = client.tokens.add(EMAIL, scope="admin").secret
    close_databases()
    return secret, {
        "document_id": [str(each) for each in papers],
        "extraction_id": [str(each) for each in extractions],
        "job_id": [str(each) for each in jobs],
    }


def _last(access: Access, document_id: UUID) -> UUID:
    with access.read() as connection:
        (found,) = browsing.extractions_of(connection, access.tenant_id, document_id)
    extraction_id: UUID = found["id"]
    return extraction_id


def fuzz(url: str, *, examples: int) -> Fuzzed:
    """Serve the application and fuzz its API, the documents below a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv(f"{PREFIX}VAULT", folder)
        patch.setenv(f"{PREFIX}SERVICE_TOKEN", SERVICE_TOKEN)
        secret, known = prepare(url)
        return fuzz_service(
            url,
            secret,
            known,
            *APPLICATION,
            examples=examples,
            document="/documents/api/openapi.json",
            # A document that is deleted in between takes all of its own with it.
            leave_out=("ensure_resource_availability",),
        )


if __name__ == "__main__":
    fuzzing_command(fuzz)()
