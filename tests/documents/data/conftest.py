"""Tests of what only PostgreSQL can do: its own fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

import leasehold as lh
from leasehold.kit.data import Database, database_of
from tests.app_tables import AppTables
from tests.documents.access.kit import Two, make_two
from tests.recycling import Shelf


@pytest.fixture
def postgres(app_postgres_url: str, shelf: Shelf, app_tables: AppTables) -> Iterator[lh.Client]:
    """A client of the queue on PostgreSQL."""
    with lh.Client(app_tables.empty(app_postgres_url, shelf)) as client:
        yield client


@pytest.fixture
def papers(postgres: lh.Client) -> Database:
    return database_of(postgres.url)


@pytest.fixture
def tenants(papers: Database) -> Two:
    return make_two(papers)


@pytest.fixture
def sql(postgres: lh.Client) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A connection as a superuser, who may become any role."""
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        yield connection
