"""The matrix in memory is what stands in the file, whoever wrote it."""

from __future__ import annotations

import multiprocessing
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, insert, select

from leasehold.kit.data import Database
from leasehold_memory.data import vectors
from leasehold_memory.data.matrix import VectorMatrix
from leasehold_memory.data.tables import unit, unit_vector
from leasehold_memory.embedding import Matrix
from leasehold_memory.model.units import UnitKind

_NOW = datetime(2026, 5, 1, tzinfo=UTC)
_AXES = np.eye(4, dtype=np.float32)


@pytest.fixture
def twenty(database: Database) -> Database:
    """Twenty units without vectors, every fifth of them a fact."""
    with database.write() as connection:
        connection.execute(
            insert(unit),
            [
                {
                    "kind": UnitKind.FACT if number % 5 == 0 else UnitKind.EPISODE,
                    "occurred_at": _NOW,
                    "created_at": _NOW,
                    "updated_at": _NOW,
                }
                for number in range(1, 21)
            ],
        )
    return database


def _put(database: Database, unit_id: int, vector: Matrix) -> None:
    with database.write() as connection:
        vectors.put(connection, unit_id, "text", vector)


def _near(database: Database, matrix: VectorMatrix, axis: int, *kinds: UnitKind) -> list[int]:
    with database.read() as connection:
        return matrix.compare(connection, _AXES[axis]).best(3, kinds)


def test_the_nearest_come_first_and_only_of_the_kinds_that_are_asked_for(twenty: Database) -> None:
    matrix = VectorMatrix(4)
    for number in range(1, 21):
        _put(twenty, number, _AXES[number % 4])

    assert _near(twenty, matrix, 1) == [17, 13, 9]
    assert _near(twenty, matrix, 1, UnitKind.FACT)[0] == 5


def test_a_vector_that_is_put_anew_or_removed_is_seen_at_the_next_question(
    twenty: Database,
) -> None:
    matrix = VectorMatrix(4)
    _put(twenty, 1, _AXES[0])
    _put(twenty, 2, _AXES[1])
    assert _near(twenty, matrix, 0) == [1, 2]

    _put(twenty, 2, _AXES[0])
    _put(twenty, 1, _AXES[1])
    assert _near(twenty, matrix, 0) == [2, 1]

    with twenty.write() as connection:
        vectors.remove(connection, 2)
    assert _near(twenty, matrix, 0) == [1]


def test_a_deleted_unit_takes_its_vector_along(twenty: Database) -> None:
    matrix = VectorMatrix(4)
    _put(twenty, 1, _AXES[0])
    assert _near(twenty, matrix, 0) == [1]

    with twenty.write() as connection:
        connection.execute(delete(unit).where(unit.c.id == 1))
    assert _near(twenty, matrix, 0) == []


def test_another_process_may_write(twenty: Database, url: str) -> None:
    matrix = VectorMatrix(4)
    assert _near(twenty, matrix, 0) == []
    other = multiprocessing.get_context("spawn").Process(target=_put_elsewhere, args=(url,))
    other.start()
    other.join(60)

    assert other.exitcode == 0
    assert _near(twenty, matrix, 0) == [3]


def _put_elsewhere(url: str) -> None:
    database = Database(url)
    _put(database, 3, _AXES[0])
    database.close()


def test_who_began_to_read_earlier_may_ask_later(twenty: Database) -> None:
    matrix = VectorMatrix(4)
    _put(twenty, 1, _AXES[0])
    with twenty.read() as earlier:
        earlier.execute(select(unit.c.id)).all()
        _put(twenty, 2, _AXES[0])
        assert _near(twenty, matrix, 0) == [2, 1]
        matrix.compare(earlier, _AXES[0])

    assert _near(twenty, matrix, 0) == [2, 1]


_STEPS = st.lists(
    st.tuples(st.integers(1, 20), st.none() | st.integers(0, 3), st.booleans()), max_size=40
)


@given(steps=_STEPS)
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_after_any_changes_it_holds_what_the_file_holds(
    twenty: Database, steps: list[tuple[int, int | None, bool]]
) -> None:
    matrix = VectorMatrix(4)
    for unit_id, axis, is_asked in steps:
        if axis is None:
            with twenty.write() as connection:
                vectors.remove(connection, unit_id)
        else:
            _put(twenty, unit_id, _AXES[axis])
        if is_asked:
            _near(twenty, matrix, 0)
    with twenty.read() as connection:
        rows = connection.execute(select(unit_vector.c.unit_id, unit_vector.c.vector)).all()
        wanted = {row.unit_id: np.frombuffer(row.vector, np.float32)[1] for row in rows}
        scores = matrix.compare(connection, _AXES[1])
    assert dict(zip(scores.ids.tolist(), scores.cosines.tolist(), strict=True)) == wanted
