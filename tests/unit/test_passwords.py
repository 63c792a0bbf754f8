"""Passwords of URLs and DSNs do not get into what is written down."""

from __future__ import annotations

import time

import pytest

from leasehold.model.outcomes import describe
from leasehold.model.passwords import hide_passwords
from leasehold.store.shown_url import hide_secrets

CANARY = "c4nary-4711"


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://app:{CANARY}@db:5432/shop",
        f'could not fetch "https://ann:{CANARY}@example.org/a?b=c"',
        f"postgresql://app:{CANARY}@x@db/shop",
        f"host=db user=app password={CANARY} dbname=shop",
        f"host=db password='{CANARY} x' dbname=shop",
        f"Server=db;PWD={CANARY};",
        f"amqp+ssl://:{CANARY}@mq//",
    ],
)
def test_a_password_is_masked_and_what_is_around_it_stays(text: str) -> None:
    shown = hide_passwords(f"it failed: {text}!")
    assert CANARY not in shown
    assert "***" in shown
    assert shown.startswith("it failed: ")


@pytest.mark.parametrize(
    "text",
    ["http://example.org:8080/a@b", "a=b", "see https://example.org/x", "10:30 @ noon", ""],
)
def test_what_holds_no_password_stays_as_it_is(text: str) -> None:
    assert hide_passwords(text) == text


def test_an_error_is_described_without_the_password_in_message_and_traceback() -> None:
    try:
        raise ConnectionError(f"postgresql://app:{CANARY}@db/shop refused")
    except ConnectionError as error:
        told = describe(error)
    assert told.message == "ConnectionError: postgresql://app:***@db/shop refused"
    assert CANARY not in str(told)


@pytest.mark.parametrize("piece", ["a://" * 20_000, "password=" * 20_000, "x" * 200_000 + "://"])
def test_a_long_text_is_read_in_one_go(piece: str) -> None:
    began = time.process_time()
    hide_passwords(piece)
    assert time.process_time() - began < 5


def test_parts_of_a_password_that_broke_its_url_are_masked() -> None:
    url = "postgresql://app:pa%ss@w0rd/x@db/shop"
    said = 'invalid percent-encoded token: "ss@w0rd/x"; could not translate host name "w0rd"'
    assert "w0rd" not in hide_secrets(said, url)
