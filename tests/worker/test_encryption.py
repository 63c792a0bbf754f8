"""Encrypted jobs: the database never holds what they are about, and handlers notice nothing."""

from __future__ import annotations

import json
import logging
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import leasehold as lh
from leasehold.client import Client
from leasehold.errors import BadCiphertext, BadOption, JobFailed, MissingKey, NoKeyring
from leasehold.model.causes import Reason
from leasehold.model.states import State
from leasehold.sealing.keyring import Keyring
from leasehold.store.sqlite.location import parse
from tests.safety.dump import dump
from tests.worker.encrypted_tasks import combine, fail, isolated, pay, plain, walk
from tests.worker.kit import drain, outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CANARY = "canary-4711-4242"


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    Keyring.generate().save(tmp_path / "keys.json")
    return Keyring.read(tmp_path / "keys.json")


@pytest.fixture
def client(store_url: str, keyring: Keyring) -> Iterator[Client]:
    with Client(store_url, keyring=keyring) as opened:
        yield opened


def other_client(client: Client, keyring: Keyring | None) -> Client:
    """Another process, with other keys."""
    found = Client(client.store.url, keyring=keyring or Keyring.generate())
    if keyring is None:
        found.store.keyring = None
    return found


def test_arguments_and_results_are_encrypted_in_the_database_only(client: Client) -> None:
    enqueued = client.enqueue(pay, card=CANARY)
    assert CANARY not in dump(client.store.url)
    drain(client, pay)
    assert client.wait(enqueued, "5s") == f"paid with {CANARY}"
    assert CANARY not in dump(client.store.url)


def test_people_see_which_key_it_needs_and_code_may_reveal_it(client: Client) -> None:
    job_id = client.enqueue(pay, card=CANARY).id
    drain(client, pay)
    assert client.get(job_id).args == {"$enc": "k1"}
    assert client.get(job_id).result == {"$enc": "k1"}
    assert client.find(kind=pay.name)[0].args == {"$enc": "k1"}
    assert client.page(kind=pay.name).jobs[0].args == {"$enc": "k1"}
    revealed = client.reveal(job_id)
    assert revealed.args == {"card": CANARY}
    assert revealed.result == f"paid with {CANARY}"


def test_an_error_keeps_its_class_and_hides_its_text(client: Client) -> None:
    enqueued = client.enqueue(fail.with_options(max_attempts=1), text=CANARY)
    drain(client, fail)
    assert client.get(enqueued.id).error == "ValueError: (encrypted, key k1)"
    (attempt,) = client.history(enqueued.id)
    assert attempt.traceback == "(encrypted, key k1)"
    assert client.stats.failures()[0].message == "(encrypted, key k<n>)"
    assert "(encrypted, key k1)" in client.why(enqueued.id).text
    assert CANARY not in dump(client.store.url)
    with pytest.raises(JobFailed, match=CANARY):  # it is the caller's own
        client.wait(enqueued, "5s")
    assert client.reveal(enqueued.id).error == f"ValueError: {CANARY}"


def test_checkpoints_notes_and_steps_are_encrypted_and_found_again(client: Client) -> None:
    enqueued = client.enqueue(walk, secret=CANARY)
    drain(client, walk)
    stored = dump(client.store.url)
    assert CANARY not in stored
    assert client.wait(enqueued, "5s") == [{"page": CANARY}, f"step {CANARY}", {"page": CANARY}]
    saved = client.checkpoint(enqueued.id)
    assert saved is not None
    assert saved.cursor == {"$enc": "k1"}
    assert saved.note == "(encrypted, key k1)"
    assert saved.done == 1
    assert [step.result for step in client.steps(enqueued.id)] == [{"$enc": "k1"}]


def test_a_child_process_has_no_keys_and_works_all_the_same(client: Client) -> None:
    enqueued = client.enqueue(isolated, secret=CANARY)
    drain(client, isolated)
    assert client.wait(enqueued, "5s") == [{"page": CANARY}, f"step {CANARY}"]
    assert CANARY not in dump(client.store.url)


def test_a_dependent_reads_the_encrypted_results_of_those_before_it(client: Client) -> None:
    first = client.enqueue(pay, card=CANARY)
    enqueued = client.enqueue(combine.with_options(after=first.id))
    drain(client, pay, combine)
    assert client.wait(enqueued, "5s") == f"paid with {CANARY}!"
    assert CANARY not in dump(client.store.url)


def test_a_schedule_keeps_its_arguments_encrypted(client: Client) -> None:
    client.schedules.set("monthly", "0 3 1 * *", pay.call(card=CANARY))
    assert CANARY not in dump(client.store.url)
    assert client.schedules.get("monthly").job["args"] == {"$enc": "k1"}
    client.schedules.change("monthly", rule="0 4 1 * *")
    job_id = client.schedules.run_now("monthly")
    drain(client, pay)
    assert client.reveal(job_id).result == f"paid with {CANARY}"
    assert CANARY not in dump(client.store.url)


def test_a_key_made_of_encrypted_arguments_shows_none_and_still_holds(client: Client) -> None:
    keyed = pay.with_options(key=lh.by("card"))
    first = client.enqueue(keyed, card=CANARY)
    assert not client.enqueue(keyed, card=CANARY).is_new
    assert client.enqueue(keyed, card="another").is_new
    assert CANARY not in dump(client.store.url)
    assert str(client.get(first.id).key).startswith(f"{pay.name}#")


def test_a_throttle_made_of_encrypted_arguments_is_refused_where_it_is_declared() -> None:
    throttle = lh.Throttle("card", running=1)
    with pytest.raises(BadOption, match="would show them"):
        pay.with_options(throttle=throttle.by("card"))


def test_the_same_enqueue_again_is_the_same_job(client: Client) -> None:
    job_id = client.ids.next()
    named = pay.with_options(id=job_id)
    assert client.enqueue(named, card=CANARY).is_new
    assert not client.enqueue(named, card=CANARY).is_new
    with pytest.raises(lh.IdConflict):
        client.enqueue(named, card="another")


def test_an_enqueue_without_keys_is_refused_and_writes_nothing(store_url: str) -> None:
    with Client(store_url) as client:
        with pytest.raises(NoKeyring, match="LEASEHOLD_KEYS"):
            client.enqueue(pay, card=CANARY)
        with pytest.raises(NoKeyring):
            client.enqueue_many([plain.call(text="a"), pay.call(card=CANARY)])
        assert client.find() == []


def test_a_job_whose_key_is_missing_waits_uncharged_and_says_which(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    job_id = client.enqueue(pay.with_options(max_attempts=1), card=CANARY).id
    with other_client(client, None) as keyless, caplog.at_level(logging.WARNING):
        drain(keyless, pay)
    job = client.get(job_id)
    assert job.state is State.QUEUED
    assert job.failures == 0
    why = client.why(job_id)
    assert why.reason is Reason.MISSING_KEY
    assert "'k1'" in why.text
    assert "key" in {name for record in caplog.records for name in vars(record)}
    client.store.skew_seconds += 3600
    drain(client, pay)
    assert outcomes(client, job_id) == ["snoozed", "succeeded"]


def test_a_key_that_is_added_to_the_file_is_known_at_once(client: Client, keyring: Keyring) -> None:
    assert keyring.file is not None
    producer = Keyring.read(keyring.file)
    producer.activate(producer.add())
    with other_client(client, producer) as enqueuing:
        enqueued = enqueuing.enqueue(pay, card=CANARY)
    assert client.get(enqueued.id).args == {"$enc": "k2"}
    drain(client, pay)
    assert outcomes(client, enqueued.id) == ["succeeded"]


@pytest.mark.parametrize("tampering", ["changed", "another job's"])
def test_a_job_that_was_tampered_with_is_dead_and_not_retried(
    client: Client, tampering: str
) -> None:
    job_id = client.enqueue(pay, card=CANARY).id
    donor = client.enqueue(pay.with_options(queue="elsewhere"), card="another").id
    found = client.store.get(donor if tampering == "another job's" else job_id)
    assert found is not None
    value = found.args["value"]
    if tampering == "changed":
        value = value[:-6] + ("A" if value[-6] != "A" else "B") + value[-5:]
    write_args(client.store.url, job_id, {"$enc": "k1", "value": value})
    drain(client, pay)
    job = client.get(job_id)
    assert job.state is State.DEAD
    assert job.error is not None
    assert job.error.startswith("BadCiphertext")
    with pytest.raises(BadCiphertext):
        client.reveal(job_id)


def test_all_jobs_of_a_tenant_are_encrypted_when_its_keyring_says_so(store_url: str) -> None:
    document = json.loads(json.dumps(Keyring.generate().document, default=_fields))
    keyring = Keyring.read(json.dumps(document | {"tenants": {"acme": None}}))
    with Client(store_url, keyring=keyring) as client:
        theirs = client.enqueue(plain.with_options(tenant="acme"), text=CANARY)
        others = client.enqueue(plain, text="shown")
        drain(client, plain)
        assert client.wait(theirs, "5s") == CANARY
        assert client.get(theirs.id).result == {"$enc": "k1"}
        assert client.get(others.id).result == "shown"
        assert CANARY not in dump(store_url)


def test_waiting_without_the_key_says_which_one_is_missing(client: Client) -> None:
    enqueued = client.enqueue(pay, card=CANARY)
    drain(client, pay)
    with other_client(client, None) as keyless, pytest.raises(MissingKey, match="'k1'"):
        keyless.wait(enqueued.id, "5s")


def test_plain_jobs_of_a_task_that_became_encrypted_still_run(client: Client) -> None:
    enqueued = client.enqueue_by_name(pay.name, {"card": "old"})  # no worker has told of it yet
    drain(client, pay)
    assert client.get(enqueued.id).args == {"card": "old"}
    assert client.get(enqueued.id).result == {"$enc": "k1"}


def _fields(document: Any) -> Any:
    return {name: getattr(document, name) for name in document.__struct_fields__}


def write_args(url: str, job_id: Any, args: dict[str, Any]) -> None:
    """Change a row as somebody would who can write to the database."""
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(parse(url).path)) as connection, connection:
            change = "UPDATE leasehold_job SET args = ? WHERE id = ?"
            connection.execute(change, (json.dumps(args), str(job_id)))
        return
    with psycopg.connect(url) as server:
        server.execute(
            "UPDATE leasehold.job SET args = %s::jsonb WHERE id = %s", (json.dumps(args), job_id)
        )
