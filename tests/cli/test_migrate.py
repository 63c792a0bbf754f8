"""`leasehold migrate`: shows, checks and applies."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from leasehold.store import open_store
from tests.cli.kit import Cli
from tests.conformance.tables import open_tables
from tests.postgres_server import PostgresServer
from tests.safety.roles import drop_roles


@pytest.fixture
def bare(postgres_url: str, tmp_path: Path) -> Cli:
    """A server's database starts without tables; a SQLite file gets them when it is opened."""
    return Cli(postgres_url, tmp_path)


def test_check_says_what_is_pending_with_exit_code_3(bare: Cli) -> None:
    answer = bare("migrate", "--check")
    assert answer.code == 3
    assert "  pending 0001_" in answer.out
    assert bare("migrate", "--check", "--json").json()["version"] == 0


def test_a_dry_run_changes_nothing(bare: Cli) -> None:
    assert bare("migrate", "--dry-run").code == 0
    assert bare("migrate", "--check").code == 3


def test_migrate_applies_once(empty_url: str, tmp_path: Path) -> None:
    cli = Cli(empty_url, tmp_path)
    assert cli("migrate").out.endswith("Up to date.\n")
    again = cli("migrate", "--json").json()
    assert again["pending"] == again["applied"] == []
    assert again["version"] == again["code_version"] > 0
    assert cli("migrate", "--check").code == 0


def test_migrate_names_what_it_ran(bare: Cli) -> None:
    applied = bare("migrate", "--json").json()["applied"]
    assert applied[0].startswith("0001_")


def test_other_commands_point_to_migrate_with_exit_code_3(bare: Cli) -> None:
    for words in (["queues"], ["enqueue", "greet"], ["work", "tests.cli.shop:greet"]):
        answer = bare.script(*words, PYTHONPATH=str(Path(__file__).parents[2]))
        assert answer.code == 3
        assert "leasehold migrate" in answer.err


def test_tables_that_are_too_new_are_refused(empty_url: str, tmp_path: Path) -> None:
    cli = Cli(empty_url, tmp_path)
    with contextlib.closing(open_store(empty_url)) as store:
        store.migrate()
    make_too_new(empty_url)
    answer = cli("migrate")
    assert answer.code == 3
    assert "upgrade leasehold" in answer.err


def make_too_new(url: str) -> None:
    is_sqlite = url.startswith("sqlite")
    table = "leasehold_migration" if is_sqlite else "leasehold.migration"
    with open_tables(url) as tables:
        tables.execute(f"UPDATE {table} SET version = version + 900, serves_from = 900")  # noqa: S608


def test_a_sqlite_file_that_is_not_there_is_only_made_by_who_writes(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    cli = Cli(f"sqlite:///{path}", tmp_path)
    for words in (["queues"], ["jobs", "list"], ["doctor"], ["migrate", "--check"]):
        answer = cli(*words)
        assert answer.code == 3
        assert "there is no file" in answer.err
        assert not path.exists()
    assert cli("migrate").code == 0
    assert path.exists()


@pytest.fixture
def prefix(postgres_server: PostgresServer, bare: Cli) -> Iterator[str]:
    """What the names of a test's roles begin with; they go with its database."""
    prefix = f"t{secrets.token_hex(4)}_"
    yield prefix
    postgres_server.drop_database(bare.url)
    drop_roles(postgres_server, prefix)


def test_roles_are_made_once_and_shown(bare: Cli, prefix: str) -> None:
    words = ("migrate", "--roles", "--role-prefix", prefix)
    assert bare(*words, "--dry-run").out.endswith("Run `leasehold migrate`.\n")
    first = bare(*words)
    assert f"  role {prefix}app, which may log in\n" in first.out
    assert f"  {prefix}worker is a member of {prefix}app\n" in first.out
    assert "owners, rights and policies made" in first.out
    assert bare(*words).out.endswith("Roles, rights and policies are as they should be.\n")
    assert bare("migrate", "--roles", "--json").json()["roles"] == []


def test_check_tells_of_roles_that_are_not_as_they_should_be(bare: Cli, prefix: str) -> None:
    bare("migrate")
    words = ("migrate", "--roles", "--role-prefix", prefix)
    looked = bare(*words, "--check")
    assert looked.code == 3
    assert "would be made" in looked.out
    assert bare(*words).code == 0
    assert bare(*words, "--check").code == 0


def test_a_prefix_without_roles_is_a_slip(bare: Cli) -> None:
    assert bare("migrate", "--role-prefix", "mine_").code == 2


def test_a_file_has_no_roles(sqlite_url: str, tmp_path: Path) -> None:
    answer = Cli(sqlite_url, tmp_path)("migrate", "--roles")
    assert answer.code == 1
    assert "has no roles" in answer.err
