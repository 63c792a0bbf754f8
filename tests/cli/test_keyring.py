"""`leasehold keyring` and `leasehold credentials`: keys are rotated by hand, and never printed."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from leasehold.client import Client
    from tests.cli.kit import Cli

CANARY = "canary-4711-4242"


@pytest.fixture
def keys(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "keys.json"
    assert cli("keyring", "init", str(file)).code == 0
    monkeypatch.setenv("LEASEHOLD_KEYS", str(file))
    return file


def test_keys_are_made_for_their_owner_alone_and_never_overwritten(cli: Cli, keys: Path) -> None:
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    again = cli("keyring", "init", str(keys))
    assert again.code == 2
    assert "never lost" in again.err


def test_without_keys_it_says_how_to_make_some(cli: Cli, client: Client) -> None:
    refused = cli("keyring", "add")
    assert refused.code == 1
    assert "keyring init" in refused.err
    assert "No keys here" in cli("keyring", "list").out


def test_a_rotation_from_beginning_to_end(cli: Cli, client: Client, keys: Path) -> None:
    job = cli("enqueue", "greet", f"name={CANARY}", "--encrypted").out.strip()
    secrets = json.loads(keys.read_text())["keys"]
    assert cli("keyring", "rotate", "--json").json() == {"key": "k2", "active": True}
    refused = cli("keyring", "retire", "k1")
    assert refused.code == 1
    assert "still needed for 1 row" in refused.err
    assert cli("keyring", "reencrypt", "--json").json()["reencrypted"]["changed"] == 1
    listed = cli("keyring", "list", "--count", "--json")
    assert [(each["id"], each["is_active"], each["rows"]) for each in listed.json()["keys"]] == [
        ("k1", False, 0),
        ("k2", True, 1),
    ]
    assert cli("keyring", "retire", "k1").code == 0
    assert list(json.loads(keys.read_text())["keys"]) == ["k2"]
    shown = cli("jobs", "show", job)
    assert "encrypted, key k2" in shown.out
    assert CANARY not in shown.out
    assert CANARY in cli("jobs", "show", job, "--reveal").out
    assert not any(secret in listed.out for secret in secrets.values())


def test_a_key_can_be_handed_out_before_it_is_used(cli: Cli, client: Client, keys: Path) -> None:
    assert "keyring activate next" in cli("keyring", "add", "next").out
    assert json.loads(keys.read_text())["active"] == "k1"
    cli("keyring", "activate", "next")
    assert json.loads(keys.read_text())["active"] == "next"
    assert "active" in cli("keyring", "list").out


def test_a_credential_comes_in_on_stdin_and_never_out(cli: Cli, client: Client, keys: Path) -> None:
    done = cli("credentials", "set", "stripe", "--tenant", "acme", stdin=f"{CANARY}\n")
    assert (done.code, done.out) == (0, "stripe set\n")
    for words in (("list",), ("list", "--json"), ("list", "--tenant", "acme")):
        answer = cli("credentials", *words)
        assert "stripe" in answer.out
        assert CANARY not in answer.out
    assert cli("credentials", "list", "--tenant", "other").out == "No credentials.\n"
    assert cli("credentials", "remove", "stripe").code == 3
    assert cli("credentials", "remove", "stripe", "--tenant", "acme").code == 0


def test_doctor_looks_at_the_file_of_the_keys(cli: Cli, client: Client, keys: Path) -> None:
    def level() -> str:
        findings = cli("doctor", "--json").json()["findings"]
        return str(next(each["level"] for each in findings if each["topic"] == "encryption"))

    assert level() == "ok"
    keys.chmod(0o644)
    assert level() == "warning"
