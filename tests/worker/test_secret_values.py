"""Secrets as arguments: always encrypted, masked wherever they could show."""

from __future__ import annotations

import copy
import json
import logging
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.client import Client
from leasehold.errors import BadArguments, BadResult, NoKeyring, PlainArguments
from leasehold.sealing.keyring import Keyring
from tests.safety.dump import dump
from tests.worker.encrypted_tasks import leak, log_in, pay, store_secret, untold
from tests.worker.kit import drain, new_worker, outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator

CANARY = "canary-4711-4242"


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    with Client(store_url, keyring=Keyring.generate()) as opened:
        yield opened


def test_a_secret_shows_itself_to_nobody_who_does_not_ask() -> None:
    secret = lh.Secret(CANARY)
    assert CANARY not in f"{secret} {secret!r} {secret:>40} {[secret]}"
    assert secret.reveal() == CANARY
    assert secret == lh.Secret(CANARY)
    assert secret != CANARY
    for copying in (pickle.dumps, copy.copy, json.dumps):
        with pytest.raises(TypeError):
            copying(secret)


def test_a_job_with_a_secret_is_encrypted_without_being_told(client: Client) -> None:
    enqueued = client.enqueue(log_in, user="ann", password=lh.Secret(CANARY))
    assert client.get(enqueued.id).args == {"$enc": "k1"}
    drain(client, log_in)
    assert client.wait(enqueued, "5s") == len(CANARY)
    assert CANARY not in dump(client.store.url)


def test_by_its_name_a_secret_is_written_as_json(client: Client) -> None:
    args = {"user": "ann", "password": {"$secret": CANARY}}
    enqueued = client.enqueue_by_name(log_in.name, args)
    drain(client, log_in)
    assert client.wait(enqueued, "5s") == len(CANARY)
    assert CANARY not in dump(client.store.url)


def test_a_secret_without_keys_is_refused(store_url: str) -> None:
    with Client(store_url) as client:
        with pytest.raises(NoKeyring):
            client.enqueue(log_in, user="ann", password=lh.Secret(CANARY))
        assert client.find() == []


def test_a_secret_where_the_handler_expects_none_is_refused(client: Client) -> None:
    with pytest.raises(BadArguments, match="annotate it as a Secret"):
        client.enqueue(untold, value=lh.Secret(CANARY))
    wrong: Any = "not a secret"
    with pytest.raises(BadArguments, match="expected a Secret"):
        client.enqueue(log_in, user="ann", password=wrong)


def test_the_text_of_an_error_never_holds_the_secret_even_when_revealed(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    enqueued = client.enqueue(leak.with_options(max_attempts=1), password=lh.Secret(CANARY))
    with caplog.at_level(logging.DEBUG):
        drain(client, leak)
    revealed = client.reveal(enqueued.id)
    assert revealed.error == "ValueError: could not log in with ***"
    (attempt,) = client.store.history(enqueued.id)
    assert CANARY not in f"{attempt}"
    assert CANARY not in "\n".join(str(vars(record)) for record in caplog.records)
    with pytest.raises(lh.JobFailed, match=r"with \*\*\*"):
        client.wait(enqueued, "5s")


def test_a_plain_task_can_leave_no_secret_behind(client: Client) -> None:
    enqueued = client.enqueue(store_secret.with_options(max_attempts=1))
    drain(client, store_secret)
    error = client.get(enqueued.id).error
    assert error is not None
    assert "encrypted=True" in error
    assert BadResult.__name__ in error
    assert CANARY not in dump(client.store.url)


def test_an_encrypted_task_asked_for_in_plain_by_its_name_is_refused(client: Client) -> None:
    with new_worker(client, [pay]):  # it has told the store of its tasks
        with pytest.raises(PlainArguments, match="encrypted=True"):
            client.enqueue_by_name(pay.name, {"card": "shown"})
        with pytest.raises(PlainArguments):
            client.enqueue_by_name(pay.name, {"card": "shown"}, key="one")
        assert client.find() == []
        sealed = client.enqueue_by_name(pay.name, {"card": CANARY}, encrypted=True)
        assert client.wait(sealed, "10s") == f"paid with {CANARY}"
    assert outcomes(client, sealed.id) == ["succeeded"]
    assert CANARY not in dump(client.store.url)
