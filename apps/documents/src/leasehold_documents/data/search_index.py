"""Where words are looked up: a GIN index of PostgreSQL, FTS5 of SQLite, with the same marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold_documents.data.roles import schema_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

# Not compressed: what is read of a row is read at once. What is still to be sorted into the index
# is read by each search, so there is little of it; with none, writing took longer.
_POSTGRES = """
CREATE EXTENSION IF NOT EXISTS btree_gin;

ALTER TABLE document_terms
  ADD COLUMN stems text NOT NULL,
  ADD COLUMN tsv tsvector NOT NULL,
  ALTER COLUMN stems SET STORAGE EXTERNAL,
  ALTER COLUMN tsv SET STORAGE EXTERNAL;

CREATE INDEX document_terms_words
  ON document_terms USING gin (tenant_id, tsv)
  WITH (fastupdate = on, gin_pending_list_limit = 1024);

-- A person's newest hits, in any order: as the owner, since under row level security the match
-- would not be looked up in the index. So who asks, and for which tenant, is checked here.
CREATE FUNCTION {schema}.documents_search(wanted_tenant uuid, wanted tsquery, most integer)
RETURNS TABLE (number bigint, is_title boolean, stems text)
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, {schema}, pg_temp
SET enable_seqscan = off
SET jit = off
AS $$
BEGIN
  IF NOT wanted_tenant = ANY (documents_tenants('{{reader,member,admin}}')) THEN
    RAISE insufficient_privilege
      USING MESSAGE = 'only members of an organization may search in it';
  END IF;
  RETURN QUERY
    WITH hits AS MATERIALIZED (
      SELECT t.number
      FROM {schema}.document_terms AS t
      WHERE t.tenant_id = wanted_tenant
        AND t.tsv @@ wanted
    ), newest AS MATERIALIZED (
      SELECT h.number
      FROM hits AS h
      ORDER BY h.number DESC
      LIMIT most
    )
    SELECT t.number, t.is_title, t.stems
    FROM newest AS n
    JOIN {schema}.document_terms AS t ON t.number = n.number;
END
$$;

REVOKE ALL ON FUNCTION {schema}.documents_search(uuid, tsquery, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {schema}.documents_search(uuid, tsquery, integer)
  TO documents_member, documents_worker;
"""
# Its tokenizer takes all but ASCII's signs for letters, and we give it none of those.
_SQLITE = (
    "CREATE VIRTUAL TABLE document_words USING fts5(stems, marks, tokenize = 'ascii')",
    """
    CREATE TRIGGER document_terms_gone
    AFTER DELETE ON document_terms
    BEGIN
      DELETE FROM document_words WHERE rowid = old.number;
    END
    """,
)


def make_search_index(connection: Connection) -> None:
    """Make it; for tables and roles that stand already."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(_POSTGRES.format(schema=schema_of(connection)))
        return
    for statement in _SQLITE:
        connection.exec_driver_sql(statement)
