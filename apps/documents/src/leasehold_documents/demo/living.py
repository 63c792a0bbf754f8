"""The demo while it lives: two organizations, their papers, and an invoice now and then."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

import leasehold as lh
from leasehold.kit.data import database_of
from leasehold_documents import access as people
from leasehold_documents import billing, importing, papers
from leasehold_documents.access import Access
from leasehold_documents.demo.drives import FOLDER, Drives
from leasehold_documents.demo.papers import BAKERY, HOUSES, PAPERS, Paper, invoice, invoice_number
from leasehold_documents.errors import NotFound
from leasehold_documents.settings import settings
from leasehold_documents.vault import vault_of
from leasehold_documents.web.people import DEMO_EMAIL

logger = logging.getLogger(__name__)
_LIFE_SECONDS = 15.0
_MOST_INVOICES = 20  # then the oldest goes
_MOST_PAPERS = 200
_MOST_NUMBERS = 9_999


class Demo:
    """What happens from `start` to `close`; papers stay in the vault and the tables."""

    def __init__(self, client: lh.Client, *, life_seconds: float = _LIFE_SECONDS) -> None:
        self._client = client
        self._database = database_of(client.url)
        self._life_seconds = life_seconds
        self._ending = threading.Event()
        self.drives = Drives()
        self._life = threading.Thread(target=self._live, name="documents-demo")

    def open(self) -> None:
        """Take the drives' ports, and let them be found, before anybody asks for them."""
        self.drives.open()

    def start(self) -> None:
        """Make who is not there yet; their papers come by and by."""
        self.drives.start()
        self.settle_in()
        self._life.start()

    def close(self) -> None:
        """Safe twice."""
        self._ending.set()
        if self._life.is_alive():
            self._life.join()
        self.drives.close()

    def settle_in(self) -> None:
        """Make the organizations and their person, unless they are there."""
        for name in (HOUSES, BAKERY):
            people.add_member(self._database, self._user(), self._tenant(name), "admin")

    def take(self, paper: Paper) -> None:
        """Take a paper in, ask what it costs, and agree, as far as it is to go."""
        access, vault = self.access(paper.tenant), vault_of(settings())
        row = papers.add(access, vault, paper.name, BytesIO(paper.make()))
        if paper.engine is None:
            return
        estimate = billing.estimate(access, vault, row["id"], paper.engine)
        if paper.is_agreed:
            billing.confirm(access, estimate.extraction_id)

    def take_first(self) -> None:
        """Take in the papers that are not there."""
        known = {row["name"] for tenant in (HOUSES, BAKERY) for row in self.rows(tenant)}
        for paper in PAPERS:
            if paper.name not in known and not self._ending.is_set():
                with self._tolerating("take a paper"):
                    self.take(paper)

    def import_first(self) -> None:
        """Connect a drive, and import a folder of it, unless that was done."""
        with self._tolerating("connect a drive"):
            access = self.access(BAKERY)
            connector = self.drives.connect(access)
            is_there = any(row["connector_id"] is not None for row in self.rows(BAKERY))
            if connector is not None and not is_there:
                importing.start(access, connector["id"], FOLDER)

    def take_invoice(self) -> None:
        """Take in the next invoice; after a while the oldest goes."""
        with self._tolerating("take an invoice"):
            numbered = [(invoice_number(row["name"]), row["id"]) for row in self.rows(BAKERY)]
            mine = [(number, row_id) for number, row_id in numbered if number is not None]
            newest = mine[0][0] if mine else 0
            self.take(invoice(newest % _MOST_NUMBERS + 1))
            for _, row_id in mine[_MOST_INVOICES - 1 :]:
                papers.delete(self.access(BAKERY), row_id)

    @contextmanager
    def _tolerating(self, what: str) -> Iterator[None]:
        """What can't be, or a database that is away, ends no demo."""
        try:
            yield
        except (lh.LeaseholdError, SQLAlchemyError) as error:
            logger.warning("demo failed", extra={"what": what, "reason": type(error).__name__})

    def _live(self) -> None:
        self.take_first()
        self.import_first()
        while not self._ending.wait(self._life_seconds):
            self.take_invoice()

    def rows(self, tenant: str) -> list[dict[str, Any]]:
        """List the newest papers of an organization."""
        return list(papers.page(self.access(tenant), limit=_MOST_PAPERS).rows)

    def access(self, tenant: str) -> Access:
        """Be the demo's person in an organization."""
        return Access(self._client, self._database, self._user(), self._tenant(tenant))

    def _tenant(self, name: str) -> UUID:
        try:
            return people.organization_named(self._database, name)
        except NotFound:
            return people.create_organization(self._database, name)

    def _user(self) -> UUID:
        try:
            return people.user_named(self._database, DEMO_EMAIL)
        except NotFound:
            return people.create_user(self._database, DEMO_EMAIL, name="Demo")
