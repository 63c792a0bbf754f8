"""What leaves the database in logs, traces and reports carries no secret."""

from __future__ import annotations

import pytest

from leasehold.model.scrubbing import cut, frames_of, scrub, scrub_url

CANARY = "xyzzy-canary-42"


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://ada:{CANARY}@db/shop",
        f"could not reach https://host/a/b?key={CANARY}&x=1 in time",
        f"see https://host/path#{CANARY}",
        f"host=db password={CANARY} user=ada",
        f"PASSWORD: '{CANARY} with blanks'",
        f"Authorization: Bearer {CANARY}",
        f'{{"api_key": "{CANARY}"}}',
        f"X-Auth-Token={CANARY}; path=/",
        f"smtp://me:p@ss:{CANARY}@mail/",
    ],
)
def test_a_secret_in_a_url_or_behind_its_name_is_masked(text: str) -> None:
    scrubbed = scrub(text)
    assert CANARY not in scrubbed
    assert "***" in scrubbed


def test_what_is_no_secret_stays() -> None:
    for text in (
        "ValueError: no such page: https://host/a/b",
        "InvalidTokenError: expired",
        "PasswordWarning: too short",
        "ratio: 3:4, at https://user.example/@ada",
    ):
        assert scrub(text) == text


def test_the_values_of_a_jobs_arguments_are_masked_however_they_are_written() -> None:
    arguments = '{"path": "/home/a\\"b.pdf", "who": {"näme": ["ada@lovelace"]}, "card": 4111111111}'
    text = (
        "FileNotFoundError: '/home/a\"b.pdf' of ada@lovelace (ada%40lovelace) "
        'n\\u00e4me näme 4111111111 "/home/a\\"b.pdf"'
    )
    scrubbed = scrub(text, arguments)
    for secret in ("/home", "lovelace", "4111111111", "näme", "\\u00e4"):
        assert secret not in scrubbed
    assert scrubbed.startswith("FileNotFoundError: '***'")


def test_short_values_and_names_of_parameters_stay() -> None:
    assert (
        scrub("TypeError: path is 7 or x", '{"path": "x", "n": 7}') == "TypeError: path is 7 or x"
    )


def test_arguments_that_are_no_json_hide_the_whole_text() -> None:
    assert scrub("anything", "{not json") == "***"


def test_a_url_keeps_its_place_only() -> None:
    assert scrub_url("https://ada:pw@host:99/x?y#z") == "https://***@host:99/x?***"


def test_frames_do_not_say_what_the_error_says() -> None:
    try:
        raise ValueError(CANARY)
    except ValueError as error:
        frames = frames_of(error)
    assert "test_scrubbing" in frames
    assert CANARY not in frames


def test_a_cut_says_how_much_there_was() -> None:
    assert cut("a" * 10, 10) == "a" * 10
    assert cut("a" * 2000, 3) == "aaa… (2,000 characters)"


@pytest.mark.parametrize("unit", ["a.", "token", "password-", "ab-cd://", "x=", "token='"])
def test_a_long_text_of_any_sort_is_read_in_one_go(unit: str) -> None:
    assert scrub(unit * 100_000)


def test_a_token_of_the_service_is_masked_wherever_it_stands() -> None:
    token = "lh_" + "abcdefghjk23" + "_" + "A1-_" * 10 + "xyz"
    assert scrub(f"GET /x?a={token} said {token}.") == "GET /x?a=*** said ***."
