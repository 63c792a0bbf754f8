"""Alerts on both stores: each fires once for a whole fleet, clears once, and none is lost."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.alerting import AlertWatch, Event, read_config
from leasehold.alerting.watch import SEND_SECONDS, TRIES
from leasehold.client import Client
from leasehold.model.ids import WorkerId
from leasehold.model.values import WorkerInfo
from tests.watch.servers import http_server
from tests.worker.kit import drain, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from leasehold.alerting import AlertConfig

WORKER = WorkerId(77)


@lh.task(name="fine")
async def fine(n: int) -> None: ...


@lh.task(name="bad", max_attempts=1)
def bad(n: int) -> None:
    raise ValueError(n)


class Told:
    """A sink that remembers, and fails as often as it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.events: list[Event] = []
        self.tries = 0

    def send(self, event: Event) -> None:
        self.tries += 1
        if self.failures:
            self.failures -= 1
            raise ConnectionError("xyzzy-canary")
        self.events.append(event)

    @property
    def said(self) -> list[tuple[str, str, str]]:
        return [(each.name, each.subject, each.state) for each in self.events]


def config(text: str = "", **sinks: Any) -> AlertConfig:
    found = read_config(f"[alerts]\nsilent = false\n{text}")
    rules = [_with_sinks(rule, ("log", *sinks)) for rule in found.rules]
    return type(found)(rules=tuple(rules), sinks={**found.sinks, **sinks}, every_seconds=1.0)


def _with_sinks(rule: Any, names: tuple[str, ...]) -> Any:
    from msgspec import structs

    return structs.replace(rule, sinks=names)


def watch(client: Client, found: AlertConfig) -> AlertWatch:
    return AlertWatch(client, found, chance=lambda: 0.0)


def pass_time(client: Client, seconds: float) -> None:
    client.store.skew_seconds += seconds


def show_worker(client: Client) -> None:
    info = WorkerInfo(id=WORKER, name="w", queues=("default",), kinds=(), slots=1, version="1")
    client.store.register(info, [])


def test_three_evaluators_at_once_tell_each_alert_once_and_its_end_once(
    client: Client, store_url: str
) -> None:
    show_worker(client)
    client.enqueue_many(bad.call(n) for n in range(11))
    drain(client, bad)
    client.enqueue_many(fine.call(n) for n in range(101))
    with http_server() as server, ExitStack() as stack:
        text = (
            f'[alerts]\nsinks = ["log", "ops"]\n[sinks.ops]\nkind = "webhook"\nurl = "{server.url}"'
        )
        clients = [stack.enter_context(Client(store_url)) for _ in range(3)]
        watches = [watch(each, read_config(text)) for each in clients]
        together = threading.Barrier(3)

        def evaluate(each: AlertWatch) -> None:
            for _ in range(5):
                together.wait(20)
                each.look()
                each.tell()

        def all_evaluate(skew_seconds: float) -> Counter[tuple[str, str, str]]:
            for each in clients:
                each.store.skew_seconds = skew_seconds
            with ThreadPoolExecutor(3) as pool:
                list(pool.map(evaluate, watches))
            told = Counter((e["name"], e["subject"], e["state"]) for e in server.events)
            server.bodies.clear()
            return told

        assert all_evaluate(0.0) == {("depth", "default", "firing"): 1, ("dead", "", "firing"): 1}
        assert all_evaluate(301.0) == {("silent", "", "firing"): 1}
        client.cancel_many(queue="default")
        client.store.skew_seconds = 4_000.0
        client.store.beat(WORKER, running=0)
        assert all_evaluate(4_000.0) == {
            ("depth", "default", "clear"): 1,
            ("dead", "", "clear"): 1,
            ("silent", "", "clear"): 1,
        }
    assert client.alerts.list(firing=True) == []
    assert len(client.alerts.list()) == 3


def test_a_count_from_before_an_alert_cleared_does_not_fire_it_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.statistics.DEAR_REST", 3_600.0 / 1e-9)
    told = Told()
    found = config("[alerts.depth]\nabove = 100", told=told)
    slow, quick = watch(client, found), watch(client, found)
    client.enqueue_many(fine.call(n) for n in range(101))
    monkeypatch.setattr("leasehold.statistics.DEAR_SECONDS", 0.0)
    slow.look()  # its count stands for an hour
    slow.tell()
    client.cancel_many(queue="default")
    monkeypatch.setattr("leasehold.statistics.DEAR_SECONDS", float("inf"))
    quick.look()
    quick.tell()
    for each in (slow, quick, slow):
        each.look()
        each.tell()
    assert told.said == [("depth", "default", "firing"), ("depth", "default", "clear")]


def test_the_fleet_looks_once_in_the_time_however_many_watch(client: Client) -> None:
    looks: list[int] = []
    watches = [watch(client, config()) for _ in range(3)]
    for number, each in enumerate(watches):
        each.look = lambda number=number: looks.append(number)  # type: ignore[method-assign,misc]
    for _ in range(2):
        for each in watches:
            each.step()
    assert len(looks) == 1
    pass_time(client, 1.0)
    watches[2].step()
    assert looks[1:] == [2]


def test_an_alert_holds_between_its_limits_and_fires_again_after_it_cleared(client: Client) -> None:
    told = Told()
    watcher = watch(client, config("depth = { above = 10 }\ndead = false", told=told))
    jobs = client.enqueue_all(fine.call(n) for n in range(11))

    def step() -> None:
        watcher.look()
        watcher.tell()

    step()
    assert told.said == [("depth", "default", "firing")]
    client.cancel(jobs[0].id)
    client.cancel(jobs[1].id)  # 9 are left: below the limit, above 80 % of it
    step()
    assert len(told.said) == 1
    client.cancel(jobs[2].id)
    step()
    assert told.said[1:] == [("depth", "default", "clear")]
    client.enqueue_many(fine.call(n) for n in range(5))
    step()
    assert told.said[2:] == [("depth", "default", "firing")]


def test_a_queue_that_is_empty_and_gone_clears_too(client: Client) -> None:
    told = Told()
    watcher = watch(client, config("depth = { above = 1 }", told=told))
    client.enqueue_many(fine.call(n) for n in range(3))
    watcher.step()
    client.cancel_many(queue="default")
    client.delete_many(queue="default")
    watcher.look()
    watcher.tell()
    assert told.said == [("depth", "default", "firing"), ("depth", "default", "clear")]


def test_a_sink_that_fails_is_tried_again_and_the_others_are_not_told_twice(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    broken, fine_one = Told(failures=4), Told()
    watcher = watch(client, config("depth = { above = 1 }", fine_one=fine_one, broken=broken))
    client.enqueue_many(fine.call(n) for n in range(3))
    with caplog.at_level(logging.WARNING, "leasehold.alerts"):
        watcher.look()
        assert watcher.tell() == 0
        assert (broken.tries, len(fine_one.events)) == (3, 1)
        assert watcher.tell() == 0  # not yet
        pass_time(client, 60)
        assert watcher.tell() == 1
    assert (broken.tries, len(broken.events), len(fine_one.events)) == (5, 1, 1)
    said = [record for record in caplog.records if record.getMessage() == "alert not sent"]
    assert len(said) == 4
    assert "xyzzy" not in caplog.text


def test_a_sink_that_never_works_is_given_up_and_does_not_hold_up_the_clear(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    broken = Told(failures=10**6)
    watcher = watch(client, config("depth = { above = 1 }", broken=broken))
    client.enqueue_many(fine.call(n) for n in range(3))
    watcher.look()
    with caplog.at_level(logging.ERROR, "leasehold.alerts"):
        for _ in range(TRIES):
            assert client.alerts.list()[0].told_at is None
            watcher.tell()
            pass_time(client, 1_000)
    assert "alert given up" in [record.getMessage() for record in caplog.records]
    assert client.alerts.list()[0].told_at is not None


def test_news_of_a_process_that_died_while_it_told_is_told_by_another(client: Client) -> None:
    told = Told()
    client.enqueue_many(fine.call(n) for n in range(3))
    watch(client, config("depth = { above = 1 }")).look()
    assert len(client.store.take_alert_news(seconds=SEND_SECONDS)) == 1  # and there it died
    other = watch(client, config("depth = { above = 1 }", told=told))
    assert other.tell() == 0
    pass_time(client, SEND_SECONDS + 1)
    assert other.tell() == 1
    assert told.said == [("depth", "default", "firing")]


def test_a_firing_that_lasts_is_told_again_if_that_is_wanted(client: Client) -> None:
    told = Told()
    watcher = watch(client, config('remind = "1h"\ndepth = { above = 1 }', told=told))
    client.enqueue_many(fine.call(n) for n in range(3))
    for _ in range(3):
        watcher.look()
        watcher.tell()
        pass_time(client, 3_601)
    assert [each.reminder for each in told.events] == [0, 1, 2]
    assert len({each.id for each in told.events}) == 3


def test_a_muted_rule_tells_nobody_and_what_still_fires_then_is_told(client: Client) -> None:
    told = Told()
    watcher = watch(client, config("depth = { above = 1 }", told=told))
    client.alerts.mute("depth", "1h", by="ada")
    client.enqueue_many(fine.call(n) for n in range(3))
    watcher.step()
    assert told.said == []
    assert client.alerts.list()[0].muted_until is not None
    assert [mute.set_by for mute in client.alerts.mutes()] == ["ada"]
    assert client.alerts.unmute("depth")
    watcher.tell()
    assert told.said == [("depth", "default", "firing")]
    with pytest.raises(lh.BadOption, match="there is no alert 'deep'"):
        client.alerts.mute("deep", "1h")


def test_an_async_client_has_the_same_verbs(store_url: str) -> None:
    async def ask() -> None:
        async with lh.AsyncClient(store_url) as client:
            made = await client.alerts.mute("depth", "1h", by="ada")
            assert await client.alerts.mutes() == [made]
            assert await client.alerts.unmute("depth")
            assert await client.alerts.list(firing=True) == []

    asyncio.run(ask())


def test_it_watches_on_a_thread_of_its_own_and_ends_with_a_slow_sink(client: Client) -> None:
    reached, go = threading.Event(), threading.Event()

    class Slow:
        def send(self, _event: Event) -> None:
            reached.set()
            go.wait(20)

    client.enqueue_many(fine.call(n) for n in range(3))
    watcher = AlertWatch(client, config("depth = { above = 1 }", slow=Slow()))
    with watcher:
        assert reached.wait(20)
        watcher.stop(0.05)
        assert watcher._thread.is_alive()
        go.set()
    assert not watcher._thread.is_alive()


def test_it_survives_a_store_that_does_not_answer(
    client: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Told()

    def refuse(*_args: object, **_named: object) -> None:
        raise lh.StoreUnavailable("gone for a while")

    client.enqueue_many(fine.call(n) for n in range(3))
    with monkeypatch.context() as patched, caplog.at_level(logging.WARNING, "leasehold.alerts"):
        patched.setattr(client.store, "take_duty", refuse)
        watcher = AlertWatch(client, config("depth = { above = 1 }", told=told))
        watcher.start()
        wait_until(lambda: "alerts postponed" in caplog.text, "it was refused")
    wait_until(lambda: bool(told.events), "it goes on")
    watcher.stop()


def test_a_process_that_is_killed_while_it_tells_leaves_the_news_to_others(
    client: Client, store_url: str, tmp_path: Path
) -> None:
    """The sink kills the very process that sends."""
    kill = "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"
    code = f"""
import sys
from leasehold.alerting import AlertWatch, read_config
from leasehold.client import Client
text = '''[alerts]
sinks = ["killer"]
silent = false
depth = {{ above = 1 }}
[sinks.killer]
kind = "command"
argv = [{sys.executable!r}, "-c", {kill!r}]
'''
with Client({store_url!r}) as client:
    AlertWatch(client, read_config(text)).step()
"""
    import subprocess

    client.enqueue_many(fine.call(n) for n in range(3))
    killed = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert killed.returncode == -9
    told = Told()
    watcher = watch(client, config("depth = { above = 1 }", told=told))
    watcher.step()
    assert told.said == []
    pass_time(client, SEND_SECONDS + 1)
    watcher.step()
    assert told.said == [("depth", "default", "firing")]
