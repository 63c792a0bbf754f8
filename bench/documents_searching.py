"""Documents: how long a person's search takes, beside the chunks of many other tenants."""

from __future__ import annotations

import time
from contextlib import ExitStack
from random import Random
from statistics import median, quantiles
from typing import TYPE_CHECKING

import leasehold as lh
from bench import documents_corpus
from bench.documents_loading import load
from bench.fleet import BenchFailed
from leasehold.kit.data import close_databases, database_of
from leasehold_documents.access import Access, add_member, create_organization, create_user
from leasehold_documents.data.migrating import MIGRATIONS
from leasehold_documents.searching import search

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

_OF_A_TENANT = 10_000  # chunks
_TIMES = 20
# What people type; what is very frequent, too.
_TYPED = {
    "rare": documents_corpus.RARE,
    "compound": "Jahresabrechnung",
    "two": "Gebäudeversicherung Schaden",
    "common": "Vertrag",
    "commons": "Kündigung Wohnung",
    "phrase": '"Rechnung Kündigung"',
    "prefix": "Heizkost*",
    "either": "Erbvertrag oder Pachtvertrag",
    "without": "Mietvertrag -Kündigung",
}


def search_chunks(database: Database, size: Size) -> Figures:
    """Search as one person in each of some tenants, all of equal size."""
    tenants_count = max(1, size.jobs // _OF_A_TENANT)
    with ExitStack() as opened:
        client = opened.enter_context(lh.Client(database.url))
        opened.callback(close_databases)
        MIGRATIONS.migrate(client)
        tables = database_of(client.url)
        tenants = [create_organization(tables, f"Nummer {each}") for each in range(tenants_count)]
        user = create_user(tables, "a@example.com")
        texts = documents_corpus.chunks(Random(7), size.jobs // tenants_count)
        started = time.perf_counter()
        load(database, tenants, texts)
        loading = time.perf_counter() - started
        chosen = tenants[:: max(1, len(tenants) // _TIMES)][:_TIMES]
        for tenant in chosen:
            add_member(tables, user, tenant)
        people = [Access(client, tables, user, tenant) for tenant in chosen]
        took = {kind: _times(people, typed) for kind, typed in _TYPED.items()}
    every = sorted(ms for each in took.values() for ms in each)
    figures = {"chunks": size.jobs, "load_seconds": loading}
    figures |= {"p50_ms": median(every), "p95_ms": quantiles(every, n=20)[-1], "max_ms": every[-1]}
    return figures | {f"{kind}_ms": median(each) for kind, each in took.items()}


def _times(people: list[Access], typed: str) -> list[float]:
    """Search in turn, so that no tenant's pages are the ones that were just read."""
    took = []
    for place in range(_TIMES):
        access = people[place % len(people)]
        started = time.perf_counter()
        hits = search(access, typed)
        took.append(1000 * (time.perf_counter() - started))
        if not hits and typed == documents_corpus.RARE:
            raise BenchFailed("the rare word was not found")
    return took
