"""A move takes ciphertext along as it is: with the same keys everything can still be read."""

from __future__ import annotations

import pytest

from leasehold.client import Client
from leasehold.moving import move
from leasehold.sealing.keyring import Keyring
from tests.safety.dump import dump
from tests.worker.encrypted_tasks import fail, pay, walk
from tests.worker.kit import drain

CANARY = "canary-4711-4242"


@pytest.mark.parametrize("is_back", [False, True], ids=["to postgres", "to sqlite"])
def test_encrypted_jobs_can_be_read_and_run_after_a_move(
    sqlite_url: str, postgres_url: str, *, is_back: bool
) -> None:
    source, target = (postgres_url, sqlite_url) if is_back else (sqlite_url, postgres_url)
    keyring = Keyring.generate()
    with Client(source, keyring=keyring) as client:
        client.store.migrate()
        paid = client.enqueue(pay, card=CANARY).id
        failed = client.enqueue(fail.with_options(max_attempts=1), text=CANARY).id
        walked = client.enqueue(walk, secret=CANARY).id
        drain(client, pay, fail, walk)
        waiting = client.enqueue(pay, card=CANARY).id
        client.schedules.set("monthly", "0 3 1 * *", pay.call(card=CANARY))
        client.credentials.set("stripe", CANARY, tenant="acme")
    move(source, target)
    assert CANARY not in dump(target)
    with Client(target, keyring=keyring) as client:
        drain(client, pay)
        assert client.reveal(paid).result == f"paid with {CANARY}"
        assert client.reveal(failed).error == f"ValueError: {CANARY}"
        assert client.reveal(walked).result[1] == f"step {CANARY}"
        assert client.reveal(waiting).result == f"paid with {CANARY}"
        assert client.reveal(client.schedules.run_now("monthly")).args == {"card": CANARY}
        assert client.credentials.get("stripe", tenant="acme").reveal() == CANARY
        assert client.encryption.reencrypt().left == {}
