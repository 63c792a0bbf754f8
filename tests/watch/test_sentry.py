"""Failures in Sentry, through its real client and a transport in memory: a canary is nowhere."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import sentry_sdk
from sentry_sdk.transport import Transport

import leasehold as lh
from leasehold.sentry import Sentry, scrub_event
from tests.watch import sentry_tasks as tasks
from tests.worker.kit import drain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sentry_sdk.envelope import Envelope

    from leasehold.client import Client

CANARY = "xyzzy-canary-42"
NUMBER = 4_111_111_111_111


class Kept(Transport):
    """Keeps what would be sent, as the bytes that would go over the wire."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes] = []
        self.events: list[dict[str, Any]] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.sent.append(envelope.serialize())
        event = envelope.get_event()
        if event is not None:
            self.events.append(json.loads(json.dumps(event, default=str)))


@pytest.fixture
def kept() -> Iterator[Kept]:
    transport = Kept()
    sentry_sdk.init(
        dsn="https://public@127.0.0.1/1",
        transport=transport,
        include_local_variables=True,  # what anybody could have set
        attach_stacktrace=True,
        default_integrations=False,
        max_value_length=100_000,
    )
    yield transport
    sentry_sdk.get_client().close()
    sentry_sdk.get_global_scope().set_client(None)


def text_of(kept: Kept) -> str:
    return b"".join(kept.sent).decode()


@pytest.mark.parametrize("name", ["blocking", "asynchronous", "isolated"])
def test_a_death_is_captured_and_no_argument_is_anywhere_in_the_event(
    client: Client, kept: Kept, name: str
) -> None:
    task: lh.Task[[str, int], None] = getattr(tasks, name)
    job = client.enqueue(task, CANARY, NUMBER)
    assert drain(client, task, observers=[Sentry()]).dead == 1
    (event,) = kept.events
    assert event["fingerprint"] == ["leasehold", task.name, "Odd"]
    assert event["exception"]["values"][-1]["type"] == "Odd"
    assert event["tags"]["leasehold.kind"] == task.name
    assert event["tags"]["leasehold.outcome"] == "dead"
    assert event["contexts"]["leasehold"]["job"] == str(job.id)
    assert event["breadcrumbs"]["values"][-1]["message"] == f"job dead: {task.name}"
    assert CANARY not in text_of(kept)
    assert str(NUMBER) not in text_of(kept)
    assert '"vars"' not in text_of(kept)
    assert "user" not in event
    if name != "isolated":
        frames = event["exception"]["values"][-1]["stacktrace"]["frames"]
        assert frames[-1]["function"] == "_deep"
        assert event["exception"]["values"][-1]["value"].startswith("can't fetch https://***@host")


def test_a_failure_that_comes_back_is_captured_only_if_that_is_wanted(
    client: Client, kept: Kept
) -> None:
    client.enqueue(tasks.twice, CANARY, NUMBER)
    drain(client, tasks.twice, observers=[Sentry()])
    assert [event["tags"]["leasehold.outcome"] for event in kept.events] == ["dead"]
    kept.events.clear()
    client.enqueue(tasks.twice, CANARY, NUMBER)
    drain(client, tasks.twice, observers=[Sentry(failed=True)])
    assert [event["tags"]["leasehold.outcome"] for event in kept.events] == ["failed", "dead"]
    assert len({tuple(event["fingerprint"]) for event in kept.events}) == 1


def test_what_a_handler_captures_itself_is_scrubbed_too_and_only_there(
    client: Client, kept: Kept
) -> None:
    client.enqueue(tasks.own, CANARY, NUMBER)
    drain(client, tasks.own, observers=[Sentry()])
    assert kept.events[0]["message"] == "about ***"
    sentry_sdk.capture_message(f"outside {CANARY}")
    assert kept.events[1]["message"] == f"outside {CANARY}"


def test_one_jobs_notes_are_not_in_another_ones_event(client: Client, kept: Kept) -> None:
    client.enqueue(tasks.blocking, CANARY, NUMBER)
    client.enqueue(tasks.twice.with_options(max_attempts=1), "other", NUMBER)
    drain(client, tasks.blocking, tasks.twice, observers=[Sentry()], slots=1)
    other = next(each for each in kept.events if each["tags"]["leasehold.kind"] == "sentry.twice")
    assert "mine" not in other["tags"]
    assert len(other["breadcrumbs"]["values"]) == 1


def test_a_seat_is_left_as_it_was(client: Client, kept: Kept) -> None:
    jobs = client.enqueue_all(tasks.fine.call(n) for n in range(60))
    assert drain(client, tasks.fine, observers=[Sentry()], slots=1).succeeded == 60
    used = {client.get(job.id).result for job in jobs}
    assert len(used) < 30  # tasks are used again: none was spoilt
    assert kept.events == []


def test_without_a_client_nothing_happens(client: Client) -> None:
    client.enqueue(tasks.blocking, CANARY, NUMBER)
    assert drain(client, tasks.blocking, observers=[Sentry()]).dead == 1


def test_before_send_scrubs_any_event() -> None:
    event: Any = {
        "message": f"postgresql://ada:{CANARY}@db/shop",
        "user": {"email": "ada@example.com"},
        "request": {"url": "https://host/x", "headers": {"Cookie": CANARY}},
        "extra": {"password": CANARY, "link": f"https://host/?q={CANARY}", "count": 3},
        "exception": {"values": [{"stacktrace": {"frames": [{"vars": {"a": CANARY}}]}}]},
        "breadcrumbs": {"values": [{"data": {"api_key": CANARY, "status": 200}}]},
    }
    scrubbed = json.dumps(scrub_event(event, {}))
    assert CANARY not in scrubbed
    assert "ada@example.com" not in scrubbed
    assert '"count": 3' in scrubbed
    assert '"status": 200' in scrubbed
