"""What the seed says in SQL, word for word: sections A, D, F, G and H."""

from __future__ import annotations

from typing import Final

# A: the table whose shape the view `jobs` has.
JOBS: Final = """
CREATE TABLE jobs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  tenant_id uuid NOT NULL REFERENCES organizations(id),
  type text NOT NULL,
  payload jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'queued',
  priority int NOT NULL DEFAULT 0,
  attempts int NOT NULL DEFAULT 0,
  max_attempts int NOT NULL DEFAULT 4,
  run_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz,
  result jsonb,
  error_message text,
  created_by uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
"""
# F
CHUNKS: Final = """
CREATE TABLE document_chunks (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  tenant_id uuid NOT NULL REFERENCES organizations(id),
  document_id uuid NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  extraction_id uuid REFERENCES extractions(id),
  chunk_index int NOT NULL,
  page_number int,
  element_type text, -- 'Title', 'NarrativeText', 'Table', 'ListItem', etc.
  text text NOT NULL,
  metadata jsonb DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);
"""
# G
EXTRACTIONS: Final = """
CREATE TABLE extractions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  tenant_id uuid NOT NULL REFERENCES organizations(id),
  document_id uuid NOT NULL REFERENCES documents(id),
  engine text NOT NULL, -- 'unstructured_fast' | 'unstructured_hires'
  status text NOT NULL DEFAULT 'queued',
  consent_given_at timestamptz,
  consent_given_by uuid,
  estimated_pages int,
  estimated_cost_cents int,
  actual_pages int,
  actual_cost_cents int,
  result_json jsonb,
  error_message text,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
"""
TABLES: Final = {"extractions": EXTRACTIONS, "document_chunks": CHUNKS, "jobs": JOBS}

# D, without FOR UPDATE SKIP LOCKED: `claim_next_job` claims.
POLLING: Final = """
SELECT * FROM jobs
WHERE status = 'queued'
  AND run_at <= now()
ORDER BY priority DESC, created_at ASC
LIMIT 1;
"""
# F, its parameter as SQLAlchemy writes it.
SEARCH: Final = """
SELECT
  dc.document_id,
  d.name,
  dc.text,
  ts_rank(to_tsvector('german', dc.text), query) as rank
FROM document_chunks dc
JOIN documents d ON d.id = dc.document_id
CROSS JOIN plainto_tsquery('german', 'mietvertrag hauptstraße') query
WHERE to_tsvector('german', dc.text) @@ query
  AND dc.tenant_id = :tenant_id
ORDER BY rank DESC
LIMIT 20;
"""
# H
IN_QUEUE: Final = "SELECT COUNT(*) FROM jobs WHERE status = 'queued'"
FAILED: Final = (
    "SELECT COUNT(*) FROM jobs WHERE status = 'dead' AND created_at > now() - interval '24h'"
)
AVERAGE: Final = "SELECT AVG(finished_at - started_at) FROM jobs WHERE status = 'done'"
