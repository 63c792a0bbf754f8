# ruff: noqa: RUF001 - texts of many scripts
"""What a page is, read from its bytes: text, title, description, picture; or a challenge."""

from __future__ import annotations

import pytest

from leasehold.kit.texts import LONGEST_EXCERPT, excerpt
from leasehold_links.pages.challenges import is_captcha_address, is_challenge
from leasehold_links.pages.charset import decode_page
from leasehold_links.pages.metadata import read_page
from leasehold_links.pages.names import title_of_file
from leasehold_links.pages.robots import allows, read_rules

URL = "https://example.com/a/page"
KOREAN = "안녕하세요. 오늘의 날씨는 매우 맑고 따뜻합니다. 한국어 문서입니다."
JAPANESE = "こんにちは。今日はとても良い天気です。日本語の文書です。"
CHINESE = "你好，今天天气非常好。这是一个中文文档，我们来阅读标题和说明。"
FRENCH = "Le café était très bon à Noël, déjà vu à la façade."
ENCODED = [
    (KOREAN, "euc-kr"),
    (JAPANESE, "shift_jis"),
    (JAPANESE, "euc-jp"),
    (CHINESE, "gbk"),
    (KOREAN, "utf-8"),
]


def page(text: str, meta: str = "") -> str:
    return f"<html><head>{meta}<title>{text}</title></head><body><p>{text}</p></body></html>"


# -- encodings -------------------------------------------------------------------------------------
@pytest.mark.parametrize(("text", "encoding"), ENCODED)
def test_the_header_names_the_encoding(text: str, encoding: str) -> None:
    body = page(text).encode(encoding)
    assert decode_page(body, f'text/html; charset="{encoding}"') == page(text)


@pytest.mark.parametrize(("text", "encoding"), ENCODED)
def test_the_page_names_the_encoding(text: str, encoding: str) -> None:
    written = page(
        text, f'<meta http-equiv="Content-Type" content="text/html; charset={encoding}">'
    )
    assert decode_page(written.encode(encoding), "text/html") == written


@pytest.mark.parametrize(("text", "encoding"), ENCODED)
def test_nobody_names_the_encoding(text: str, encoding: str) -> None:
    assert decode_page(page(text).encode(encoding)) == page(text)


@pytest.mark.parametrize(("text", "encoding"), ENCODED)
@pytest.mark.parametrize("wrong", ["utf-8", "no-such", "zlib", "hex", "idna"])
def test_what_is_named_is_wrong(text: str, encoding: str, wrong: str) -> None:
    assert decode_page(page(text).encode(encoding), f"text/html; charset={wrong}") == page(text)


@pytest.mark.parametrize("wrong", ["iso-8859-1", "windows-1251", "euc-kr", "shift_jis"])
def test_utf_8_is_utf_8_whatever_it_is_called(wrong: str) -> None:
    assert decode_page(page(JAPANESE).encode(), f"text/html; charset={wrong}") == page(JAPANESE)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_believed_before_all_else(encoding: str) -> None:
    body = page(KOREAN).encode(encoding)
    assert decode_page(body, "text/html; charset=euc-kr") == page(KOREAN)


def test_latin_one_means_what_browsers_take_it_for() -> None:
    body = page("“quoted” – €").encode("cp1252")
    assert decode_page(body, "text/html; charset=iso-8859-1") == page("“quoted” – €")


def test_a_page_that_was_cut_in_the_middle_of_a_character_is_utf_8_still() -> None:
    body = page(KOREAN).encode()[:60]
    assert "안녕" in decode_page(body, "text/html; charset=euc-kr")


# -- what it says of itself ------------------------------------------------------------------------
def test_all_that_a_page_says() -> None:
    found = read_page(
        """<!doctype html><html lang="en-GB"><head><base href="/b/">
        <title>Plain title</title>
        <meta property="og:title" content="  Open   title ">
        <meta name="Description" content="What it is about.">
        <meta property="og:image" content="pictures/a.png?x=1&amp;y=2">
        <meta property="og:site_name" content="Example">
        <link rel="icon" sizes="16x16" href="/16.png"><link rel="icon" sizes="64x64" href="/64.png">
        </head><body><h1>Heading</h1></body></html>""",
        URL,
    )
    assert found.title == "Open title"
    assert found.description == "What it is about."
    assert found.image == "https://example.com/b/pictures/a.png?x=1&y=2"
    assert found.favicon == "https://example.com/64.png"
    assert (found.site_name, found.language) == ("Example", "en-gb")


def test_a_page_that_says_nothing() -> None:
    found = read_page("", URL)
    assert (found.title, found.description, found.image, found.language) == (None,) * 4
    assert found.favicon == "https://example.com/favicon.ico"


def test_a_title_of_a_drawing_is_not_the_pages() -> None:
    text = "<body><svg><title>icon</title></svg><h1>The heading</h1></body>"
    assert read_page(text, URL).title in {"The heading", "icon"}
    assert read_page(f"<head><title>Right</title></head>{text}", URL).title == "Right"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "data:image/svg+xml,x", "ftp://x/y", "http://[", "//", "x" * 5000],
)
def test_a_picture_is_an_address_of_the_web_or_none(address: str) -> None:
    found = read_page(f'<meta property="og:image" content="{address}">', URL)
    assert found.image is None


def test_without_a_description_its_beginning_is_one() -> None:
    text = "<nav><p>Menu</p></nav><article><p>" + "One sentence here. " * 40 + "</p></article>"
    said = read_page(text, URL).description
    assert said is not None
    assert len(said) <= LONGEST_EXCERPT
    assert said.endswith("here.")


def test_texts_can_not_turn_or_hide_in_the_line() -> None:
    found = read_page("<title>evil\u202egpj.exe\u200b\x07 \n x</title>", URL)
    assert found.title == "evilgpj.exe x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("A first one. " + "b" * 400, "A first one. " + "b" * 286 + "…"),
        ("Sentence number one is long enough to count for it. " * 10, None),
        ("漢字の文です。" * 60, "漢字の文です。" * 42),
        ("word " * 100, None),
    ],
)
def test_an_excerpt_ends_after_a_sentence_or_a_word(text: str, expected: str | None) -> None:
    cut = excerpt(text)
    assert len(cut) <= LONGEST_EXCERPT
    assert cut == expected if expected is not None else cut.endswith((".", "word…"))


# -- challenges ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("headers", "url", "text", "title"),
    [
        ({"cf-mitigated": "challenge"}, URL, "", None),
        ({}, "https://geo.captcha-delivery.com/captcha/?x=1", "", None),
        ({}, "https://www.google.com/sorry/index?continue=x", "", None),
        ({}, URL, "<p>Wait</p>", "Just a moment..."),
        ({}, URL, "<p>x</p>", "Attention Required! | Cloudflare"),
        ({}, URL, "<p>잠깐</p>", "잠시만 기다리십시오…"),
        ({}, URL, '<script src="/cdn-cgi/challenge-platform/h/b"></script>', "example.com"),
        ({}, URL, '<iframe src="/_Incapsula_Resource?x=1"></iframe>', None),
        ({}, URL, '<script src="https://hcaptcha.com/1/api.js"></script>', "Check"),
    ],
)
def test_a_challenge_is_seen(
    headers: dict[str, str], url: str, text: str, title: str | None
) -> None:
    assert is_challenge(headers, url, text, title)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("<p>" + "All about captchas. " * 200 + "</p>", "How a captcha works"),
        ("<p>" + "Write to us. " * 100 + "<script src='https://hcaptcha.com/1/api.js'>", "Contact"),
        ("x" * 100_000 + "/cdn-cgi/challenge-platform/", "A page"),
        ("<p>Hello</p>", "Welcome"),
    ],
)
def test_a_page_about_them_is_none(text: str, title: str) -> None:
    assert not is_challenge({}, URL, text, title)


def test_an_ordinary_host_is_no_captchas() -> None:
    assert not is_captcha_address("https://example.com/sorry/")
    assert not is_captcha_address("https://notcaptcha-delivery.com/")


# -- robots ----------------------------------------------------------------------------------------
def test_what_robots_are_asked_to_leave_alone() -> None:
    rules = read_rules(b"\xef\xbb\xbfUser-agent: *\nDisallow: /private\nAllow: /private/open\n")
    assert allows(rules, "https://example.com/a", "leasehold-links")
    assert not allows(rules, "https://example.com/private/x", "leasehold-links")
    assert allows(rules, "https://example.com/private/open", "leasehold-links")


def test_rules_for_us_go_before_those_for_all() -> None:
    rules = "User-agent: *\nDisallow: /\n\nUser-agent: leasehold-links\nDisallow: /x\n"
    assert allows(rules, "https://example.com/a", "leasehold-links")
    assert not allows(rules, "https://example.com/x", "leasehold-links")


@pytest.mark.parametrize("rules", [None, "", "<html>not found</html>", "\x00\x01"])
def test_no_rules_allow_all(rules: str | None) -> None:
    assert allows(rules, URL, "leasehold-links")


# -- files -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("url", "disposition", "title"),
    [
        ("https://example.com/papers/My%20paper.pdf?x=1", "", "My paper.pdf"),
        ("https://example.com/get", 'attachment; filename="report.pdf"', "report.pdf"),
        ("https://example.com/get", "attachment; filename=report.pdf", "report.pdf"),
        ("https://example.com/get", "attachment; filename*=UTF-8''%ED%95%9C.pdf", "한.pdf"),
        ("https://example.com/get", 'attachment; filename="../../etc/passwd"', "passwd"),
        ("https://example.com/get", "attachment; filename*=nope''x; filename=y.pdf", "y.pdf"),
        ("https://example.com/", "", None),
    ],
)
def test_a_file_is_called_by_its_name(url: str, disposition: str, title: str | None) -> None:
    assert title_of_file(url, disposition) == title
