"""Signed words: nobody else can say them, nobody can bend them, and they end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from leasehold_documents.errors import Rejected
from leasehold_documents.settings import Settings
from leasehold_documents.vault import signing

NOW = datetime(2026, 1, 25, 12, tzinfo=UTC)
OURS = Settings(secret="ours")
SAID = {"tenant": "t", "document": "d"}


def refusal(settings: Settings, token: str, *, purpose: str = "download", minutes: int = 1) -> str:
    with pytest.raises(Rejected) as told:
        signing.read(settings, purpose, token, now=NOW + timedelta(minutes=minutes))
    return told.value.code


def test_a_link_holds_for_a_quarter_of_an_hour() -> None:
    token = signing.sign(OURS, "download", SAID, now=NOW)
    late = NOW + timedelta(minutes=14, seconds=59)
    assert signing.read(OURS, "download", token, now=late) == SAID
    assert refusal(OURS, token, minutes=15) == "LINK_EXPIRED"


def test_another_secret_another_purpose_and_every_changed_letter_are_refused() -> None:
    token = signing.sign(OURS, "download", SAID, now=NOW)
    assert refusal(Settings(secret="theirs"), token) == "LINK_INVALID"
    assert refusal(OURS, token, purpose="oauth") == "LINK_INVALID"
    for place, letter in enumerate(token[:-1]):  # some bits of the last letter say nothing
        bent = token[:place] + ("A" if letter != "A" else "B") + token[place + 1 :]
        assert refusal(OURS, bent) == "LINK_INVALID"


@pytest.mark.parametrize("token", ["", ".", "a", "a.b", "é.ü", "====", "a.b.c", "\0", "x" * 10_000])
def test_what_is_no_token_is_refused(token: str) -> None:
    assert refusal(OURS, token) == "LINK_INVALID"


def test_without_a_secret_links_hold_in_this_process_only() -> None:
    token = signing.sign(Settings(), "download", SAID)
    assert signing.read(Settings(), "download", token) == SAID
    assert refusal(OURS, token) == "LINK_INVALID"
