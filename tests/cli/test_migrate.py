"""`leasehold migrate`: shows, checks and applies."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from leasehold.store import open_store
from tests.cli.kit import Cli
from tests.conformance.tables import open_tables


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
