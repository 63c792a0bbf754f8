"""Keyrings: read from a file or a variable, followed, changed as a whole, and never shown."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import BadCiphertext, BadKeyring, MissingKey
from leasehold.sealing.ciphers import Cipher
from leasehold.sealing.keyring import LOOK_SECONDS, VARIABLE, Keyring, read_environment
from leasehold.sealing.seals import job_seal

if TYPE_CHECKING:
    from pathlib import Path

JOB = "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "keys.json"
    Keyring.generate().save(path)
    return path


def document(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text())
    return found


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_keyring_shows_names_and_no_key(file: Path) -> None:
    keyring = Keyring.read(file)
    shown = f"{keyring!r} {keyring.document!r} {keyring} {vars(keyring)}"
    assert "k1" in shown
    for secret in (*document(file)["keys"].values(), document(file)["hashing"]):
        assert secret not in shown


def test_the_variable_names_a_file_or_holds_the_document(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert read_environment() is None
    for source in (str(file), file.read_text()):
        monkeypatch.setenv(VARIABLE, source)
        found = read_environment()
        assert found is not None
        assert found.document == Keyring.read(file).document


def test_a_file_is_followed_at_once_for_an_unknown_key_and_else_after_a_second(
    file: Path,
) -> None:
    clock = Clock()
    reader = Keyring(Keyring.read(file).document, file=file, clock=clock)
    writer = Keyring.read(file)
    writer.activate(writer.add())
    assert reader.active_for("") == "k1"  # it has not looked yet
    assert isinstance(reader.cipher("k2"), Cipher)  # … and does for what it does not know
    writer.activate(writer.add())
    clock.now += LOOK_SECONDS
    assert reader.active_for("") == "k3"


@pytest.mark.parametrize("text", ["", "{", '{"active": "k1"}'])
def test_a_file_that_is_half_written_or_gone_leaves_the_keys_as_they_were(
    file: Path, text: str
) -> None:
    clock = Clock()
    keyring = Keyring(Keyring.read(file).document, file=file, clock=clock)
    file.write_text(text)
    clock.now += LOOK_SECONDS
    assert keyring.active_for("") == "k1"
    file.unlink()
    clock.now += LOOK_SECONDS
    assert keyring.active_for("") == "k1"
    with pytest.raises(MissingKey):
        keyring.cipher("k9")


def test_changes_keep_the_file_its_owners(file: Path) -> None:
    keyring = Keyring.read(file)
    keyring.add("next")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(document(file)["keys"]) == ["k1", "next"]
    assert [each.name for each in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda keys: keys.add("k1"), "already"),
        (lambda keys: keys.add("no spaces"), "can't name a key"),
        (lambda keys: keys.activate("k9"), "does not hold"),
        (lambda keys: keys.forget("k1"), "in use"),
        (lambda keys: keys.forget("k9"), "no key"),
    ],
)
def test_what_can_not_be_is_refused_and_changes_nothing(file: Path, change: Any, said: str) -> None:
    before = file.read_bytes()
    with pytest.raises(BadKeyring, match=said):
        change(Keyring.read(file))
    assert file.read_bytes() == before


def test_a_bad_document_is_refused_without_being_repeated(file: Path) -> None:
    good = document(file)
    secret = "c4nary" * 8
    for bad in (
        good | {"keys": {"k1": secret}},
        good | {"hashing": secret},
        good | {"keys": secret},
        good | {"active": "k9"},
        good | {"tenants": {"acme": "k9"}},
        [secret],
    ):
        with pytest.raises(BadKeyring) as refused:
            Keyring.read(json.dumps(bad) if isinstance(bad, dict) else f"{{{secret}")
        assert secret not in f"{refused.value} {refused.value.__cause__}"


def test_a_value_is_bound_to_its_job_field_and_tenant() -> None:
    keyring = Keyring.generate()
    sealed = job_seal(keyring, JOB, "acme").seal_json("args", b'{"a":1}')
    assert job_seal(keyring, JOB, "acme").open_json("args", sealed) == b'{"a":1}'
    for other, field in (
        (job_seal(keyring, JOB.replace("0192", "0193"), "acme"), "args"),
        (job_seal(keyring, JOB, "globex"), "args"),
        (job_seal(keyring, JOB, "acme"), "result"),
    ):
        with pytest.raises(BadCiphertext):
            other.open_json(field, sealed)


@pytest.mark.parametrize("value", ["", "AAAA", "not base64 !", "A" * 200])
def test_what_is_no_ciphertext_is_a_clear_error(value: str) -> None:
    seal = job_seal(Keyring.generate(), JOB, "")
    with pytest.raises(BadCiphertext):
        seal.open_json("args", json.dumps({"$enc": "k1", "value": value}))
    with pytest.raises(BadCiphertext):
        seal.open_json("args", '{"$enc":"k1","value":"AAAA","more":1}')


def test_only_arguments_are_the_same_twice() -> None:
    seal = job_seal(Keyring.generate(), JOB, "")
    once, twice = (seal.seal_json("args", b"{}", repeats=True) for _ in range(2))
    assert once == twice
    assert seal.seal_json("result", b"{}") != seal.seal_json("result", b"{}")


def test_a_tenant_may_have_a_key_of_its_own(file: Path) -> None:
    keyring = Keyring.read(file)
    keyring.add("own")
    said = document(file) | {"tenants": {"acme": "own", "globex": None}}
    keyring = Keyring.read(json.dumps(said))
    assert keyring.tenants == {"acme", "globex"}
    assert [keyring.active_for(tenant) for tenant in ("acme", "globex", "")] == ["own", "k1", "k1"]
    with pytest.raises(BadKeyring, match="no file"):
        keyring.add()
