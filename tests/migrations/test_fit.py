"""Tables and code that do not fit are refused, with a message that says what to do."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.errors import SchemaMismatch
from leasehold.store import open_store
from tests.conformance.kit import enqueue_one
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


def version_table(store: Store) -> str:
    return "leasehold_migration" if store.url.startswith("sqlite:") else "leasehold.migration"


def pretend_a_newer_release(store: Store, tables: Tables, *, serves_from: int) -> None:
    """Write down a migration that a later release of leasehold would have made."""
    version = store.schema().code_version + 1
    row = f"({version}, 'from_the_future', {serves_from}, CURRENT_TIMESTAMP)"
    tables.execute("INSERT INTO " + version_table(store) + " VALUES " + row)  # noqa: S608


def test_tables_and_code_of_one_release_fit(store: Store) -> None:
    store.check_schema()


def test_on_postgresql_no_tables_at_all_names_the_command_to_run(postgres_url: str) -> None:
    with (
        contextlib.closing(open_store(postgres_url)) as store,
        pytest.raises(SchemaMismatch, match="leasehold migrate"),
    ):
        store.check_schema()


def test_on_sqlite_there_is_nothing_to_install(sqlite_url: str) -> None:
    with open_tables(sqlite_url) as application:
        application.execute("CREATE TABLE invoice (n integer)")
    with contextlib.closing(open_store(sqlite_url)) as store:
        store.check_schema()
        enqueue_one(store)


def test_older_tables_name_both_versions_and_the_command_to_run(
    store: Store, tables: Tables
) -> None:
    code_version = store.schema().code_version
    newest = f"version = {code_version}"
    tables.execute("DELETE FROM " + version_table(store) + " WHERE " + newest)  # noqa: S608

    assert len(store.schema().pending) == 1
    with pytest.raises(SchemaMismatch, match="leasehold migrate") as caught:
        store.check_schema()
    assert f"version {store.schema().version}" in str(caught.value)
    assert str(code_version) in str(caught.value)


def test_newer_tables_that_still_serve_this_code_are_accepted(store: Store, tables: Tables) -> None:
    pretend_a_newer_release(store, tables, serves_from=store.schema().code_version)

    store.check_schema()
    assert store.schema().pending == ()
    assert store.migrate() == ()


def test_newer_tables_that_do_not_serve_this_code_say_upgrade(store: Store, tables: Tables) -> None:
    pretend_a_newer_release(store, tables, serves_from=store.schema().code_version + 1)

    with pytest.raises(SchemaMismatch, match="upgrade leasehold"):
        store.check_schema()
