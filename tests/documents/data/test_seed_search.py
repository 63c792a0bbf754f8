"""What the seed's search query finds, ours finds; a foreign tenant is refused."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import text, update

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents import access, searching
from leasehold_documents.access import Access, Service
from leasehold_documents.data import audit
from leasehold_documents.data.binding import bind_member
from leasehold_documents.data.tables import documents
from leasehold_documents.errors import Forbidden
from tests.documents.access.kit import Two, add_chunk, add_document
from tests.documents.data import seed

TEXTS = {
    "both": "Der Mietvertrag über die Wohnung in der Hauptstraße 7 beginnt im Mai.",
    "plural": "Alle Mietverträge der Hauptstraße liegen bei.",
    "one": "Der Mietvertrag ist unterschrieben.",
    "other": "Rechnung über drei Stühle.",
}


@pytest.fixture
def filed(papers: Database, tenants: Two) -> dict[str, UUID]:
    """The same papers in both tenants, found by their extractions; returns the first one's."""
    found: dict[str, UUID] = {}
    for tenant_id in (tenants.second, tenants.first):
        for name, words in TEXTS.items():
            with papers.write() as connection:
                found[name] = add_document(connection, tenant_id, name)
                extraction_id = add_chunk(connection, tenant_id, found[name], words)
                current = update(documents).where(documents.c.id == found[name])
                connection.execute(current.values(current_extraction_id=extraction_id))
                searching.index_chunks(connection, tenant_id, extraction_id)
    return found


def ask_the_seeds(papers: Database, user_id: UUID, tenant_id: UUID) -> set[UUID]:
    """Run the seed's own query as a member."""
    with papers.read() as connection:
        bind_member(connection, user_id, None)
        rows = connection.execute(text(seed.SEARCH), {"tenant_id": tenant_id}).all()
    return {row.document_id for row in rows}


def test_what_the_seeds_query_finds_our_search_finds(
    postgres: lh.Client, papers: Database, tenants: Two, filed: dict[str, UUID]
) -> None:
    seeds = ask_the_seeds(papers, tenants.ada, tenants.first)
    ada = Access(postgres, papers, tenants.ada, tenants.first)
    ours = {hit.document_id for hit in searching.search(ada, "mietvertrag hauptstraße")}
    assert filed["both"] in seeds <= ours
    assert filed["other"] not in ours


def test_a_foreign_tenants_id_gives_nothing_to_the_seeds_query_and_is_refused_by_ours(
    postgres: lh.Client, papers: Database, tenants: Two, filed: dict[str, UUID]
) -> None:
    assert ask_the_seeds(papers, tenants.ada, tenants.second) == set()
    with pytest.raises(Forbidden):
        Access(postgres, papers, tenants.ada, tenants.second)
    with Service(postgres, papers).read() as connection:
        (row,) = audit.find(connection)
    assert (row["user_id"], row["tenant_id"]) == (tenants.ada, tenants.second)


def test_the_function_itself_refuses_who_is_no_member(
    postgres: lh.Client, papers: Database, tenants: Two, filed: dict[str, UUID]
) -> None:
    """Also who has come in before, and was removed since."""
    ada = Access(postgres, papers, tenants.ada, tenants.first)
    access.remove_member(papers, tenants.ada, tenants.first, cancel=lambda *_: None)
    with pytest.raises(Forbidden):
        searching.search(ada, "mietvertrag")
    with papers.read() as connection:
        bind_member(connection, tenants.ada, None)
        wanted = text("SELECT * FROM documents_search(:tenant, 'x'::tsquery, 10)")
        with pytest.raises(Exception, match="only members"):
            connection.execute(wanted, {"tenant": tenants.first})
