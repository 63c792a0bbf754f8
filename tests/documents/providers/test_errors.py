"""Whatever a cloud answers is one of few errors, and none of them tells a token."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from leasehold_documents.providers import Provider
from leasehold_documents.providers.errors import (
    AccessRevoked,
    BadAnswer,
    ListingReset,
    ProviderFailed,
    ProviderUnavailable,
    RateLimited,
    RemoteMissing,
    RemoteRefused,
    TooLarge,
)
from leasehold_documents.servers import FileServer
from leasehold_documents.servers.gdrive import DOCUMENT
from tests.documents.providers.kit import Held, names_of, served

Served = tuple[FileServer, Provider, Held]
RESET: dict[str, int | str] = {
    "dropbox": "reset",
    "onedrive": "resync",
    "gdrive": "voidPageToken",
}


@pytest.fixture(params=["dropbox", "onedrive", "gdrive"])
def cloud(request: pytest.FixtureRequest) -> Iterator[Served]:
    with served(request.param, page_size=4) as opened:
        for number in range(9):
            opened[0].put(f"/Papiere/Blatt {number}.txt", f"Blatt {number}".encode())
        yield opened


def test_all_pages_are_read_and_the_account_is_named(cloud: Served) -> None:
    _, provider, _ = cloud
    place = provider.place("/Papiere")
    assert set(names_of(provider, place)) == {f"Blatt {number}.txt" for number in range(9)}
    assert provider.account() == "erika@mustermann.example"


@pytest.mark.parametrize(
    ("how", "error"),
    [
        (500, ProviderUnavailable),
        (502, ProviderUnavailable),
        ("html", ProviderUnavailable),
        ("hangup", ProviderUnavailable),
        ("silence", ProviderUnavailable),
        ("drip", ProviderUnavailable),
        ("cut", ProviderUnavailable),
        ("html_ok", BadAnswer),
        ("not_json", BadAnswer),
        ("truncated", BadAnswer),
        ("huge", BadAnswer),
        ("no_id", BadAnswer),
        (429, RateLimited),
        ("reset", ListingReset),
    ],
)
def test_a_page_that_is_none_is_the_error_that_it_stands_for(
    cloud: Served, how: int | str, error: type[ProviderFailed]
) -> None:
    server, provider, held = cloud
    place = provider.place("/Papiere")
    server.fail(RESET[server.name] if how == "reset" else how)
    with pytest.raises(ProviderFailed) as failed:
        provider.page(place, None)
    assert type(failed.value) is error
    assert held.token not in str(failed.value)
    assert len(names_of(provider, place)) >= 9  # and the next time it is right again


def test_a_credential_that_an_answer_repeats_is_not_told(cloud: Served) -> None:
    server, provider, held = cloud
    place = provider.place("/Papiere")
    server.fail("echo")
    with pytest.raises(ProviderFailed) as failed:
        provider.page(place, None)
    assert held.token not in repr(failed.value)


def test_a_refused_token_is_renewed_once_and_then_given_up(cloud: Served) -> None:
    server, provider, held = cloud
    first = held.token
    server.fail(401)
    provider.place("/Papiere")
    assert held.stale == [first]
    server.fail(401, times=2)
    held.next.append(held.token)
    with pytest.raises(AccessRevoked):
        provider.place("/Papiere")


def test_patience_is_as_long_as_it_says_within_bounds(cloud: Served) -> None:
    server, provider, _ = cloud
    asked: tuple[tuple[int, float], ...] = ((17, 17.0), (0, 0.5), (10**9, 3_600.0))
    if server.name == "gdrive":
        asked = ((17, 30.0),)  # Google says nowhere how long
    for said, kept in asked:
        server.fail(429, retry_after=said)
        with pytest.raises(RateLimited) as busy:
            provider.place("/Papiere")
        assert busy.value.after_seconds == kept


def test_names_that_no_database_takes_cost_nothing_but_themselves(cloud: Served) -> None:
    server, provider, _ = cloud
    server.put("/Papiere/NUL \0 hier.txt", b"x")
    assert "NUL  hier.txt" in names_of(provider, provider.place("/Papiere"))


def test_content_is_bounded_checked_and_may_be_missing(cloud: Served) -> None:
    server, provider, _ = cloud
    identifier = server.put("/Groß.bin", bytes(range(256)) * 400)
    entry = provider.look(identifier)
    assert provider.look("/Groß.bin") == entry
    into = io.BytesIO(b"what was here before, and is longer" * 9_000)
    provider.fetch(entry, into, 200_000)
    assert into.getvalue() == bytes(range(256)) * 400
    with pytest.raises(TooLarge):
        provider.fetch(entry, io.BytesIO(), 1_000)
    server.delete(identifier)
    for missing in (lambda: provider.look(identifier), lambda: provider.fetch(entry, into, 9**9)):
        with pytest.raises(RemoteMissing):
            missing()


def test_what_google_will_not_export_is_refused_for_good() -> None:
    with served("gdrive") as (server, provider, _):
        huge = server.put("/Riesig", b"x" * (11 * 1_048_576), kind=DOCUMENT)
        with pytest.raises(RemoteRefused) as refused:
            provider.fetch(provider.look(huge), io.BytesIO(), 10**9)
        assert refused.value.code == "FILE_TOO_LARGE"


def test_a_name_with_quotes_is_found_at_google() -> None:
    with served("gdrive") as (server, provider, _):
        server.put("/O'Hara \\ Söhne/Brief.txt", b"x")
        assert provider.look("/O'Hara \\ Söhne/Brief.txt").name == "Brief.txt"


@pytest.mark.parametrize("name", ["onedrive", "gdrive"])
def test_an_id_of_somebody_leads_nowhere_else(name: str) -> None:
    with served(name) as (server, provider, _):
        for odd in ("..", ".", "../../me", "a/../../b"):
            with pytest.raises(RemoteMissing):
                provider.look(odd)
        own = ("/v1.0/me/drive/items/", "/drive/v3/files/")  # as one part of the address
        assert all(each.path.startswith(own) for each in server.seen())


def test_a_cursor_of_somebody_leads_nowhere_else() -> None:
    with served("onedrive") as (server, provider, held):
        place, before = provider.place("/"), server.count()
        others = ("/v1.0/me/messages", "/v1.0/me/drive/../messages", "/v1.0/me/drivel/x")
        foreign = "http://203.0.113.9/v1.0/me/drive/root/delta"
        for link in (foreign, *(f"{server.url}{path}" for path in others)):
            with pytest.raises(BadAnswer):
                provider.browse(place, link)
        assert server.count() == before
        assert held.stale == []
