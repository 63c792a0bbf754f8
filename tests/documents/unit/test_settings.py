"""What an operator may say."""

from __future__ import annotations

import msgspec
import pytest

from leasehold.kit.errors import BadSetting
from leasehold.kit.settings import read_settings
from leasehold_documents.settings import PREFIX, Settings, lending, settings


def test_the_environment_says_them_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASEHOLD_DOCUMENTS_FAST_CENTS", "3")
    monkeypatch.setenv("LEASEHOLD_DOCUMENTS_VAULT", "s3://papers/eu")
    said = settings()
    assert (said.fast_cents, said.vault) == (3, "s3://papers/eu")
    assert said.hires_cents == Settings().hires_cents == 5


@pytest.mark.parametrize(
    ("name", "text"), [("FAST_CENTS", "swordfish"), ("SERCET", "swordfish"), ("SMTP_SECURITY", "x")]
)
def test_what_cannot_be_used_is_refused_by_its_name_and_not_shown(name: str, text: str) -> None:
    with pytest.raises(BadSetting) as told:
        read_settings(Settings, PREFIX, {PREFIX + name: text})
    assert told.value.variable == PREFIX + name
    assert "swordfish" not in str(told.value)


def test_no_secret_is_ever_shown() -> None:
    said = dict.fromkeys(_secrets(), "swordfish") | {"smtp_host": "mail.example"}
    everything = msgspec.convert(said, Settings)
    assert "swordfish" not in repr(everything)
    assert "mail.example" in repr(everything)


def _secrets() -> list[str]:
    words = ("secret", "token", "key", "password", "session")
    names = [name for name in Settings.__struct_fields__ if name.endswith(words)]
    assert len(names) == 9
    return names


def test_settings_that_are_lent_hold_until_the_end_of_the_loan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LEASEHOLD_DOCUMENTS_FAST_CENTS", "3")
    with lending(Settings(fast_cents=9)):
        assert settings().fast_cents == 9
    assert settings().fast_cents == 3
