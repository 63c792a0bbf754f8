"""Who looks before writing keeps nobody waiting, and says whether a power cut may cost it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import event, insert, select, text

import leasehold as lh
from leasehold.kit.data import Database
from tests.kit.tables import migrations, parcel

NAMES = ("name", "weight")


@pytest.fixture(autouse=True)
def _tables(client: lh.Client) -> None:
    migrations().migrate(client)


def bare(name: str) -> dict[str, Any]:
    return {"id": uuid4(), "name": name}


def names(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.scalars(select(parcel.c.name).order_by(parcel.c.name)))


def how_lasting(database: Database, connection: Any) -> str:
    """Say what a commit waits for on this connection: 2 and on are all of it."""
    asked = "PRAGMA synchronous" if database.is_sqlite else "SHOW synchronous_commit"
    return str(connection.scalar(text(asked)))


# PostgreSQL is asked where it counts: when it commits.
_TOLD_AT_COMMIT = """
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE parcels_parcel
  SET name = current_setting('synchronous_commit') || ' ' || name
  WHERE id = NEW.id;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER tell AFTER INSERT ON parcels_parcel
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tell();
"""


def how_lasting_at_commit(database: Database, *, is_lasting: bool) -> str:
    """Write something, and say what its commit has waited for."""
    row = bare(str(uuid4()))
    with database.turn() as turn, turn.write(is_lasting=is_lasting) as connection:
        seen = how_lasting(database, connection)
        connection.execute(insert(parcel), row)
    with database.read() as connection:
        told = connection.scalar(select(parcel.c.name).where(parcel.c.id == row["id"]))
    return seen if database.is_sqlite else str(told).partition(" ")[0]


LASTING = {"2", "on"}
NOT_LASTING = {"1", "off"}


@pytest.fixture(autouse=True)
def _durable(database: Database) -> None:
    """Undo on PostgreSQL what makes tests quick."""

    @event.listens_for(database.engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        if not database.is_sqlite:
            connection.execute("SET synchronous_commit = on")
            connection.commit()


def test_a_look_keeps_nobody_from_writing(database: Database) -> None:
    with database.turn() as turn:
        assert turn.bulk.find(parcel, NAMES, "name", ["a"]) == []
        with database.write() as other:
            other.execute(insert(parcel), bare("a"))
        with turn.write() as connection:
            connection.execute(insert(parcel), bare("b"))
    assert names(database) == ["a", "b"]


@pytest.mark.parametrize("is_lasting", [True, False])
def test_what_is_written_is_committed_or_nothing_of_it(
    database: Database, *, is_lasting: bool
) -> None:
    with database.turn() as turn, turn.write(is_lasting=is_lasting) as connection:
        connection.execute(insert(parcel), bare("a"))
    assert names(database) == ["a"]
    with (
        pytest.raises(Exception, match=r"(?i)unique"),
        database.turn() as turn,
        turn.write(is_lasting=is_lasting) as connection,
    ):
        connection.execute(insert(parcel), [bare("b"), bare("b")])
    assert names(database) == ["a"]


def test_only_what_is_said_to_be_not_lasting_does_not_wait_for_the_disk(
    database: Database,
) -> None:
    if not database.is_sqlite:
        with database.write() as connection:
            connection.exec_driver_sql(_TOLD_AT_COMMIT)
    seen = [how_lasting_at_commit(database, is_lasting=each) for each in (True, False, True)]
    assert [each in LASTING for each in seen] == [True, False, True]
    assert seen[1] in NOT_LASTING


def test_after_a_failure_the_connection_is_as_lasting_as_before(database: Database) -> None:
    with pytest.raises(RuntimeError), database.turn() as turn, turn.write(is_lasting=False):
        raise RuntimeError
    with database.write() as connection:
        assert how_lasting(database, connection) in LASTING


_WRITER = """
import os, signal, sys
from sqlalchemy import text
from leasehold.kit.data import Database
with Database(sys.argv[1]).turn() as turn:
    with turn.write(is_lasting=False) as connection:
        sql = "INSERT INTO parcels_parcel (id, name) VALUES (:id, 'kept')"
        connection.execute(text(sql), {"id": sys.argv[2]})
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_is_not_lasting_survives_the_death_of_who_wrote_it(
    client: lh.Client, database: Database
) -> None:
    words = [sys.executable, "-c", _WRITER, client.url, str(uuid4())]
    died = subprocess.run(words, env=dict(os.environ), check=False)
    assert died.returncode == -signal.SIGKILL
    assert names(database) == ["kept"]
