"""Many who watch one page cost one look; streams end with the server and with their clients."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from leasehold.client import Client
from leasehold.web import event_stream
from leasehold.web.dashboard.rendering import render
from leasehold.web.dashboard.ticking import tick_stream
from leasehold.web.streams import Pace, Seen, Streams, TooManyStreams
from tests.browser.kit import serve
from tests.web.serving import served

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator

    from leasehold.web.dashboard.looks import Look, Page
    from tests.web.serving import Served

MANY = 50
HURRY = Pace(least_seconds=0.01, longest_seconds=30.0, factor=40)
PATIENCE_SECONDS = 60.0
# What ending may take on a machine that does much else: the promise is 2 s on an idle one.
END_SECONDS = 8.0


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a heart beat fifty times a second."""
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 0.02)


def run(story: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(story, PATIENCE_SECONDS))


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - it may be about anything
        await asyncio.sleep(0.005)


class Topic:
    """Something that changes when it is told to, and counts who looks."""

    def __init__(self) -> None:
        self.looks = 0
        self.value = "a"

    async def watch(self) -> Seen:
        self.looks += 1
        return Seen(self.value, self.value.encode())


class Wire:
    """The client's end of one stream."""

    def __init__(self, streams: Streams, topic: Topic, ending: asyncio.Event) -> None:
        self.text = ""
        self.gone = asyncio.Event()
        self.stream = tick_stream(streams.listen("topic", topic.watch), ending)
        self.task = asyncio.create_task(self.stream({}, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.text += message.get("body", b"").decode()

    @property
    def ticks(self) -> int:
        return self.text.count("event: tick")


def test_many_listeners_share_one_look_and_all_are_told(quick: None) -> None:
    async def story() -> None:
        streams, topic, ending = Streams(pace=HURRY), Topic(), asyncio.Event()
        wires = [Wire(streams, topic, ending) for _ in range(MANY)]
        assert streams.watched == 1
        # One to look at once, and one with the mark of the first look.
        await until(lambda: all(wire.ticks == 2 for wire in wires))
        await until(lambda: topic.looks >= 4)
        assert all(wire.ticks == 2 for wire in wires)
        topic.value = "b"
        await until(lambda: all(wire.ticks == 3 for wire in wires))
        assert all(wire.text.count("data: b") == 1 for wire in wires)
        ending.set()
        await asyncio.gather(*(wire.task for wire in wires))

    run(story())


def test_nobody_looks_when_nobody_listens(quick: None) -> None:
    async def story() -> None:
        streams, topic, ending = Streams(pace=HURRY), Topic(), asyncio.Event()
        first, second = Wire(streams, topic, ending), Wire(streams, topic, ending)
        await until(lambda: topic.looks >= 2)
        first.gone.set()
        await first.task
        assert (streams.open, streams.watched) == (1, 1)
        second.gone.set()
        await second.task
        assert (streams.open, streams.watched) == (0, 0)
        seen = topic.looks
        await asyncio.sleep(0.1)
        assert topic.looks == seen

    run(story())


def test_a_quiet_stream_shows_that_it_lives(quick: None) -> None:
    async def story() -> None:
        ending = asyncio.Event()
        wire = Wire(Streams(pace=HURRY), Topic(), ending)
        await until(lambda: wire.text.count(": still here") >= 3)
        assert wire.text.startswith("retry: ")
        ending.set()
        await wire.task

    run(story())


def test_a_stream_is_closed_after_a_while_so_that_no_dead_client_keeps_one(
    quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_stream, "LONGEST_SECONDS", 0.05)

    async def story() -> None:
        streams = Streams(pace=HURRY)
        wire = Wire(streams, Topic(), asyncio.Event())
        await wire.task
        assert streams.open == 0

    run(story())


def test_a_client_that_can_not_be_written_to_is_let_go(quick: None) -> None:
    async def story() -> None:
        streams, topic = Streams(pace=HURRY), Topic()

        async def send(_message: Any) -> None:
            raise OSError("gone")

        async def receive() -> dict[str, Any]:
            await asyncio.Event().wait()
            return {}

        listener = streams.listen("topic", topic.watch)
        await tick_stream(listener, asyncio.Event())({}, receive, send)
        assert (streams.open, streams.watched) == (0, 0)

    run(story())


def test_a_look_that_fails_is_made_again(quick: None) -> None:
    async def story() -> None:
        looks: Iterator[str | OSError] = iter([OSError("away"), "a", OSError("away"), "b"])
        ending, streams = asyncio.Event(), Streams(pace=HURRY)
        topic = Topic()

        async def watch() -> Seen:
            found = next(looks, "b")
            if isinstance(found, OSError):
                raise found
            return Seen(found, b"")

        topic.watch = watch  # type: ignore[method-assign] # one that fails now and then
        wire = Wire(streams, topic, ending)
        await until(lambda: wire.ticks == 3)
        assert "data: b" in wire.text
        ending.set()
        await wire.task

    run(story())


def test_who_comes_between_two_looks_is_told_of_the_next_one_too(quick: None) -> None:
    """They may have seen what has changed back since."""

    async def story() -> None:
        streams, topic, ending = Streams(pace=HURRY), Topic(), asyncio.Event()
        first = Wire(streams, topic, ending)
        await until(lambda: first.ticks == 2)
        second = Wire(streams, topic, ending)
        await until(lambda: second.ticks == 2)
        assert "data: a" in second.text
        assert first.ticks == 2
        ending.set()
        await asyncio.gather(first.task, second.task)

    run(story())


def test_who_is_told_at_once_hears_what_others_heard_last() -> None:
    async def story() -> None:
        hours = Pace(least_seconds=3_600.0, longest_seconds=3_600.0, factor=1)
        streams, topic = Streams(pace=hours), Topic()
        first = streams.listen("topic", topic.watch)
        await first.signal.wait()
        later = streams.listen("topic", topic.watch)
        at_once = streams.listen("topic", topic.watch, is_told_at_once=True)
        assert (at_once.hear(), later.hear()) == (Seen("a", b"a"), None)
        assert (at_once.hear(), topic.looks) == (None, 1)
        for each in (first, later, at_once):
            each.close()

    run(story())


def test_there_is_room_for_so_many_and_no_more() -> None:
    async def story() -> None:
        streams, topic = Streams(most=2), Topic()
        kept = [streams.listen("topic", topic.watch) for _ in range(2)]
        with pytest.raises(TooManyStreams):
            streams.listen("topic", topic.watch)
        kept.pop().close()
        streams.listen("topic", topic.watch).close()
        kept.pop().close()

    run(story())


@pytest.mark.parametrize("took", [0.0, 0.01, 0.5])
def test_looking_takes_a_fortieth_of_the_time_however_many_pages_are_watched(took: float) -> None:
    async def story() -> None:
        streams, topic = Streams(), Topic()
        kept = [streams.listen(f"topic {number}", topic.watch) for number in range(4)]
        rest = streams._rest(took)
        assert rest >= min(40 * 4 * took, 30.0)
        assert rest >= 1.0
        for each in kept:
            each.close()

    run(story())


async def ticks_of(http: httpx.AsyncClient, path: str) -> AsyncIterator[str]:
    """Follow a page; yields each event until the server ends it."""
    async with http.stream("GET", "/live", params={"of": path}) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for line in answer.aiter_lines():
            if line.startswith("event:"):
                yield line


async def follow(http: httpx.AsyncClient, path: str, seen: list[str]) -> None:
    async for event in ticks_of(http, path):
        seen.append(event)  # noqa: PERF401 - it is looked at meanwhile


async def with_many(
    address: str, then: Callable[[list[list[str]], list[asyncio.Task[None]]], Awaitable[None]]
) -> None:
    limits = httpx.Limits(max_connections=MANY + 10)
    async with httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS, limits=limits) as http:
        seen: list[list[str]] = [[] for _ in range(MANY)]
        tasks = [asyncio.create_task(follow(http, "/jobs", each)) for each in seen]
        await until(lambda: all(seen))
        await then(seen, tasks)


def test_fifty_open_streams_do_not_hold_up_the_end_and_come_back(store_url: str) -> None:
    def end_with_streams(service: Served) -> float:
        took: list[float] = []

        async def end(_seen: list[list[str]], tasks: list[asyncio.Task[None]]) -> None:
            code, seconds, log = await asyncio.to_thread(service.end)
            assert code == 0, log
            took.append(seconds)
            await asyncio.gather(*tasks)  # each was ended whole, not cut off

        run(with_many(service.address, end))
        return took[0]

    with served(store_url, "tests.web.tasks") as service:
        port = int(service.address.rpartition(":")[2])
        seconds = end_with_streams(service)
        assert seconds < END_SECONDS
    print(json.dumps({"streams": MANY, "ended_in_seconds": round(seconds, 2)}))
    with served(store_url, "tests.web.tasks", port=port) as service, Client(store_url) as client:
        assert service.address.endswith(f":{port}")

        async def change(seen: list[list[str]], tasks: list[asyncio.Task[None]]) -> None:
            await until(lambda: all(len(each) == 2 for each in seen))
            await asyncio.to_thread(client.enqueue_by_name, "web.unknown")
            await until(lambda: all(len(each) > 2 for each in seen))
            await asyncio.to_thread(service.end)
            await asyncio.gather(*tasks)

        run(with_many(service.address, change))


def test_what_was_made_for_one_is_given_to_all_who_were_told(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def count(look: Look, page: Page) -> bytes:
        made.append(look.path)
        return render(look, page)

    monkeypatch.setattr("leasehold.web.dashboard.answering.render", count)
    with (
        serve(client) as service,
        httpx.Client(base_url=service.address, timeout=PATIENCE_SECONDS) as http,
        http.stream("GET", "/live", params={"of": "/jobs?state=queued"}) as stream,
    ):
        told = (line for line in stream.iter_lines() if line.startswith("data:"))
        assert next(told).strip() == "data:"
        assert len(next(told)) > len("data: ")  # the mark of the first look
        job = client.enqueue_by_name("web.unknown")
        mark = next(told).removeprefix("data: ")
        headers = {"HX-Request": "true", "Leasehold-Tick": mark}
        for _ in range(MANY):
            answer = http.get("/jobs", params={"state": "queued"}, headers=headers)
            assert f"row-{job.id}" in answer.text
            assert answer.headers["etag"] == f'"{mark}"'
        assert made == []
        again = headers | {"If-None-Match": f'"{mark}"'}
        assert http.get("/jobs", params={"state": "queued"}, headers=again).status_code == 204
        other = headers | {"Leasehold-Tick": "of something else"}
        assert f"row-{job.id}" in http.get("/jobs?state=queued", headers=other).text
        assert made == ["/jobs"]


def test_a_full_server_says_so_and_when_to_come_back(client: Client) -> None:
    with serve(client) as service, httpx.Client(base_url=service.address) as http:
        service._app.state.streams._most = 0
        answer = http.get("/live", params={"of": "/jobs"})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")


def test_only_our_own_pages_can_be_followed(store_url: str) -> None:
    with served(store_url, "--no-worker") as service:
        for path in ("", "/nothing", "https://evil.example/jobs", "/api/jobs", "/jobs" * 1_000):
            answer = service.http.get("/live", params={"of": path})
            assert answer.status_code == 404, path
