"""Rotation: everything is brought to the new key beside running jobs, and the old one can go."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.client import Client
from leasehold.errors import BadKeyring, KeyInUse, LeaseholdError
from leasehold.model.ids import WorkerId
from leasehold.model.resealing import Resealed, SealedIn
from leasehold.sealing.keyring import Keyring
from leasehold.upkeep.reencryption import Reencryption, read_place
from tests.safety.dump import dump
from tests.worker.encrypted_tasks import fail, pay, walk
from tests.worker.kit import drain, new_worker, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CANARY = "canary-4711-4242"
WORKER = WorkerId(7)


@pytest.fixture
def keyring(tmp_path: Path) -> Keyring:
    Keyring.generate().save(tmp_path / "keys.json")
    return Keyring.read(tmp_path / "keys.json")


@pytest.fixture
def client(store_url: str, keyring: Keyring) -> Iterator[Client]:
    with Client(store_url, keyring=keyring) as opened:
        yield opened


def fill(client: Client) -> dict[str, Any]:
    """Leave something encrypted in every table that may hold it."""
    made = {
        "paid": client.enqueue(pay, card=CANARY).id,
        "failed": client.enqueue(fail.with_options(max_attempts=1), text=CANARY).id,
        "walked": client.enqueue(walk, secret=CANARY).id,
    }
    drain(client, pay, fail, walk)
    made["waiting"] = client.enqueue(pay.with_options(delay="1h"), card=CANARY).id
    client.schedules.set("monthly", "0 3 1 * *", pay.call(card=CANARY))
    client.credentials.set("stripe", CANARY)
    return made


def rotate(keyring: Keyring) -> None:
    keyring.activate(keyring.add())


def check(client: Client, made: dict[str, Any]) -> None:
    """See that all of it is still there, and says what it said."""
    assert client.reveal(made["paid"]).args == {"card": CANARY}
    assert client.reveal(made["paid"]).result == f"paid with {CANARY}"
    assert client.reveal(made["failed"]).error == f"ValueError: {CANARY}"
    assert client.reveal(made["waiting"]).args == {"card": CANARY}
    assert client.reveal(made["walked"]).result[0] == {"page": CANARY}
    assert client.credentials.get("stripe").reveal() == CANARY
    job_id = client.schedules.run_now("monthly")
    assert client.reveal(job_id).args == {"card": CANARY}


def test_everything_is_brought_to_the_new_key_and_the_old_one_can_go(
    client: Client, keyring: Keyring
) -> None:
    made = fill(client)
    rotate(keyring)
    with pytest.raises(KeyInUse) as refused:
        client.encryption.retire("k1")
    assert refused.value.rows >= len(made)
    report = client.encryption.reencrypt()
    assert report.changed > 0
    assert report.left == {}
    used = {each.id: each.rows for each in client.encryption.keys(count=True)}
    assert used["k1"] == 0
    client.encryption.retire("k1")
    assert list(keyring.document.keys) == ["k2"]
    assert "k1" not in set(_keys_in(dump(client.store.url)))
    check(client, made)


def _has(made: list[Any], count: int) -> bool:
    return len(made) >= count


def _keys_in(stored: str) -> list[str]:
    return [part[:2] for part in stored.split("$enc:")[1:]]


def test_the_active_key_is_never_retired(client: Client, keyring: Keyring) -> None:
    with pytest.raises(BadKeyring, match="in use"):
        client.encryption.retire("k1")
    with pytest.raises(BadKeyring, match="no key"):
        client.encryption.retire("k9")
    assert list(keyring.document.keys) == ["k1"]


def test_workers_do_it_by_and_by_and_say_how_far_they_are(client: Client, keyring: Keyring) -> None:
    made = fill(client)
    rotate(keyring)
    reencryption = Reencryption(client.store, WORKER, clock=lambda: 0.0, is_busy=lambda: False)
    reencryption.ask(client.store)
    wait_until(lambda: '"is_done":true' in (client.encryption.background() or ""), "it is done")
    reencryption.stop(5)
    client.encryption.retire("k1")
    check(client, made)


def test_a_walk_that_was_killed_goes_on_where_it_was(client: Client, keyring: Keyring) -> None:
    for _ in range(30):
        client.enqueue(pay, card=CANARY)
    rotate(keyring)
    reencryption = Reencryption(client.store, WORKER, clock=lambda: 0.0, is_busy=lambda: False)
    assert client.store.take_duty("reencryption", WORKER, seconds=0.0) is not None
    place = read_place(None, keyring)
    place = reencryption._step(keyring, place, 10)
    assert reencryption._renew(0.0, place)
    duty = client.store.take_duty("reencryption", WorkerId(8), seconds=0.0)
    assert duty is not None
    again = read_place(duty.cursor, keyring)
    assert again == place
    assert again.changed == 10
    assert again.cursor is not None


def test_a_process_that_has_not_heard_of_the_rotation_does_not_undo_it(
    client: Client, keyring: Keyring
) -> None:
    assert keyring.file is not None
    job_id = client.enqueue(pay, card=CANARY).id
    keyring.add()  # known everywhere, and not active yet
    behind = Keyring(keyring.document)
    keyring.activate("k2")
    client.encryption.reencrypt()
    with Client(client.store.url, keyring=behind) as stale:
        reencryption = Reencryption(stale.store, WORKER, clock=lambda: 0.0, is_busy=lambda: False)
        reencryption.walk(behind, read_place(None, behind))
    assert client.get(job_id).args == {"$enc": "k2"}


def test_a_value_that_changed_meanwhile_is_left_to_a_later_look(client: Client) -> None:
    job_id = client.enqueue(pay, card=CANARY).id
    page = client.store.sealed_page(SealedIn.JOBS, limit=10)
    (row,) = page.rows
    stale = Resealed(row.key, {"args": "{}"}, {"args": '{"lost":1}'})
    assert client.store.reseal(SealedIn.JOBS, [stale]) == 0
    assert client.reveal(job_id).args == {"card": CANARY}


def test_the_same_enqueue_after_a_rotation_is_still_the_same_job(
    client: Client, keyring: Keyring
) -> None:
    named = pay.with_options(id=client.ids.next())
    assert client.enqueue(named, card=CANARY).is_new
    rotate(keyring)
    assert not client.enqueue(named, card=CANARY).is_new
    assert client.enqueue_many([named.call(card=CANARY)]) == 0
    with pytest.raises(lh.IdConflict):
        client.enqueue(named, card="another")


def test_pages_walk_through_every_table_once(client: Client) -> None:
    fill(client)
    for what in SealedIn:
        whole = client.store.sealed_page(what, limit=100)
        assert whole.cursor is None
        keys, cursor = [], None
        while True:
            page = client.store.sealed_page(what, cursor, limit=1)
            keys += [row.key for row in page.rows]
            cursor = page.cursor
            if cursor is None:
                break
        assert keys == [row.key for row in whole.rows]
        assert client.store.sealed_page(what, limit=100, fine=["k1"]).rows == []


def test_jobs_run_on_while_keys_are_rotated_again_and_again(
    client: Client, keyring: Keyring
) -> None:
    stop = threading.Event()
    made: list[Any] = []
    errors: list[LeaseholdError] = []

    def produce() -> None:
        try:
            while not stop.is_set() and len(made) < 2_000:
                made.append(client.enqueue(pay, card=f"{CANARY} {len(made)}").id)
        except LeaseholdError as error:
            errors.append(error)

    producer = threading.Thread(target=produce)
    with new_worker(client, [pay]):
        producer.start()
        for number in range(2, 5):
            wait_until(partial(_has, made, number * 10), "some were made")
            rotate(keyring)
            client.encryption.reencrypt()
        stop.set()
        producer.join()
        wait_until(
            lambda: all(client.get(job_id).state.is_final for job_id in made), "all have ended"
        )
    assert errors == []
    assert {client.get(job_id).state for job_id in made} == {lh.State.SUCCEEDED}
    assert client.encryption.reencrypt().left == {}
    for key in ("k1", "k2", "k3"):
        client.encryption.retire(key)
    assert client.reveal(made[0]).result == f"paid with {CANARY} 0"
