"""The views show every state of the queue under the seed's words."""

from __future__ import annotations

import leasehold as lh
from leasehold.kit.data import Database
from tests.links.jobs.kit import begin_import, rows, run_imports

FILE = b'<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://example.com/">a</A></DL>'
_ENRICHMENT = "SELECT status, last_error FROM enrichment_jobs"


def test_a_cancelled_enrichment_is_dead_and_says_so(client: lh.Client, database: Database) -> None:
    begin_import(client, database, FILE)
    run_imports(client)
    assert rows(database, _ENRICHMENT) == [("queued", None)]
    (job,) = client.find(kind="links.enrich")
    client.cancel(job.id, by="ana")
    assert rows(database, _ENRICHMENT) == [("dead", "cancelled")]


def test_a_cancelled_import_is_canceled_with_one_l(client: lh.Client, database: Database) -> None:
    client.cancel(begin_import(client, database, FILE))
    assert rows(database, "SELECT status FROM import_jobs") == [("canceled",)]
