"""What is huge inside, or never ends, is refused within its limits, in little memory."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from leasehold.fetching import Fetcher, FetchRules, TooLarge, TooSlow
from tests.safety.strangers import bombs
from tests.safety.strangers.servers import Server

_VICTIM = "tests.safety.strangers.bomb_victim"
_GROWTH_MIB = 48
_REFUSALS = {
    "gzip": "TooLarge",
    "deflate": "TooLarge",
    "raw-deflate": "TooLarge",
    "gzip-in-gzip": "BadAnswer",
    "members": "BadAnswer",
    "many-headers": "BadAnswer",
    "gzip-chunked": "TooLarge",
    "body": "TooLarge",
    "body-with-length": "TooLarge",
    "chunks": "TooLarge",
    "tiny-chunks": "TooLarge",
    "chunk-extension": "BadAnswer",
    "trailers": "BadAnswer",
    "header-line": "BadAnswer",
    "headers": "BadAnswer",
    "status-line": "BadAnswer",
    "interim": "BadAnswer",
    "interim-slow": "BadAnswer",
    "not-http": "BadAnswer",
    "slow-body": "TooSlow",
    "slow-chunks": "TooSlow",
    "slow-headers": "TooSlow",
    "silence": "TooSlow",
    "silent-body": "TooSlow",
}


def victim(*arguments: str) -> dict[str, dict[str, Any]]:
    """Run a process that has 96 MiB more address space than it starts with."""
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "MALLOC_ARENA_MAX": "1"}
    done = subprocess.run(
        [sys.executable, "-m", _VICTIM, *arguments],
        env=os.environ | path,
        capture_output=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-2_000:]
    told: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def fetched() -> dict[str, dict[str, Any]]:
    scripts = bombs.answers()
    assert scripts.keys() == _REFUSALS.keys()
    with Server(bombs.by_path(scripts)) as server:
        return victim(str(server.port), *scripts)


@pytest.mark.parametrize("name", _REFUSALS)
def test_an_answer_without_bounds_is_refused_within_ours(
    name: str, fetched: dict[str, dict[str, Any]]
) -> None:
    told = fetched[name]
    assert told["said"].startswith(_REFUSALS[name]), told
    assert told["grown_mib"] < _GROWTH_MIB, told


def test_archives_and_json_without_bounds_are_refused_within_ours() -> None:
    told = victim("archives")
    assert len(told) == 16
    for name, each in told.items():
        expected = "JsonRefused" if "JSON" in name or "objects" in name else "ArchiveRefused"
        assert each["said"].startswith(expected), (name, each)
        assert each["grown_mib"] < _GROWTH_MIB, (name, each)


@pytest.mark.parametrize(("name", "error"), [("slow-body", TooSlow), ("gzip", TooLarge)])
def test_what_came_until_then_can_be_kept(name: str, error: type[Exception]) -> None:
    with Server(bombs.by_path(bombs.answers())) as server:
        seconds = 30 if error is TooLarge else 3
        allow = (f"127.0.0.1:{server.port}",)
        rules = FetchRules(allow=allow, seconds=seconds, decoded_bytes=70_000)
        page = Fetcher(rules).get(server.url(f"/{name}"), keep_part=True)
    assert isinstance(page.cut_by, error)
    assert set(page.body) == {ord("x") if name == "slow-body" else 0}
    assert len(page.body) <= 70_000
    assert name != "gzip" or len(page.body) == 70_000
