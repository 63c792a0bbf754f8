"""An office: a tenant with one person, a vault, and a queue whose jobs are run on the spot."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Table, select, update

import leasehold as lh
from leasehold import testing
from leasehold.kit.data import Database
from leasehold_documents import billing, papers, tasks
from leasehold_documents.access import Access, add_member, create_organization, create_user
from leasehold_documents.data.tables import ledger
from leasehold_documents.settings import Settings, settings
from leasehold_documents.vault import Vault, vault_of
from tests.documents.extracting.papers import pdf

FAST, HIRES = "unstructured_fast", "unstructured_hires"
LEASE = "Mietvertrag über eine Wohnung in der Hauptstraße. Die Miete beträgt 850 Euro."
COMMON = [tasks.extract_document, tasks.extract_pages, tasks.extraction_ended]
ALL = [each for each in vars(tasks).values() if isinstance(each, lh.Task)]


@cache
def pdf_of(*pages: str, password: str | None = None) -> bytes:
    """Make a PDF with a line of text on each page; an empty line is a page without text."""
    with TemporaryDirectory() as folder:
        return pdf(Path(folder) / "made.pdf", pages, password=password).read_bytes()


@dataclass
class Office:
    """One person in one tenant, with all that is needed to get a paper extracted."""

    client: lh.Client
    database: Database
    vault: Vault
    access: Access
    others: dict[str, Access] = field(default_factory=dict)

    @property
    def tenant_id(self) -> UUID:
        return self.access.tenant_id

    def add(self, name: str = "Mietvertrag.pdf", data: bytes | None = None) -> dict[str, Any]:
        content = pdf_of(LEASE) if data is None else data
        return papers.add(self.access, self.vault, name, io.BytesIO(content))

    def estimate(
        self, document: dict[str, Any], engine: str = FAST, password: str | None = None
    ) -> billing.Estimate:
        return billing.estimate(self.access, self.vault, document["id"], engine, password=password)

    def agree(
        self, document: dict[str, Any], engine: str = FAST, *, password: str | None = None
    ) -> UUID:
        """Agree to what it costs; returns the job."""
        found = self.estimate(document, engine, password)
        return billing.confirm(self.access, found.extraction_id, password=password)

    def work(self, *, raises: bool = False) -> None:
        """Run all jobs that are due."""
        testing.drain(self.client, ALL, raises=raises)

    def extraction(self, job_id: UUID) -> dict[str, Any]:
        return self.rows("extractions", job_id=job_id)[0]

    def rows(self, table: str, **where: Any) -> list[dict[str, Any]]:
        """Read rows of a table as they are, whosever they are."""
        found: Table = ledger.metadata.tables[table]
        wanted = select(found)
        for name, value in where.items():
            wanted = wanted.where(found.c[name] == value)
        with self.database.read() as connection:
            return [dict(row) for row in connection.execute(wanted).mappings()]

    def money(self) -> dict[str, int]:
        """Add up what the ledger says of each kind."""
        sums = {"reserve": 0, "book": 0, "refund": 0}
        for row in self.rows("document_ledger"):
            sums[row["entry"]] += row["cents"]
        return sums


@contextmanager
def open_office(
    client: lh.Client, database: Database, folder: Path, **said: Any
) -> Iterator[Office]:
    """Found an office whose files are in the folder."""
    with settings.lending(Settings(vault=str(folder / "vault"), **said)) as lent:
        tenant_id = create_organization(database, "Muster Hausverwaltung")
        user_id = create_user(database, f"ada-{tenant_id}@example.com", name="Ada")
        add_member(database, user_id, tenant_id)
        access = Access(client, database, user_id, tenant_id)
        yield Office(client, database, vault_of(lent), access)


@contextmanager
def changed(**said: Any) -> Iterator[None]:
    """Let some settings differ for a while."""
    with settings.lending(msgspec.structs.replace(settings(), **said)):
        yield


def own_price(office: Office, cents: int) -> None:
    """Let a page cost the office so much."""
    organizations = ledger.metadata.tables["organizations"]
    with office.database.write() as connection:
        connection.execute(update(organizations).values(fast_cents=cents))


def colleague(office: Office, role: str = "member") -> Access:
    """Let another person into the office."""
    user_id = create_user(office.database, f"{role}-{office.tenant_id}@example.com")
    add_member(office.database, user_id, office.tenant_id, role)
    return Access(office.client, office.database, user_id, office.tenant_id)


def another_tenant(office: Office) -> Access:
    """Found another office, with a person who is in no other one."""
    tenant_id = create_organization(office.database, "Fremde AG")
    user_id = create_user(office.database, f"bob-{tenant_id}@example.com", language="en")
    add_member(office.database, user_id, tenant_id)
    return Access(office.client, office.database, user_id, tenant_id)
