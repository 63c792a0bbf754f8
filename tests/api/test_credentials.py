"""Credentials: the database holds ciphertext, each value is its tenant's, and names are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.client import Client
from leasehold.errors import BadCiphertext, BadOption, CredentialNotFound, NoKeyring
from leasehold.sealing.keyring import Keyring
from tests.safety.dump import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

CANARY = "canary-4711-4242"


@pytest.fixture(params=["sqlite", "postgres"])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    url: str = request.getfixturevalue(f"{request.param}_url")
    with Client(url, keyring=Keyring.generate()) as opened:
        opened.store.migrate()
        yield opened


def test_a_value_comes_back_as_a_secret_and_stands_encrypted(client: Client) -> None:
    client.credentials.set("stripe", CANARY, by="ann")
    found = client.credentials.get("stripe")
    assert found == lh.Secret(CANARY)
    assert CANARY not in f"{found} {found!r}"
    assert CANARY not in dump(client.store.url)
    (info,) = client.credentials.list()
    assert (info.name, info.tenant, info.key, info.set_by) == ("stripe", "", "k1", "ann")


def test_setting_it_again_takes_the_place_of_the_old_one(client: Client) -> None:
    client.credentials.set("stripe", "old")
    client.credentials.set("stripe", lh.Secret("new"))
    assert client.credentials.get("stripe").reveal() == "new"
    assert len(client.credentials.list()) == 1


def test_each_tenant_has_its_own(client: Client) -> None:
    acme, globex = client.for_tenant("acme"), client.for_tenant("globex")
    acme.credentials.set("stripe", "acme's")
    globex.credentials.set("stripe", "globex's")
    assert acme.credentials.get("stripe").reveal() == "acme's"
    assert client.credentials.get("stripe", tenant="globex").reveal() == "globex's"
    assert [info.tenant for info in acme.credentials.list()] == ["acme"]
    with pytest.raises(CredentialNotFound):
        client.credentials.get("stripe")
    with pytest.raises(lh.ForeignTenant):
        acme.credentials.get("stripe", tenant="globex")
    assert not acme.credentials.remove("other")
    assert acme.credentials.remove("stripe")
    assert globex.credentials.get("stripe").reveal() == "globex's"


def test_a_value_that_was_moved_to_another_name_or_tenant_is_refused(client: Client) -> None:
    client.credentials.set("stripe", CANARY)
    stolen = client.store.credential("stripe", tenant="")
    assert stolen is not None
    client.store.put_credential("paypal", stolen, tenant="", by=None)
    client.store.put_credential("stripe", stolen, tenant="acme", by=None)
    with pytest.raises(BadCiphertext):
        client.credentials.get("paypal")
    with pytest.raises(BadCiphertext):
        client.credentials.get("stripe", tenant="acme")


@pytest.mark.parametrize("value", ["", "x" * 65_537])
def test_what_is_no_value_is_refused(client: Client, value: str) -> None:
    with pytest.raises(BadOption):
        client.credentials.set("stripe", value)


def test_without_keys_nothing_is_kept(client: Client) -> None:
    client.store.keyring = None
    with pytest.raises(NoKeyring):
        client.credentials.set("stripe", CANARY)
    assert client.credentials.list() == []


def test_whoever_changes_or_reveals_something_is_written_down(client: Client) -> None:
    client.credentials.set("stripe", CANARY, by="ann")
    client.credentials.remove("stripe")
    task = lh.task(name="secret", encrypted=True)(_nothing)
    client.reveal(client.enqueue(task).id)
    done = [entry.action for entry in client.audit.list()]
    assert {"credential.set", "credential.remove", "job.reveal"} <= set(done)
    assert CANARY not in str(client.audit.list())


def _nothing() -> None: ...
