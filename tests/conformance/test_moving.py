"""A queue moves into another database as it is: between any two stores, interrupted or not."""

from __future__ import annotations

import contextlib
import random
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
import pytest

from leasehold.errors import BadOption, SchemaMismatch, StoreMoved, StoreRefused
from leasehold.model.ids import JobId
from leasehold.model.moving import Loaded, MoveMark, Side
from leasehold.model.states import State
from leasehold.model.values import WorkerInfo
from leasehold.moving import MoveProgress, move, undo_move
from leasehold.store import open_store
from leasehold.store.moving_tables import TABLES, hash_rows
from tests.conformance.kit import (
    HOST,
    WORKER,
    Place,
    bring,
    claim,
    claim_one,
    enqueue_one,
    look,
    new_job,
    new_jobs,
    raw,
    settle,
    start_one,
)
from tests.conformance.tables import open_tables
from tests.moving import everything, fill, ids_by_table, random_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from leasehold.model.lanes import ThrottleInfo
    from leasehold.store.base import Store
    from tests.postgres_server import PostgresServer

PAIRS = ["sqlite-postgres", "postgres-sqlite", "sqlite-sqlite", "postgres-postgres"]


@pytest.fixture
def urls(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server: PostgresServer
) -> Iterator[tuple[str, str]]:
    """Two fresh databases; the target without tables."""
    made: list[str] = []
    for number, kind in enumerate(request.param.split("-")):
        is_sqlite = kind == "sqlite"
        url = (
            f"sqlite:///{tmp_path}/{number}.db" if is_sqlite else postgres_server.create_database()
        )
        made.append(url)
    with contextlib.closing(open_store(made[0])) as source:
        source.migrate()
    yield made[0], made[1]
    for url in made:
        if not url.startswith("sqlite:"):
            postgres_server.drop_database(url)


both = pytest.mark.parametrize("urls", PAIRS[:2], indirect=True)
all_pairs = pytest.mark.parametrize("urls", PAIRS, indirect=True)


def opened(url: str) -> contextlib.closing[Store]:
    return contextlib.closing(open_store(url))


@all_pairs
def test_everything_is_there_after_a_move_as_people_see_it(urls: tuple[str, str]) -> None:
    source_url, target_url = urls
    with opened(source_url) as source, open_tables(source_url) as tables:
        fill(source, 400)
        before = ids_by_table(tables)
        told: list[MoveProgress] = []
        _run_a_worker(source)
        with pytest.raises(StoreRefused, match="--force"):
            move(source_url, target_url)
        source.farewell(WORKER)

        report = move(source_url, target_url, progress=told.append)

        assert report.is_same
        assert report.taken_back > 0
        assert {each.step for each in told} == {"copy", "compare"}
        jobs = [row["id"] for row in tables.rows("job")]
        ids = [JobId(UUID(str(each))) for each in jobs]
        here = everything(source, ids)
        assert {job.state for job, _ in here} == set(State) - {State.RUNNING}
        with opened(target_url) as target, open_tables(target_url) as arrived:
            assert everything(target, ids) == here
            after = ids_by_table(arrived)
            assert after["job"] == before["job"]
            assert len(after["live"]) == len(before["live"]) - _cancelled(before, after)
            assert target.counts() == source.counts()
            assert list(map(_still, target.throttles())) == list(map(_still, source.throttles()))
            assert target.queues() == source.queues()
            assert target.shares() == source.shares()
            assert target.retentions() == source.retentions()
            assert target.parked_kinds() == source.parked_kinds()


def _still(throttle: ThrottleInfo) -> ThrottleInfo:
    """Leave out what changes with time."""
    return msgspec.structs.replace(throttle, tokens=None)


def _cancelled(before: dict[str, list[str]], after: dict[str, list[str]]) -> int:
    """Running jobs that somebody had cancelled ended with their lease."""
    return len(set(before["live"]) - set(after["live"]))


def _run_a_worker(store: Store) -> None:
    info = WorkerInfo(id=WORKER, name="busy", queues=("a",), kinds=("x",), slots=1, version="1")
    store.register(info, [])


@all_pairs
def test_every_column_arrives_as_it_was(urls: tuple[str, str]) -> None:
    with opened(urls[0]) as source, opened(urls[1]) as target:
        target.migrate()
        for table in TABLES:
            rows = random_rows(table.name, 40, random.Random(11))
            source.load(table.name, rows, Loaded())
            first = source.dump(table.name, None, limit=1000)
            target.load(table.name, first, Loaded())
            second = target.dump(table.name, None, limit=1000)

            assert sorted(hash_rows(table, second)) == sorted(hash_rows(table, first)), table.name
            assert sorted(hash_rows(table, first)) == sorted(hash_rows(table, rows)), table.name
            assert len(set(hash_rows(table, first))) == len(rows)


@both
def test_running_jobs_are_taken_back_without_charge_and_run_again(urls: tuple[str, str]) -> None:
    with opened(urls[0]) as source:
        plain = start_one(source)
        stopping = bring(source, Place.CANCELLING).job_id
        report = move(*urls)

        assert report.taken_back == 2
        assert settle(source, plain, "succeeded") == "lost"
        with opened(urls[1]) as target:
            again = claim_one(target)
            assert (again.job_id, again.attempt, again.failures) == (plain.job_id, 2, 0)
            assert again.fence > plain.fence
            assert look(target, stopping).state is State.CANCELLED
            (attempt,) = target.history(plain.job_id)
            assert (attempt.outcome, attempt.worker) == ("released", None)
            assert attempt.error == "taken back: the queue moved to another database"


@both
def test_nobody_changes_a_queue_that_has_moved(urls: tuple[str, str]) -> None:
    with opened(urls[0]) as source:
        waiting = enqueue_one(source)
        dead = bring(source, Place.DEAD, queue="other").job_id
        move(*urls)

        attempts = [
            lambda: source.enqueue([new_job()]),
            lambda: source.enqueue([new_job(lane=HOST)]),
            lambda: source.enqueue([new_job(delay_seconds=60)]),
            lambda: claim(source),
            lambda: source.cancel(waiting, by=None),
            lambda: source.retry(dead),
            lambda: source.delete(waiting),
            source.check_schema,
        ]
        for attempt in attempts:
            with pytest.raises(StoreMoved, match="this queue has moved to"):
                attempt()
        assert look(source, waiting).state is State.QUEUED  # to look is free
        with opened(urls[1]) as target:
            target.check_schema()
            assert claim_one(target).job_id == waiting


@both
def test_nobody_changes_a_database_that_is_being_filled(urls: tuple[str, str]) -> None:
    with opened(urls[1]) as target:
        target.migrate()
        target.close_for_move(MoveMark(side=Side.TARGET, place="there", identity="there"))
        for attempt in (lambda: target.enqueue([new_job()]), target.check_schema):
            with pytest.raises(StoreMoved, match="is not over"):
                attempt()


@both
def test_an_undone_move_opens_the_source_again(urls: tuple[str, str]) -> None:
    with opened(urls[0]) as source:
        job_id = enqueue_one(source)
        source.close_for_move(MoveMark(side=Side.SOURCE, place="there", identity="there"))
        with pytest.raises(StoreMoved):
            claim(source)
        assert undo_move(urls[0]) is not None
        assert undo_move(urls[0]) is None
        source.check_schema()
        assert claim_one(source).job_id == job_id
        enqueue_one(source)


@both
def test_what_has_moved_whole_is_opened_again_by_force_only(urls: tuple[str, str]) -> None:
    move(*urls)
    with pytest.raises(StoreMoved, match="twice"):
        undo_move(urls[0])
    assert undo_move(urls[0], force=True) is not None
    with opened(urls[0]) as source:
        enqueue_one(source)


@both
def test_a_second_move_of_what_has_moved_is_refused(urls: tuple[str, str]) -> None:
    move(*urls)
    with pytest.raises(StoreMoved, match="moved again"):
        move(*urls)


@both
def test_a_target_that_is_not_empty_is_refused_and_nothing_is_closed(
    urls: tuple[str, str],
) -> None:
    with opened(urls[0]) as source, opened(urls[1]) as target:
        target.migrate()
        enqueue_one(target)
        with pytest.raises(StoreRefused, match="not empty"):
            move(*urls)
        enqueue_one(source)
        enqueue_one(target)


@both
def test_a_database_can_not_be_moved_into_itself(urls: tuple[str, str]) -> None:
    with pytest.raises(BadOption, match="same"):
        move(urls[0], urls[0])


@both
def test_an_old_source_is_refused(urls: tuple[str, str]) -> None:
    with open_tables(urls[0]) as tables:
        name = "leasehold_migration" if urls[0].startswith("sqlite:") else "leasehold.migration"
        newest = f"SELECT max(version) FROM {name}"  # noqa: S608 - our names
        tables.execute(f"DELETE FROM {name} WHERE version = ({newest})")  # noqa: S608
    with pytest.raises(SchemaMismatch, match="migrate"):
        move(*urls)


class Interrupted(Exception):
    """As if the process had been killed there."""


@both
def test_a_move_goes_on_where_it_was_interrupted(
    urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.moving.PAGE", 20)
    with opened(urls[0]) as source:
        fill(source, 150)
    steps = 0

    def run(most: int) -> None:
        nonlocal steps
        left = most

        def stop(_: MoveProgress) -> None:
            nonlocal left, steps
            left, steps = left - 1, steps + 1
            if left == 0:
                raise Interrupted

        move(*urls, progress=stop)

    interruptions = 0
    for most in (1, 3, 5, 1, 2, 7, 10, 10_000):
        with contextlib.suppress(Interrupted):
            run(most)
            break
        interruptions += 1
    assert interruptions == 7
    with opened(urls[0]) as source, opened(urls[1]) as target:
        for table in TABLES:
            rows = source.dump(table.name, None, limit=10_000)
            assert sorted(hash_rows(table, rows)) == sorted(
                hash_rows(table, target.dump(table.name, None, limit=10_000))
            )


@both
def test_large_jobs_are_moved_a_few_at_a_time(
    urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.moving.LARGE_PAGE", 10_000)
    with opened(urls[0]) as source:
        large = raw({"text": "x" * 4_000})
        source.enqueue(new_jobs(150, args=large))
        pages: list[int] = []
        dump = type(source).dump

        def note(store: Store, table: str, *args: Any, **options: Any) -> list[Any]:
            found: list[Any] = dump(store, table, *args, **options)
            pages.append(len(found) if table == "job" else 0)
            return found

        monkeypatch.setattr(type(source), "dump", note)
        assert move(*urls).is_same
    sizes = [size for size in pages if size > 0]
    assert sizes[0] == 100
    assert max(sizes[3:10]) < 10


@both
def test_a_difference_is_found_and_leaves_both_closed(
    urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(urls[0]) as source:
        for _ in range(3):
            enqueue_one(source)

    class Clumsy(type(open_store(urls[1]))):  # type: ignore[misc] # whichever it is
        """A store that loses a little of a job."""

        def load(self, table: str, rows: list[tuple[object, ...]], progress: Loaded) -> None:
            if table == "job":
                rows = [(*row[:3], 99, *row[4:]) for row in rows]
            super().load(table, rows, progress)

    monkeypatch.setattr(
        "leasehold.moving.open_store",
        lambda url: Clumsy(url) if url == urls[1] else open_store(url),
    )
    report = move(*urls)

    assert [each.table for each in report.tables if not each.is_same] == ["job"]
    for url in urls:
        with opened(url) as store, pytest.raises(StoreMoved):
            store.enqueue([new_job()])


@both
def test_another_move_into_or_out_of_a_closed_database_is_refused(
    urls: tuple[str, str], tmp_path: Path
) -> None:
    other = f"sqlite:///{tmp_path}/other.db"
    with opened(urls[0]) as source, opened(urls[1]) as target:
        target.migrate()
        mark = MoveMark(side=Side.SOURCE, place="there", identity="there")
        source.close_for_move(mark)
        with pytest.raises(StoreMoved, match="can't be moved"):
            move(urls[0], other)
        target.close_for_move(MoveMark(side=Side.TARGET, place="x", identity="x"))
        with pytest.raises(StoreMoved, match="can't be moved to"):
            move(other, urls[1])
        with pytest.raises(StoreRefused, match="target of a move"):
            undo_move(urls[1])
