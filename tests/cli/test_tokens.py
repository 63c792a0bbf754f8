"""`leasehold token` and `leasehold audit`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leasehold.cli.controlling import os_user
from tests.cli.kit import Cli

if TYPE_CHECKING:
    from pathlib import Path

    from leasehold.client import Client


def test_a_token_is_printed_once_and_only_its_digest_is_kept(cli: Cli, client: Client) -> None:
    assert cli("token").out == "No token: nobody is asked who they are.\n"
    made = cli("token", "add", "ci", "--scope", "operate", "--tenant", "acme", "--expires", "90d")
    secret = made.out.strip()
    assert re.fullmatch(r"lh_[a-z2-9]{12}_[A-Za-z0-9_-]{43}", secret)
    assert "not shown again" in made.err
    holder = client.tokens.check(secret)
    assert holder is not None
    assert (holder.name, holder.right, holder.tenant) == ("ci", "operate", "acme")
    listed = cli("token", "list")
    assert secret not in listed.out
    assert secret.rpartition("_")[2] not in listed.out + cli("token", "--json").out
    assert re.search(r"ci +operate +acme +stands", listed.out)


def test_a_token_can_be_made_before_anything_else(tmp_path: Path) -> None:
    new = Cli(f"sqlite:///{tmp_path / 'new.db'}", tmp_path)
    assert new("token").code == 3
    assert new("token", "add", "first").code == 0
    assert "first" in new("token").out


def test_a_token_is_revoked(cli: Cli, client: Client) -> None:
    secret = cli("token", "add", "ci", "--json").json()["token"]
    taken = cli("token", "add", "ci")
    assert taken.code == 2
    assert "revoke it first" in taken.err
    assert cli("token", "revoke", "ci").out == "ci: revoked\n"
    assert cli("token", "revoke", "ci").code == 3
    assert client.tokens.check(secret) is None
    assert "revoked" in cli("token").out


def test_what_was_done_is_shown_with_who_did_it(cli: Cli, client: Client) -> None:
    assert cli("audit").out == "Nobody did anything yet.\n"
    cli("queues", "pause", "mail", "--reason", "repair")
    cli("token", "add", "ci")
    rows = cli("audit", "--json").json()["audit"]
    assert [each["action"] for each in rows] == ["token.add", "queue.pause"]
    assert {each["actor"] for each in rows} == {os_user() or ""}
    assert {each["via"] for each in rows} == {"cli"}
    assert re.search(r"cli +- +- +queue.pause +mail +1 +reason=repair", cli("audit").out)
    assert cli("audit", "--action", "token.revoke").out == "Nobody did anything yet.\n"
    assert "token.add" in cli("audit", "--since", "1h").out


def test_old_rows_are_pruned_by_hand_only(cli: Cli, client: Client) -> None:
    cli("queues", "pause", "mail")
    client.store.skew_seconds = 0
    assert cli("audit", "prune").code == 2
    assert cli("audit", "prune", "--older", "1d").out == "0 rows are gone\n"
    assert cli("audit", "prune", "--older", "0s").out == "1 row is gone\n"
    (row,) = client.audit.list()
    assert (row.action, row.count) == ("audit.prune", 1)
