"""A store says how large it is and what it is made of, without reading jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.conformance.kit import new_jobs

if TYPE_CHECKING:
    from leasehold.store.base import Store


def test_it_names_its_engine_its_size_and_its_tables(store: Store) -> None:
    store.enqueue(new_jobs(20))
    vitals = store.vitals()
    assert vitals.engine in {"PostgreSQL", "SQLite"}
    assert vitals.version[0].isdigit()
    assert vitals.size_bytes > 0
    names = {each.name.removeprefix("leasehold_") for each in vitals.tables}
    assert {"job", "ready", "lease", "outcome"} <= names
