"""Steps that make an application's tables: each once, all that are missing or none."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, inspect, text

from leasehold.kit.data import Migrations
from tests.kit.tables import migrations

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold.kit.data import Database


def test_each_step_is_taken_once_in_the_order_of_numbers(client: lh.Client) -> None:
    taken: list[int] = []
    steps = {number: lambda _connection, n=number: taken.append(n) for number in (10, 2, 1)}
    ours = Migrations("parcels", steps)
    assert ours.pending(client) == ["0001", "0002", "0010"]
    assert [ours.migrate(client) for _ in range(2)] == [["0001", "0002", "0010"], []]
    assert (taken, ours.pending(client)) == ([1, 2, 10], [])
    ours.steps[3] = lambda _connection: taken.append(3)
    assert (ours.pending(client), ours.migrate(client), taken[-1]) == (["0003"], ["0003"], 3)


def test_a_step_that_fails_is_as_if_it_and_those_with_it_never_were(
    client: lh.Client, database: Database
) -> None:
    def break_half_way(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE parcels_half (id integer)"))
        raise OSError("the disk is away")

    ours = migrations()
    ours.steps[2] = break_half_way
    with pytest.raises(OSError, match="away"):
        ours.migrate(client)
    assert ours.pending(client) == ["0001", "0002"]
    names = inspect(database.engine).get_table_names()
    assert not [name for name in names if name.startswith("parcels_")]
    del ours.steps[2]
    assert ours.migrate(client) == ["0001"]


def test_of_several_who_migrate_at_once_one_does_it(client: lh.Client) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _number: migrations().migrate(client), range(4)))
    assert sorted(done) == [[], [], [], ["0001"]]


def test_applications_in_one_database_know_nothing_of_each_other(client: lh.Client) -> None:
    others = Migrations("letters", {1: lambda _connection: None})
    assert migrations().migrate(client) == ["0001"]
    assert others.pending(client) == ["0001"]
    assert (others.migrate(client), migrations().pending(client)) == (["0001"], [])


def test_what_roles_are_due_is_given_at_each_call_also_when_no_step_is_missing(
    client: lh.Client,
) -> None:
    given: list[str] = []
    ours = Migrations(
        "parcels", {1: lambda _connection: None}, share=lambda each: given.append(each.dialect.name)
    )
    assert [ours.migrate(client), ours.migrate(client)] == [["0001"], []]
    is_sqlite = client.url.startswith("sqlite")
    assert given == ([] if is_sqlite else ["postgresql"] * 2)
