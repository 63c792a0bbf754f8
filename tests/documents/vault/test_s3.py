"""S3 when it does not answer as it should, over real HTTP."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from typing import TYPE_CHECKING

import httpx
import pytest

from leasehold_documents.errors import VaultFailed
from leasehold_documents.settings import Settings
from leasehold_documents.vault import close_vaults, vault_of
from leasehold_documents.vault.bucket import Bucket, Place
from leasehold_documents.vault.listing import read_listing
from leasehold_documents.vault.s3 import S3Vault

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = "tenant/1/original/2/a.pdf"


@contextmanager
def storage(
    *answers: int, body: bytes = b"content", cut: bool = False
) -> Iterator[tuple[str, list[bytes]]]:
    """Answer so, one after the other, and note what was sent."""
    left, seen = list(answers), list[bytes]()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            seen.append(self.rfile.read(int(self.headers.get("content-length", 0))))
            status = left.pop(0) if left else 200
            self.send_response(status)
            content = body if status == 200 else b"<Error><Key>secret-name</Key></Error>"
            self.send_header("content-length", str(len(content) + (cut and bool(left))))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_DELETE = _answer  # noqa: N815 - as http.server calls them

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def vault_at(endpoint: str, pause: Callable[[float], None] | None = None) -> Iterator[S3Vault]:
    place = Place("bucket", endpoint, "eu-central-1", "id", "key")
    vault = S3Vault(Bucket(place, pause=pause or (lambda _seconds: None)))
    yield vault
    vault.close()


def test_a_storage_that_is_busy_is_asked_again_with_the_whole_file() -> None:
    pauses: list[float] = []
    with storage(503, 500, 429) as (endpoint, seen), vault_at(endpoint, pauses.append) as vault:
        assert vault.put(KEY, BytesIO(b"all of it")) == 9
    assert seen == [b"all of it"] * 4
    assert len(pauses) == 3
    assert pauses[0] < pauses[2]


def test_a_download_that_breaks_off_begins_anew() -> None:
    body = b"content" * 500_000  # some of it has been kept by then
    answering = storage(200, 200, 200, body=body, cut=True)
    with answering as (endpoint, seen), vault_at(endpoint) as vault:
        with vault.open(KEY) as file:
            assert file.read() == body
        assert len(seen) == 3


@pytest.mark.parametrize("status", [301, 400, 403, 409])
def test_a_refusal_is_told_at_once_and_without_what_the_storage_says(status: int) -> None:
    with storage(status) as (endpoint, seen), vault_at(endpoint) as vault:
        with pytest.raises(VaultFailed, match=str(status)) as told:
            vault.put(KEY, BytesIO(b"x"))
        assert "secret-name" not in str(told.value)
        assert len(seen) == 1


def test_a_storage_that_stays_busy_or_away_is_a_failure_that_can_be_tried_again() -> None:
    with storage(*[503] * 9) as (endpoint, seen), vault_at(endpoint) as vault:
        with pytest.raises(VaultFailed, match="503"):
            vault.delete(KEY)
        assert len(seen) == 4
    with vault_at(endpoint) as vault, pytest.raises(VaultFailed, match="ConnectError"):
        vault.delete(KEY)


def test_all_pages_of_a_long_list_are_deleted(
    s3_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = vault_of(s3_settings)
    asked: list[str] = []
    real = Bucket.ask

    def small_pages(self: Bucket, method: str, key: str = "", **options: object) -> bytes:
        if method == "GET" and not key:
            options["query"] = {**options["query"], "max-keys": "2"}  # type: ignore[dict-item]  # a dict
            asked.append(method)
        return real(self, method, key, **options)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(Bucket, "ask", small_pages)
    for number in range(5):
        vault.put(f"tenant/1/derived/2/{number}", BytesIO(b"x"))
    vault.delete_under("tenant/1/")
    assert len(asked) == 3
    assert not any(vault.exists(f"tenant/1/derived/2/{number}") for number in range(5))
    close_vaults()


def test_only_the_corner_that_the_settings_name_is_used(s3_settings: Settings) -> None:
    vault_of(s3_settings).put(KEY, BytesIO(b"x"))
    bucket = s3_settings.vault.removeprefix("s3://").partition("/")[0]
    listed = httpx.get(f"{s3_settings.s3_endpoint}/{bucket}?list-type=2").content
    assert read_listing(listed).keys == [f"a/corner/{KEY}"]
    close_vaults()


def test_a_list_with_a_dtd_reads_no_file_and_no_list_is_a_failure() -> None:
    bomb = (
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
        b"<L><Contents><Key>a&e;</Key></Contents></L>"
    )
    assert read_listing(bomb).keys == ["a"]
    with pytest.raises(VaultFailed):
        read_listing(b"no xml")


def test_s3_without_a_key_says_what_to_set() -> None:
    with pytest.raises(VaultFailed, match="S3_KEY_ID"):
        vault_of(Settings(vault="s3://bucket"))


def test_amazons_own_has_the_bucket_in_the_name_of_its_host() -> None:
    place = Place("papers", "", "eu-west-1", "id", "key")
    assert place.base == "https://papers.s3.eu-west-1.amazonaws.com"
