"""The demo: what its file holds, that it is imported once, and that nobody else is let in by it."""

from __future__ import annotations

import socket
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links import settings as settings_module
from leasehold_links.bookmarks.reading import read_bookmarks
from leasehold_links.demo.file import FILE_NAME, PLACES, demo_file, demo_pages
from leasehold_links.demo.living import Demo
from leasehold_links.demo.odd_places import SKIPPED
from leasehold_links.settings import settings
from tests.links.jobs.kit import enrich_urls, rows, run_imports

PROJECT = Path(__file__).parents[3] / "apps" / "links" / "pyproject.toml"


@pytest.fixture
def demo(client: lh.Client, database: Database) -> Iterator[Demo]:
    """A demo that is open; its web answers."""
    demo = Demo(client)
    demo.open()
    assert demo.web is not None
    demo.web.seconds = 0.0
    demo.web.start()
    yield demo
    demo.close()


@pytest.fixture
def no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine is offline: no made-up name has an address."""

    def fail(host: Any, *_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, f"no {host}")

    monkeypatch.setattr(socket, "getaddrinfo", fail)


def test_the_file_is_a_small_one_with_folders_names_in_two_languages_and_oddities() -> None:
    found = list(read_bookmarks([demo_file()]))
    assert len(found) == len(PLACES) + len(SKIPPED)
    assert 40 <= len(found) <= 60
    folders = {each.folder for each in found}
    assert {("뉴스", "World"), ("개발",), ()} <= folders
    assert Counter(place.ends for place in PLACES).keys() == {"succeeded", "dead", "queued"}
    assert len({place.url for place in PLACES}) == len(PLACES)
    reasons = {place.reason for place in PLACES}
    assert {"robots", "captcha", "forbidden", "busy", "redirects", "ssrf_blocked"} <= reasons


def test_every_address_of_it_is_made_up() -> None:
    hosts = {key.partition("/")[0] for key in demo_pages()}
    assert all(host.endswith(".example") for host in hosts)
    assert all("://169.254." in each.url or ".example/" in each.url for each in PLACES)


def test_it_is_imported_once(client: lh.Client, database: Database) -> None:
    assert Demo(client).import_once()
    assert not Demo(client).import_once()
    run_imports(client)
    assert not Demo(client).import_once()
    assert rows(database, "SELECT file_name, user_id FROM links_import") == [(FILE_NAME, "demo")]


def test_its_names_lead_to_its_web_while_it_lives_and_nowhere_afterwards(
    client: lh.Client, database: Database, demo: Demo, no_names: None
) -> None:
    assert demo.web is not None
    inside, later = "http://slow-bread.example/rye", "http://hanbat.example/"
    found = enrich_urls(client, database, inside)
    assert (found[inside]["title"], demo.web.seen["slow-bread.example/rye"]) == ("Rye", 1)
    demo.web.seen.clear()
    demo.close()
    found = enrich_urls(client, database, later)
    assert (found[later]["title"], found[later]["reason"]) == (None, "dns")
    assert not demo.web.seen


def test_while_it_lives_this_machine_is_as_closed_as_ever(
    client: lh.Client, database: Database, demo: Demo
) -> None:
    assert demo.web is not None
    port = demo.web.port
    urls = [f"http://{host}:{port}/" for host in ("127.0.0.1", "localhost", "[::1]", "0x7f.1")]
    found = enrich_urls(client, database, *urls, "http://127.0.0.1:8080/", "http://10.0.0.1/")
    assert {row["reason"] for row in found.values()} == {"ssrf_blocked"}
    assert not demo.web.seen


def test_only_who_names_the_demo_in_this_process_opens_it(
    monkeypatch: pytest.MonkeyPatch, client: lh.Client, database: Database
) -> None:
    before = settings()
    assert (before.routes, before.allow, before.names) == ({}, (), {})
    points = tomllib.loads(PROJECT.read_text())["project"]["entry-points"]["leasehold.apps"]
    assert points == {"links": "leasehold_links.web:application"}
    monkeypatch.setenv("LEASEHOLD_LINKS_ROUTES", "example=127.0.0.1:80")
    settings_module._from_environment.cache_clear()
    assert settings().routes == {}
    demo = Demo(client)
    demo.open()
    assert list(settings().routes) == ["example"]
    demo.close()
    demo.close()
    assert settings() == before
