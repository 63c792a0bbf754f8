"""Very many chunks of many tenants, written straight into the tables: the same texts for each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID, uuid4

import psycopg

from bench.database import SQLITE
from leasehold_documents.searching.marking import STEM, Marked, mark, prefix_of
from leasehold_documents.searching.postgres import vector_of

if TYPE_CHECKING:
    from bench.database import Database

NOW = "2026-01-01T00:00:00.000000+00:00"
_IN_A_DOCUMENT = 20
_DOCUMENT = (
    *("id", "tenant_id", "name", "file_path", "media_type", "size_bytes", "sha256"),
    *("current_extraction_id", "created_at", "updated_at"),
)
_EXTRACTION = ("id", "tenant_id", "document_id", "engine", "status", "created_at", "updated_at")
_CHUNK = ("id", "tenant_id", "document_id", "extraction_id", "chunk_index", "text", "created_at")
_TERMS = ("tenant_id", "document_id", "chunk_id", "is_title")


_PREFIX = "~"  # of no tenant
_STAGING = "CREATE TEMP TABLE staged (place int, text text, stems text, vector text)"
# One tenant's documents, extractions, chunks and words.
_SPREAD = """
WITH paper AS MATERIALIZED (
  SELECT place / %(each)s AS number, gen_random_uuid() AS id, gen_random_uuid() AS extraction_id
  FROM staged
  WHERE place %% %(each)s = 0
), chunk AS MATERIALIZED (
  SELECT s.place, s.text, s.stems, s.vector, p.id AS document_id, p.extraction_id,
    gen_random_uuid() AS id
  FROM staged AS s
  JOIN paper AS p ON p.number = s.place / %(each)s
), documented AS (
  INSERT INTO documents (id, tenant_id, name, file_path, media_type, size_bytes, sha256,
    current_extraction_id, created_at, updated_at)
  SELECT id, %(tenant)s, 'a.txt', 'x', 'text/plain', 1, '0', extraction_id, now(), now()
  FROM paper
), extracted AS (
  INSERT INTO extractions (id, tenant_id, document_id, engine, status, created_at, updated_at)
  SELECT extraction_id, %(tenant)s, id, 'unstructured_fast', 'done', now(), now()
  FROM paper
), chunked AS (
  INSERT INTO document_chunks (id, tenant_id, document_id, extraction_id, chunk_index, text,
    created_at)
  SELECT id, %(tenant)s, document_id, extraction_id, place %% %(each)s, text, now()
  FROM chunk
)
INSERT INTO document_terms (tenant_id, document_id, chunk_id, is_title, stems, tsv)
SELECT %(tenant)s, document_id, id, false, stems, replace(vector, '~', %(prefix)s)::tsvector
FROM chunk
ORDER BY place
"""


class Paper(NamedTuple):
    """A document, its extraction and its chunks."""

    document_id: str
    extraction_id: str
    chunks: list[tuple[str, str, Marked]]


def load(database: Database, tenants: Sequence[UUID], texts: Sequence[str]) -> None:
    """Write these texts for each tenant; the index is made afterwards where that is quicker."""
    marked = [mark(text) for text in texts]
    write = _load_sqlite if database.name == SQLITE else _load_postgres
    write(database, tenants, texts, marked)


def _papers(texts: Sequence[str], marked: Sequence[Marked]) -> Iterator[Paper]:
    for start in range(0, len(texts), _IN_A_DOCUMENT):
        end = start + _IN_A_DOCUMENT
        pairs = zip(texts[start:end], marked[start:end], strict=True)
        chunks = [(str(uuid4()), text, each) for text, each in pairs]
        yield Paper(str(uuid4()), str(uuid4()), chunks)


def _document(tenant: str, paper: Paper) -> tuple[Any, ...]:
    content = ("x", "text/plain", 1, "0" * 64)
    return (paper.document_id, tenant, "a.txt", *content, paper.extraction_id, NOW, NOW)


def _extraction(tenant: str, paper: Paper) -> tuple[Any, ...]:
    return (paper.extraction_id, tenant, paper.document_id, "unstructured_fast", "done", NOW, NOW)


def _chunks(tenant: str, paper: Paper) -> Iterator[tuple[Any, ...]]:
    for index, (chunk_id, text, _) in enumerate(paper.chunks):
        yield (chunk_id, tenant, paper.document_id, paper.extraction_id, index, text, NOW)


def _load_postgres(
    database: Database, tenants: Sequence[UUID], texts: Sequence[str], marked: Sequence[Marked]
) -> None:
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(_STAGING)
        rows = (
            (place, text, f" {' '.join(each.stems)} ", vector_of(each, _PREFIX))
            for place, (text, each) in enumerate(zip(texts, marked, strict=True))
        )
        _copy(connection, "staged", ("place", "text", "stems", "vector"), rows)
        asked = "SELECT pg_get_indexdef('document_terms_words'::regclass)"
        (index,) = connection.execute(asked).fetchone() or ("",)
        connection.execute("DROP INDEX document_terms_words")
        connection.execute("SET session_replication_role = replica")  # keys are right
        for tenant in tenants:
            said = {"tenant": tenant, "prefix": prefix_of(tenant), "each": _IN_A_DOCUMENT}
            connection.execute(_SPREAD, said)
        connection.execute("SET maintenance_work_mem = '1GB'")
        connection.execute(index)
        connection.execute("VACUUM ANALYZE document_terms, document_chunks, documents")


def _copy(
    connection: psycopg.Connection[Any],
    table: str,
    names: tuple[str, ...],
    rows: Iterator[tuple[Any, ...]],
) -> None:
    statement = f"COPY {table} ({', '.join(names)}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def _load_sqlite(
    database: Database, tenants: Sequence[UUID], texts: Sequence[str], marked: Sequence[Marked]
) -> None:
    with closing(sqlite3.connect(database.url.removeprefix("sqlite:///"))) as connection:
        connection.executescript("PRAGMA cache_size = -500000; PRAGMA synchronous = OFF")
        number = 0
        for tenant in tenants:
            with connection:
                number = _insert_tenant(connection, tenant, [*_papers(texts, marked)], number)
        connection.executescript("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)")


def _insert_tenant(
    connection: sqlite3.Connection, tenant: UUID, papers: Sequence[Paper], number: int
) -> int:
    whose, prefix = str(tenant), prefix_of(tenant)
    _insert(connection, "documents", _DOCUMENT, (_document(whose, each) for each in papers))
    _insert(connection, "extractions", _EXTRACTION, (_extraction(whose, each) for each in papers))
    rows = (row for each in papers for row in _chunks(whose, each))
    _insert(connection, "document_chunks", _CHUNK, rows)
    flat = [(each.document_id, *chunk) for each in papers for chunk in each.chunks]
    numbered = list(enumerate(flat, start=number + 1))
    terms = ((place, whose, row[0], row[1], 0) for place, row in numbered)
    _insert(connection, "document_terms", ("number", *_TERMS), terms)
    words = (
        (
            place,
            f" {' '.join(f'{prefix}{STEM}{stem}' for stem in row[3].stems)} ",
            " ".join(prefix + each for each in row[3].marks),
        )
        for place, row in numbered
    )
    _insert(connection, "document_words", ("rowid", "stems", "marks"), words)
    return number + len(flat)


def _insert(
    connection: sqlite3.Connection,
    table: str,
    names: tuple[str, ...],
    rows: Iterator[tuple[Any, ...]],
) -> None:
    places = ", ".join("?" * len(names))
    statement = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})"  # noqa: S608 - ours
    connection.executemany(statement, rows)
