"""Encrypted values in a store that knows no key: written so, found by their key, and changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from leasehold.errors import BadOption, IdConflict, NoKeyring, PlainArguments
from leasehold.model.keys import Unique
from leasehold.model.resealing import Resealed, SealedIn
from leasehold.model.saving import Save
from leasehold.model.values import NewJob, TaskPolicy, WorkerInfo
from leasehold.reencrypting import count_by_key, reencrypt_in_steps
from leasehold.sealing.keyring import Keyring
from tests.conformance.kit import WORKER, claim_one, look, new_id, new_job, raw, settle, start_one

if TYPE_CHECKING:
    from pathlib import Path

    from leasehold.store.base import Store

ARGS = raw({"card": "4711"})


@pytest.fixture
def keyring(store: Store, tmp_path: Path) -> Keyring:
    Keyring.generate().save(tmp_path / "keys.json")
    store.keyring = Keyring.read(tmp_path / "keys.json")
    return store.keyring


def sealed_job(**options: Any) -> NewJob:
    return new_job(args=ARGS, encrypted=True, **options)


def test_arguments_leave_encrypted_by_every_way_and_the_same_twice(
    store: Store, keyring: Keyring
) -> None:
    job = sealed_job()
    store.enqueue([job])
    assert store.begin_enqueue([job])()[job.id].id == job.id  # the same one again
    assert look(store, job.id).args["$enc"] == keyring.document.active
    with pytest.raises(IdConflict):
        store.enqueue([new_job(id=job.id, args=raw({"card": "0815"}), encrypted=True)])
    assert claim_one(store).args.startswith('{"$enc"')


def test_without_keys_nothing_is_written(store: Store) -> None:
    with pytest.raises(NoKeyring):
        store.enqueue([new_job(), sealed_job()])
    assert store.counts() == []


def test_a_key_made_of_arguments_is_hidden_and_one_given_as_text_is_not(
    store: Store, keyring: Keyring
) -> None:
    made = sealed_job(unique=Unique(key='k["4711"]', is_of_arguments=True))
    given = sealed_job(unique=Unique(key="order 7"))
    store.enqueue([made, given])
    hidden = keyring.hash('k["4711"]')
    assert look(store, made.id).key == f"{made.kind}#{hidden}"
    assert look(store, given.id).key == "order 7"


def test_a_lane_made_of_arguments_is_refused(store: Store, keyring: Keyring) -> None:
    with pytest.raises(BadOption, match="would show them"):
        store.enqueue([sealed_job(lane="host:a", shows=True)])
    assert keyring.document.active == "k1"


def test_plain_arguments_of_an_encrypted_kind_are_refused_where_its_code_is_not_known(
    store: Store,
) -> None:
    policy = TaskPolicy(
        kind="pay",
        queue="default",
        priority=0,
        max_attempts=5,
        timeout_seconds=60,
        dies_on_lapse=False,
        encrypted=True,
    )
    info = WorkerInfo(id=WORKER, name="w", queues=("default",), kinds=("pay",), slots=1, version="")
    store.register(info, [policy])
    by_name = NewJob(id=new_id(), kind="pay", args=ARGS)
    with pytest.raises(PlainArguments) as refused:
        store.enqueue([by_name])
    assert refused.value.kind == "pay"
    assert store.get(by_name.id) is None
    known = {"queue": "default", "priority": 0, "max_attempts": 5, "timeout_seconds": 60}
    store.enqueue([new_job(kind="pay", args=ARGS, **known)])  # from who knows its code


def test_all_that_is_encrypted_is_counted_and_brought_to_the_new_key(
    store: Store, keyring: Keyring
) -> None:
    plain = start_one(store)
    settle(store, plain, "failed", error="plain", delay_seconds=0)
    store.enqueue([sealed_job()])
    taken = claim_one(store)
    cipher = keyring.cipher("k1")
    place = place_of(str(taken.job_id), "error")
    error = f"ValueError: $enc:k1:{cipher.seal(b'secret', place)}"
    store.save(WORKER, [Save(job_id=taken.job_id, fence=taken.fence, done=1)])
    settle(store, taken, "dead", error=error, is_counted=True)
    assert count_by_key(store) == {"k1": 2}
    keyring.activate(keyring.add())
    *_, report = reencrypt_in_steps(store, keyring)
    assert (report.changed, report.left) == (2, {})
    assert count_by_key(store) == {"k2": 2}
    assert str(look(store, taken.job_id).error).startswith("ValueError: $enc:k2:")


def test_a_change_counts_only_where_the_old_value_stands(store: Store, keyring: Keyring) -> None:
    job = sealed_job()
    store.enqueue([job])
    (row,) = store.sealed_page(SealedIn.JOBS, limit=10).rows
    stale = Resealed(row.key, {"args": "{}"}, {"args": '{"other":1}'})
    assert store.reseal(SealedIn.JOBS, [stale]) == 0
    fresh = Resealed(row.key, {"args": str(row.fields["args"])}, {"args": '{"other":1}'})
    assert store.reseal(SealedIn.JOBS, [fresh]) == 1
    assert look(store, job.id).args == {"other": 1}
    assert keyring.document.active == "k1"


def test_credentials_are_each_tenants_own(store: Store) -> None:
    store.put_credential("stripe", "$enc:k1:AAAA", tenant="acme", by="ann")
    store.put_credential("stripe", "$enc:k2:BBBB", tenant="", by=None)
    store.put_credential("stripe", "$enc:k3:CCCC", tenant="", by=None)
    assert store.credential("stripe", tenant="") == "$enc:k3:CCCC"
    listed = [(each.tenant, each.key, each.set_by) for each in store.credentials()]
    assert listed == [("", "k3", None), ("acme", "k1", "ann")]
    assert [each.tenant for each in store.credentials(tenant="acme")] == ["acme"]
    assert store.delete_credential("stripe", tenant="acme")
    assert not store.delete_credential("stripe", tenant="acme")
    assert store.credential("stripe", tenant="acme") is None


def place_of(job_id: str, field: str) -> bytes:
    """Say where a value stands, as a seal does."""
    return msgspec.json.encode(("job", job_id, field, ""))
