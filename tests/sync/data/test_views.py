"""The seed's tables are there under its names, with its columns."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from leasehold.kit.data import Database

JOBS = (
    "id app_key mode resource_types status total_tasks completed_tasks failed_tasks"
    " processed_entities created_at started_at completed_at error_message"
)
TASKS = (
    "id job_id resource_type status entity_count created_at started_at completed_at error_message"
)


@pytest.mark.parametrize(("view", "columns"), [("sync_jobs", JOBS), ("sync_job_tasks", TASKS)])
def test_a_view_has_the_columns_of_the_seed(database: Database, view: str, columns: str) -> None:
    with database.read() as connection:
        found = connection.execute(text(f"SELECT * FROM {view}"))  # noqa: S608 - ours
        assert set(columns.split()) <= set(found.keys())
