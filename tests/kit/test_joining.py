"""SQLAlchemy on a connection that a job's transaction lends."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import insert, select

import leasehold as lh
from leasehold import testing
from leasehold.kit.data import Database
from tests.kit.tables import deliver, migrations, parcel


@pytest.fixture(autouse=True)
def _tables(client: lh.Client) -> None:
    migrations().migrate(client)


def names(database: Database) -> list[str]:
    with database.read() as connection:
        return sorted(connection.scalars(select(parcel.c.name)))


def pack(database: Database, raw: Any, name: str) -> None:
    connection = database.joined(raw)
    row = {"id": uuid4(), "name": name, "tags": ["groß"], "seal": b"\x00"}
    connection.execute(insert(parcel), row)
    assert connection.execute(select(parcel)).mappings().one()["tags"] == ["groß"]


def test_what_is_written_there_stands_with_the_jobs_end_and_jobs_made_there(
    client: lh.Client, database: Database
) -> None:
    @lh.task(name="parcels.pack")
    def pack_one() -> None:
        job = lh.current_job()
        with job.transaction() as raw:
            pack(database, raw, "vase")
            job.client.on(raw).enqueue(deliver, "vase")

    job_id = client.enqueue(pack_one).id
    testing.drain(client, [pack_one], raises=True)
    assert client.get(job_id).state == "succeeded"
    assert names(database) == ["vase"]
    assert [job.state for job in client.find(kind="parcels.deliver")] == ["queued"]


def test_nothing_of_it_stands_when_the_transaction_fails(
    client: lh.Client, database: Database
) -> None:
    @lh.task(name="parcels.drop", max_attempts=1)
    def drop_one() -> None:
        with lh.current_job().transaction() as raw:
            pack(database, raw, "vase")
            raise RuntimeError("it fell")

    job_id = client.enqueue(drop_one).id
    with suppress(RuntimeError):
        testing.drain(client, [drop_one])
    assert client.get(job_id).state == "dead"
    assert names(database) == []
