"""`leasehold-links`: imports, exports and what it says, as a person or a script runs it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import leasehold as lh
from leasehold_links.cli.program import program
from leasehold_links.settings import Settings, lending
from leasehold_links.tasks import import_file
from tests.links.dialects import CHROME, FIREFOX
from tests.links.jobs.kit import run_imports

Run = Callable[..., Result]


@pytest.fixture
def run(url: str) -> Run:
    def call(*words: str, stdin: bytes | None = None) -> Result:
        return CliRunner().invoke(program, list(words), env={"LEASEHOLD_URL": url}, input=stdin)

    return call


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "bookmarks.html"
    path.write_text(CHROME)
    return str(path)


def document(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.usefixtures("database")
def test_an_import_waits_for_a_worker_and_says_so(run: Run, client: lh.Client, file: str) -> None:
    result = run("import", file)
    assert (result.exit_code, "waits for a worker" in result.stdout) == (0, True)
    assert "leasehold-links work" in result.stderr
    run_imports(client)
    (row,) = document(run("status", "--json"))["imports"]
    counted = {name: row[name] for name in ("status", "file", "imported", "skipped", "processed")}
    assert counted == {
        "status": "succeeded",
        "file": "bookmarks.html",
        "imported": 3,
        "skipped": 1,
        "processed": 4,
    }


@pytest.mark.usefixtures("database")
def test_with_wait_it_works_itself_when_nobody_else_does(run: Run, file: str) -> None:
    result = run("import", "--wait", file)
    assert result.exit_code == 0
    assert re.search("succeeded: 3 imported, 0 duplicate, 1 skipped, 0 failed", result.stdout)
    assert "1 x scheme:javascript" in result.stdout
    assert "does the work" in result.stderr


@pytest.mark.usefixtures("database")
def test_with_wait_it_leaves_the_work_to_a_worker_that_is_there(
    run: Run, client: lh.Client, file: str
) -> None:
    with lh.Worker(client, [import_file]):
        result = run("import", "--wait", "--json", file)
    assert (result.exit_code, result.stderr) == (0, "")
    told = document(result)
    assert (told["status"], told["total"], told["imported"]) == ("succeeded", 4, 3)
    assert told["reasons"] == {"scheme:javascript": 1}


@pytest.mark.usefixtures("database")
def test_an_import_that_fails_says_why_and_ends_with_five(run: Run) -> None:
    result = run("import", "--wait", "-", stdin=b'<DL><DT><A HREF="about:blank">x</A></DL>')
    assert (result.exit_code, "no line of this file" in result.stderr) == (5, True)
    assert "1 x scheme:about" in result.stdout


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("data", "said"), [(b"", "the file is empty"), (b"{}", "JSON backup"), (b"a b", "no bookmark")]
)
def test_what_is_no_bookmark_file_is_refused(run: Run, data: bytes, said: str) -> None:
    for words in (("import", "-"), ("import", "--dry-run", "-")):
        result = run(*words, stdin=data)
        assert (result.exit_code, said in result.stderr) == (1, True)


@pytest.mark.usefixtures("database")
def test_a_file_that_is_too_large_is_refused(run: Run, file: str) -> None:
    with lending(Settings(file_bytes=100)):
        result = run("import", file)
    assert (result.exit_code, "LEASEHOLD_LINKS_FILE_BYTES" in result.stderr) == (1, True)


def test_a_dry_run_needs_no_database_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "b.html"
    path.write_text(FIREFOX.replace("example.com/b", "example.com/a"))
    url = f"sqlite:///{tmp_path}/none.db"
    result = CliRunner().invoke(program, ["import", "--dry-run", "--url", url, str(path)])
    assert result.stdout.startswith(
        "3 links in 3 folders would be imported, 1 are there twice, 1 would be skipped"
    )
    assert ("scheme:place" in result.stdout, "repeated" in result.stdout) == (True, True)
    told = document(
        CliRunner().invoke(program, ["import", "--dry-run", "--json", "--url", url, str(path)])
    )
    assert (told["imported"], told["reasons"]) == (3, {"scheme:place": 1, "repeated": 1})
    assert not (tmp_path / "none.db").exists()


@pytest.mark.usefixtures("database")
def test_an_export_is_what_was_imported(run: Run, file: str, tmp_path: Path) -> None:
    run("import", "--wait", "--user", "ada", file)
    out = tmp_path / "out.html"
    assert run("export", "--user", "ada", str(out)).exit_code == 0
    assert run("export", "--user", "ada").stdout == out.read_text()
    again = run("import", "--wait", "--user", "bob", "--json", str(out))
    assert document(again)["imported"] == 3
    assert run("export", "--user", "bob").stdout == out.read_text()


@pytest.mark.usefixtures("database")
def test_status_speaks_to_people(run: Run, file: str) -> None:
    assert "no import yet" in run("status").stdout
    run("import", "--wait", file)
    told = run("status").stdout
    assert ("4 of 4" in told, "bookmarks.html" in told, "3 queued" in told) == (True, True, True)
    assert "no import yet" in run("status", "--user", "bob").stdout


def test_addresses_have_keys() -> None:
    words = ["urlkey", "http://www.example.com/a/?utm_source=x", "https://example.com/a"]
    result = CliRunner().invoke(program, words)
    assert result.stdout.split() == ["https://example.com/a"] * 2
    told = document(CliRunner().invoke(program, [*words, "--json"]))
    assert told["addresses"][0]["key_hash"] == told["addresses"][1]["key_hash"]
    refused = CliRunner().invoke(program, ["urlkey", "ftp://example.com"])
    assert (refused.exit_code, "ftp: addresses can't be links" in refused.stderr) == (1, True)


def test_tables_that_are_not_there_are_named(bare_url: str) -> None:
    url = bare_url
    with lh.Client(url) as client:
        client.store.migrate()
    result = CliRunner().invoke(program, ["status", "--url", url])
    assert (result.exit_code, "leasehold-links migrate" in result.stderr) == (3, True)
    assert CliRunner().invoke(program, ["migrate", "--url", url]).exit_code == 0
    assert CliRunner().invoke(program, ["status", "--url", url]).exit_code == 0


@pytest.mark.parametrize("name", sorted(program.commands))
def test_every_command_has_help_and_an_example(name: str) -> None:
    result = CliRunner().invoke(program, [name, "--help"])
    assert (result.exit_code, "Example:" in result.stdout) == (0, True)
