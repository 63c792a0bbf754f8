"""An application's tables beside the queue's: the same in both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Integer, bindparam, func, insert, select, text, update

import leasehold as lh
from leasehold.kit.data import (
    Database,
    discreet,
    id_texts,
    insert_new,
    moment_text,
    page_of,
    refusals,
    upsert,
)
from leasehold.kit.errors import DatabaseFailed
from tests.kit.tables import deliver, migrations, parcel

if TYPE_CHECKING:
    from collections.abc import Sequence

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAMES = ("id", "name", "weight", "seal", "tags", "sent_at")


@pytest.fixture(autouse=True)
def _tables(client: lh.Client) -> None:
    migrations().migrate(client)


def bare(name: str) -> dict[str, Any]:
    return {"id": uuid4(), "name": name}


def rows(database: Database, *columns: Any) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        found = connection.execute(select(*columns).order_by(parcel.c.name))
        return [tuple(row) for row in found]


def test_a_job_and_what_it_is_about_are_written_together_or_not_at_all(
    client: lh.Client, database: Database
) -> None:
    def send(name: str) -> UUID:
        with database.write() as connection:
            job_id = client.on(connection).enqueue(deliver, name).id
            connection.execute(insert(parcel), {"id": job_id, "name": name})
            return job_id

    first = send("vase")
    with pytest.raises(Exception, match=r"(?i)unique"):
        send("vase")
    assert rows(database, parcel.c.id) == [(first,)]
    assert [job.id for job in client.find(queue="parcels")] == [first]


def test_an_application_sees_how_its_jobs_stand_under_a_name_of_its_own(
    client: lh.Client, database: Database
) -> None:
    job_id = client.enqueue(deliver, "vase").id
    with database.write() as connection:
        insert_new(connection, parcel, [{"id": job_id, "name": "vase"}])

    def status() -> Any:
        with database.browse() as connection:
            return connection.scalar(text("SELECT status FROM parcels_deliveries"))

    assert status() == "queued"
    lh.Worker(client, [deliver]).run(until_empty=True)
    assert status() == "succeeded"


def test_ids_and_moments_come_back_as_they_went_in(database: Database) -> None:
    in_seoul = NOON.astimezone(timezone(timedelta(hours=9)))
    one = bare("a") | {"sent_at": in_seoul}
    with database.write() as connection:
        connection.execute(insert(parcel), [one, bare("b") | {"sent_at": None}])
        sooner = connection.scalars(select(parcel.c.name).where(parcel.c.sent_at <= NOON))
        assert list(sooner) == ["a"]
    ((found, sent_at), (_, nothing)) = rows(database, parcel.c.id, parcel.c.sent_at)
    assert (found, sent_at, sent_at.utcoffset() is None, nothing) == (one["id"], NOON, False, None)


def test_what_is_there_is_not_inserted_again(database: Database) -> None:
    with database.write() as connection:
        assert insert_new(connection, parcel, [bare("a"), bare("b")]) == 2
        assert insert_new(connection, parcel, [bare("b"), bare("c"), bare("c")]) == 1
    assert [name for (name,) in rows(database, parcel.c.name)] == ["a", "b", "c"]


def test_an_upsert_changes_what_is_there_and_keeps_what_it_is_told_to(database: Database) -> None:
    first, second = bare("a") | {"weight": 1}, bare("a") | {"weight": 2}
    with database.write() as connection:
        for row in (first, second):
            upsert(connection, parcel, row, key=["name"], keep=["id"])
    assert rows(database, parcel.c.id, parcel.c.weight) == [(first["id"], 2)]


def test_pages_have_each_row_once_to_the_end(database: Database) -> None:
    with database.write() as connection:
        insert_new(connection, parcel, [bare(f"{number:02}") for number in range(7)])
    seen: list[str] = []
    after: str | None = ""
    with database.read() as connection:
        while after is not None:
            query = select(parcel).where(parcel.c.name > after).order_by(parcel.c.name)
            page = page_of(connection, query, 3, key="name")
            seen += [row["name"] for row in page.rows]
            after = page.next
    assert seen == [f"{number:02}" for number in range(7)]


def test_an_error_that_is_told_says_nothing_of_what_is_stored(database: Database) -> None:
    with database.write() as connection:
        connection.execute(insert(parcel), bare("secret"))
    with pytest.raises(DatabaseFailed) as caught, discreet(), database.write() as connection:
        connection.execute(insert(parcel), bare("secret"))
    assert "secret" not in f"{caught.value!r} {caught.value.__cause__!r}"
    assert caught.value.kind in {"UniqueViolation", "IntegrityError"}


def test_what_can_never_be_stored_is_told_from_what_may_pass(
    client: lh.Client, database: Database
) -> None:
    @lh.task(name="parcels.pack", queue="parcels")
    def pack() -> None:
        with lh.current_job().saving() as connection:
            row = (str(uuid4()), None, 0, b"", "[]", None)  # a parcel without a name
            with pytest.raises(refusals()):
                database.bulk(connection).insert_new(parcel, NAMES, [row])
            raise lh.Dead("refused")

    client.enqueue(pack)
    lh.Worker(client, [pack]).run(until_empty=True)
    (job,) = client.find(queue="parcels")
    assert (job.state, job.error and "refused" in job.error) == ("dead", True)
    assert not issubclass(TimeoutError, refusals())


@pytest.mark.parametrize("count", [1, 250, 777])
def test_many_rows_are_written_found_and_counted_on_the_connection_of_a_job(
    client: lh.Client, database: Database, count: int
) -> None:
    @lh.task(name="parcels.load", queue="parcels")
    def load() -> tuple[int, int]:
        with lh.current_job().transaction() as connection:
            bulk = database.bulk(connection)
            bulk.make_room()
            added = bulk.insert_new(parcel, NAMES, list(_many(count)))
            again = bulk.insert_new(parcel, NAMES, list(_many(count)))
            ((id_, seal),) = bulk.find(
                parcel, ("id", "seal"), "name", ["n 0", "nobody"], weight="1"
            )
            assert (UUID(id_), bytes(seal)) == (UUID(int=0), b"\0\xff")
            bulk.add(parcel, id_, {"weight": 41})
            bulk.delete(parcel, "name", f"n {count - 1}") if count > 1 else None
            lh.current_job().result = (added, again)
        return added, again

    job_id = client.enqueue(load).id
    lh.Worker(client, [load]).run(until_empty=True)
    assert tuple(client.wait(job_id)) == (count, 0)
    found = rows(database, parcel.c.name, parcel.c.weight, parcel.c.tags, parcel.c.sent_at)
    assert len(found) == max(1, count - 1)
    assert found[0] == ("n 0", 42, ["ä", "b"], NOON)


def _many(count: int) -> Sequence[tuple[Any, ...]]:
    tags, sent_at = '["ä", "b"]', moment_text(NOON)
    return [
        (str(UUID(int=number)), f"n {number}", 1, b"\0\xff", tags, sent_at)
        for number in range(count)
    ]


def test_those_who_write_at_once_wait_for_each_other(database: Database) -> None:
    one = bare("a")
    with database.write() as connection:
        connection.execute(insert(parcel), one)

    def add(_number: int) -> None:
        with database.write() as connection:
            query = select(parcel.c.weight).where(parcel.c.id == one["id"]).with_for_update()
            weight = connection.scalar(query) or 0
            connection.execute(
                update(parcel).where(parcel.c.id == one["id"]).values(weight=weight + 1)
            )

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(40)))
    assert rows(database, parcel.c.weight) == [(40,)]


def test_a_statement_that_was_made_once_is_run_on_the_driver_s_connection(
    database: Database,
) -> None:
    heavier = parcel.c.weight + bindparam("more", type_=Integer) + 1
    statement = (
        update(parcel)
        .where(parcel.c.name == bindparam("who"))
        .values(weight=heavier)
        .returning(parcel.c.weight)
    )
    with database.write() as connection:
        connection.execute(insert(parcel), [bare("vase"), bare("lamp")])
        bulk = database.bulk(connection)
        assert bulk.run(statement, {"who": "vase", "more": 4}) == [(5,)]
        assert bulk.run(statement, {"who": "vase", "more": 2}) == [(8,)]
        assert bulk.run(statement, {"who": "nobody", "more": 2}) == []
    assert rows(database, parcel.c.weight) == [(0,), (8,)]


def test_any_number_of_values_is_found_each_row_once(database: Database) -> None:
    with database.write() as connection:
        bulk = database.bulk(connection)
        named = [(str(uuid4()), f"p{number}") for number in range(300)]
        bulk.insert_new(parcel, ("id", "name"), named)
        for count in (0, 1, 2, 3, 127, 128, 129, 300):
            wanted = [f"p{number}" for number in range(count)]
            found = bulk.find(parcel, ("name",), "name", [*wanted, "nobody"])
            assert sorted(name for (name,) in found) == sorted(wanted)


def test_a_connection_that_the_server_has_ended_is_replaced(
    migrated_postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite has no server that could end one."""
    monkeypatch.setattr("leasehold.kit.data.database._FRESH_SECONDS", 0.0)
    ask = select(func.pg_backend_pid())
    with closing(Database(migrated_postgres_url)) as database:
        with database.read() as connection:
            ended = connection.scalar(ask)
        with closing(Database(migrated_postgres_url)) as other, other.read() as connection:
            connection.execute(select(func.pg_terminate_backend(ended, 5000)))
        with database.read() as connection:
            assert connection.scalar(ask) != ended


def test_a_database_that_was_closed_may_be_used_again(database: Database) -> None:
    database.close()
    assert rows(database, parcel.c.id) == []


@pytest.mark.parametrize("microsecond", [0, 1, 120_000, 999_999])
@pytest.mark.parametrize("hours", [0, 9])
def test_a_moment_is_written_in_utc_and_always_as_long(microsecond: int, hours: int) -> None:
    """Texts of moments are in the order of the moments."""
    zone = timezone(timedelta(hours=hours))
    moment = datetime(987, 1, 1, 4, 5, 6, microsecond, tzinfo=zone)
    assert moment_text(moment) == moment.astimezone(UTC).isoformat(timespec="microseconds")


def test_many_ids_are_written_as_each_is() -> None:
    ids = [uuid4(), UUID(int=0)]
    assert id_texts(ids) == [str(each) for each in ids]
