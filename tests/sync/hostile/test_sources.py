"""A source may send what it likes: rows are kept or left out, tasks end, nothing else breaks.

Where many things are sent, each goes to an app of its own, and one worker syncs them all.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from sqlalchemy import select

import leasehold as lh
from leasehold.kit.data import Database
from leasehold.kit.servers.wire import Reply
from leasehold_sync.data.tables import entity
from leasehold_sync.model.apps import App
from leasehold_sync.working import Run
from tests.sync.hostile.odd import LIST, OddStripe, page, text
from tests.sync.kit import begin, counts, kept, look, sync, work

MakeApp: TypeAlias = Callable[..., App]
DEEP = 400


def customer(identifier: Any = "cus_a", **fields: Any) -> dict[str, Any]:
    return {"id": identifier, "object": "customer", "created": 1_704_067_200, **fields}


def payloads(database: Database, app_key: str = "shop") -> dict[str, Any]:
    wanted = select(entity.c.external_id, entity.c.payload).where(entity.c.app_key == app_key)
    with database.read() as connection:
        return dict(list(connection.execute(wanted)))


def sync_each(
    queue: lh.Client, make_app: MakeApp, cases: Iterable[Iterable[Reply]], **fields: Any
) -> list[dict[str, Any]]:
    """Sync an app for each case, which are the answers that its source gives."""
    jobs = []
    with ExitStack() as servers:
        for number, replies in enumerate(cases):
            server = servers.enter_context(OddStripe(*replies))
            make_app(server, f"shop{number}", **fields)
            jobs.append(begin(queue, f"shop{number}"))
        work(queue)
    return [look(queue, job_id) for job_id in jobs]


def errors_of(jobs: Iterable[dict[str, Any]]) -> list[str]:
    return [str(job["tasks"][0]["error_message"]) for job in jobs]


def test_the_same_object_twice_on_a_page_is_one(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    with OddStripe(page(customer(name="a"), customer(name="b"), customer("cus_b"))) as server:
        make_app(server)
        job = sync(queue)

    assert job["status"] == "completed"
    assert counts(job) == (2, 0, 0, 0)
    assert payloads(database)["cus_a"]["name"] == "b"


def test_what_is_no_id_or_too_long_for_an_index_is_counted_and_left_out(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    """The long ones are of characters that no database can pack: none is like the other."""
    chance = random.Random(7)
    long = ["".join(chr(chance.randrange(0x20000, 0x2A6D0)) for _ in range(n)) for n in (700, 9000)]
    odd: list[Any] = ["", "\0", None, True, 1.5, {"id": 1}, ["cus_a"], *long]
    with OddStripe(page(*map(customer, odd), customer("cus_b"), customer(7))) as server:
        make_app(server)
        job = sync(queue)

    assert job["status"] == "completed"
    assert kept(database) == ["7", "cus_b"]
    assert job["tasks"][0]["nameless"] == len(odd)


def test_any_text_and_any_number_is_kept_as_well_as_a_database_can(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    odd = {
        "nul": "a\0b",
        "half": "a\ud83d",
        "turned": "\u202eabc",
        "key\0nul": 1,
        "": "no name",
        "big": 2**200,
        "negative": -(2**63) - 1,
        "tiny": 5e-324,
        "markup": "<script>alert(1)</script>",
        "quote": "'; DROP TABLE entities; --",
        "percent": "%s %(x)s :x ?",
    }
    with OddStripe(page(customer(**odd))) as server:
        make_app(server)
        job = sync(queue)

    found = payloads(database)["cus_a"]
    assert job["status"] == "completed"
    assert (found["nul"], found["keynul"], found["big"]) == ("ab", 1, 2**200)
    assert [found[name] for name in ("", "quote", "percent")] == [
        odd[name] for name in ("", "quote", "percent")
    ]


def test_depth_costs_at_most_the_page(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    def nested(depth: int, inner: str) -> list[Reply]:
        deep = '{"a":' * depth + inner + "}" * depth
        row = f'{{"id":"cus_a","created":1,"x":{deep}}}'
        return [text(f'{{"object":"list","has_more":false,"data":[{row}]}}')]

    inner = ('"a"', '"a\\u0000"', '"\\ud83d"', str(2**70))
    well = sync_each(queue, make_app, [nested(DEEP, each) for each in inner])
    assert [job["status"] for job in well] == ["completed"] * len(inner)
    assert kept(database, "shop0") == ["cus_a"]


def test_more_depth_than_can_be_read_is_a_bad_answer(queue: lh.Client, make_app: MakeApp) -> None:
    deep = '{"data":%s"a\\u0000"%s'
    pages = [text(deep % ('{"a":' * depth, "}" * (depth + 1))) for depth in (2_000, 200_000)]

    jobs = sync_each(queue, make_app, [[each] for each in pages])

    assert all("bad_answer" in error for error in errors_of(jobs))


def test_a_time_that_is_none_costs_nothing(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    times: list[Any] = [-1, 10**30, -(10**30), "soon", True, 1e300, 253_402_300_800, None]
    dates = ["", "soon", "Fri, 31 Dec 9999 23:59:59 -2359", "Mon, 01 Jan 0001 00:00:00 +2359", ","]
    pages = [page(customer(f"cus_{n}", created=t), has_more=True) for n, t in enumerate(times)]
    pages += [page(customer(f"cus_d{n}"), has_more=True, date=d) for n, d in enumerate(dates)]
    with OddStripe(*pages) as server:
        make_app(server)
        job = sync(queue)

    assert job["status"] == "completed"
    assert len(kept(database)) == len(pages)


def test_a_source_whose_clock_was_ahead_does_not_freeze_its_rows(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    ahead = "Fri, 01 Jan 2117 00:00:00 GMT"
    with OddStripe(page(customer(name="then"), date=ahead), page(customer(name="now"))) as server:
        make_app(server)
        sync(queue)
        job = sync(queue)

    assert counts(job) == (0, 1, 0, 0)
    assert payloads(database)["cus_a"]["name"] == "now"


def test_patience_that_is_asked_for_has_an_end(queue: lh.Client, make_app: MakeApp) -> None:
    asked = [
        {"retry_after": "999999999999999999999"},
        {"retry_after": "-5"},
        {"retry_after": "nan"},
        {"retry_after": "Fri, 31 Dec 9999 23:59:59 GMT"},
        {"retry_after": "²"},
        {"x_ratelimit_reset": "9999999999"},
        {"x_ratelimit_reset": "²"},
    ]
    latest = datetime.now(UTC) + timedelta(hours=2)

    jobs = sync_each(queue, make_app, [[text("{}", 429, **said)] * 9 for said in asked])

    for job in jobs:
        (task,) = job["tasks"]
        assert job["status"] in {"pending", "processing"}
        assert task["snoozed_until"] < latest
        assert task["snooze_reason"]


def test_a_list_that_goes_on_elsewhere_is_not_followed_there(
    queue: lh.Client, make_app: MakeApp
) -> None:
    """The credential would go along."""
    elsewhere: list[Any] = [
        "http://elsewhere.example/v1/lines",
        "//elsewhere.example/v1/lines",
        "@elsewhere.example/",
        "/v1/é",
        "/v1/a b\r\nX: y",
        None,
        7,
    ]

    def invoice(url: Any) -> list[Reply]:
        lines = {"object": "list", "data": [{"id": "il_1"}], "has_more": True, "url": url}
        return [page({"id": "in_1", "object": "invoice", "created": 1, "lines": lines})]

    cases = [invoice(url) for url in elsewhere]
    jobs = sync_each(queue, make_app, cases, resources=("invoices",))

    assert all("bad_answer" in error for error in errors_of(jobs))


def test_what_a_source_says_of_an_error_is_cut_and_made_plain(
    queue: lh.Client, make_app: MakeApp
) -> None:
    said = "\x1b[31mred\n\r<b>" + "x" * 1_000_000
    body = json.dumps({"error": {"message": said, "type": "invalid_request_error"}})

    (error,) = errors_of(sync_each(queue, make_app, [[text(body, 400)]]))

    assert len(error) < 2_000
    assert error.isprintable()


def test_what_is_no_page_fails_with_a_typed_error_and_deletes_nothing(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    bodies = [
        '{"object":"list","data":{},"has_more":false}',
        '{"object":"list","data":[1,2],"has_more":false}',
        '{"object":"list","data":[null],"has_more":false}',
        '{"object":"list","data":[],"has_more":"no"}',
        '{"object":"list","data":[],"has_more":null}',
        "[]",
        "null",
        "",
        "\ufeff{}",
        '{"data":[],"has_more":false',
        "9" * 100_000,
    ]
    sync_each(queue, make_app, [[page(customer())] for _ in bodies])

    jobs = sync_each(queue, make_app, [[text(body)] for body in bodies])

    assert all("bad_answer" in error for error in errors_of(jobs))
    assert all(kept(database, f"shop{number}") == ["cus_a"] for number in range(len(bodies)))


def test_a_source_that_never_ends_is_handed_back_with_its_cursor(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    """There is always one more: the run's time ends it, and nothing is concluded."""
    with OddStripe() as server:
        numbers = iter(range(10**9))
        server.on_request = lambda _: server.replies.append(
            page(customer(f"cus_{next(numbers)}"), has_more=True)
        )
        make_app(server)
        job_id = begin(queue)
        Run(queue, database, job_id=job_id, budget_seconds=3).run()
        job = look(queue, job_id)

    assert job["status"] == "processing"
    assert len(kept(database)) > 1
    assert server.count(f"GET {LIST}") > 1
