"""Which addresses are one link, which can't be a link, and which are somebody's own."""

from __future__ import annotations

import contextlib

import pytest
from ada_url import URL
from hypothesis import example, given
from hypothesis import strategies as st

from leasehold_links.model.addresses import LONGEST, NotFetchable, read_address, url_key

ONE_LINK = [
    ("http://example.com/a", "https://example.com/a"),
    ("https://www.example.com/a", "https://example.com/a"),
    ("HTTPS://EXAMPLE.COM/a", "https://example.com/a"),
    ("https://example.com:443/a", "https://example.com/a"),
    ("http://example.com:80/a", "https://example.com/a"),
    ("https://ada:pw@example.com/a", "https://example.com/a"),
    ("https://example.com/", "https://example.com"),
    ("https://example.com/a/", "https://example.com/a"),
    ("https://example.com/b/../a", "https://example.com/a"),
    ("https://example.com/a#part", "https://example.com/a"),
    ("https://example.com/a?", "https://example.com/a"),
    ("https://example.com/a?utm_source=x&UTM_Medium=y", "https://example.com/a"),
    *(
        (f"https://example.com/a?{name}=1&b=2", "https://example.com/a?b=2")
        for name in [
            *("fbclid", "gclid", "gbraid", "wbraid", "dclid", "msclkid", "ttclid", "twclid"),
            *("yclid", "igshid", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "mkt_tok", "_ga", "_gl"),
        ]
    ),
    ("https://example.com/a?b=2&a=1", "https://example.com/a?a=1&b=2"),
    ("https://exämple.de/ü", "https://xn--exmple-cua.de/%C3%BC"),
    (" https://example.com/a\n", "https://example.com/a"),
    ("https://example.com\\a", "https://example.com/a"),
    ("http://www.bbc.co.uk/news", "https://bbc.co.uk/news"),
    ("http://0x5db8d822/", "https://93.184.216.34/"),
]

TWO_LINKS = [
    ("https://example.com/a", "https://example.com/A"),
    ("https://example.com/a", "https://example.com:8443/a"),
    ("https://example.com/a", "https://sub.example.com/a"),
    ("https://example.com/a//", "https://example.com/a"),
    ("https://example.com/#!/a", "https://example.com/#!/b"),
    ("https://example.com/#/a", "https://example.com/"),
    ("https://example.com/a?x=1", "https://example.com/a?x=2"),
    ("https://example.com/a?x", "https://example.com/a"),
    ("https://example.com/a?x=1&x=2", "https://example.com/a?x=2&x=1"),
    ("https://example.com/a?x=1&x=1", "https://example.com/a?x=1"),
    *(
        (f"https://example.com/a?{kept}=1", "https://example.com/a")
        for kept in ("ref", "sid", "si")
    ),
    ("https://www.com/", "https://com/"),
    ("https://www.co.uk/", "https://co.uk/"),
]


@pytest.mark.parametrize(("one", "other"), ONE_LINK)
def test_these_are_one_link(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


@pytest.mark.parametrize(("one", "other"), TWO_LINKS)
def test_these_are_two_links(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


@pytest.mark.parametrize("one", [one for one, _ in [*ONE_LINK, *TWO_LINKS] if "//" not in one[8:]])
def test_a_key_is_its_own_key(one: str) -> None:
    assert url_key(url_key(one)) == url_key(one)


@pytest.mark.parametrize(
    ("text", "reason", "scheme"),
    [
        ("javascript:alert(1)", "scheme", "javascript"),
        ("JavaScript:alert(1)", "scheme", "javascript"),
        ("data:text/html,x", "scheme", "data"),
        ("file:///etc/passwd", "scheme", "file"),
        ("chrome://settings", "scheme", "chrome"),
        ("about:blank", "scheme", "about"),
        ("place:sort=8", "scheme", "place"),
        ("ftp://example.com/x", "scheme", "ftp"),
        ("mailto:ada@example.com", "scheme", "mailto"),
        ("example.com/a", "malformed", ""),
        ("", "malformed", ""),
        ("http://", "malformed", ""),
        ("http://exa mple.com/", "malformed", ""),
        ("http://example.com:99999/", "malformed", ""),
        ("https://example.com/" + "a" * LONGEST, "too_long", ""),
    ],
)
def test_what_can_not_be_fetched_says_why(text: str, reason: str, scheme: str) -> None:
    with pytest.raises(NotFetchable) as caught:
        read_address(text)
    assert (caught.value.reason, caught.value.scheme) == (reason, scheme)


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com/a?b=1",
        "https://example.com/watch?v=dQw4w9WgXcQ&si=abcdefghijklmnop",
        "https://example.com/go?u=https%3A%2F%2Fother.example.com%2Fa%2Fvery%2Flong%2Fpath%2F123",
        "https://example.com/a?title=how-to-learn-everything-in-30-days-or-less",
        "https://example.com/a?gclid=EAIaIQobChMI0000000000000000000000000000000000aB9",
        "https://93.184.216.34/",
    ],
)
def test_a_public_link_is_shared(text: str) -> None:
    assert read_address(text).is_public


@pytest.mark.parametrize(
    "text",
    [
        "https://ada@example.com/",
        "https://:pw@example.com/",
        "http://localhost/",
        "http://nas/",
        "http://printer.local/",
        "http://wiki.corp/",
        "http://10.0.0.8/",
        "http://192.168.1.1:8080/",
        "http://[::1]/",
        "http://[fd00::1]/",
        "https://example.com/a?token=x",
        "https://example.com/a?access_token=x",
        "https://example.com/a?X-Amz-Signature=x",
        "https://example.com/a?sessionId=x",
        "https://example.com/a?apikey=x",
        "https://example.com/a?gclid=x&password=x",
        "https://example.com/a?d=0123456789abcdef0123456789abcdef",
        "https://example.com/a?d=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.abc",
        "https://example.com/#/reset?token=x",
    ],
)
def test_what_may_let_somebody_in_is_its_owners_alone(text: str) -> None:
    assert not read_address(text).is_public


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("https://news.bbc.co.uk/x", "bbc.co.uk"),
        ("https://me.github.io/x", "me.github.io"),
        ("https://www.example.com:8443/x", "example.com"),
        ("https://sub.exämple.de/", "xn--exmple-cua.de"),
        ("http://127.0.0.1:80/", "127.0.0.1"),
        ("http://[2001:db8::1]/", "2001:db8::1"),
        ("http://nas/", "nas"),
        ("https://example.com./", "example.com"),
    ],
)
def test_the_domain_is_what_somebody_registered(text: str, domain: str) -> None:
    assert read_address(text).domain == domain


def test_what_is_fetched_is_the_address_as_it_was_given() -> None:
    address = read_address("http://www.example.com/a/?utm_source=x&b=1#part")
    assert address.url == "http://www.example.com/a/?utm_source=x&b=1#part"
    assert len(address.key_hash) == 32


@given(
    st.from_regex(
        r"https?://[a-z0-9.-]{1,12}\.(com|xn--p1ai|0x1|1|c0m|co)(/[a-zA-Z0-9_.~%/-]{0,12})?"
        r"(\?[\w~.=&+%-]{0,10})?(#[a-z]{0,3})?",
        fullmatch=True,
        alphabet=st.characters(codec="ascii"),
    )
)
@example("https://a.com/.")
@example("https://a.com/b/..")
@example("https://a.com/%2e/")
@example("https://a.com")
@example("https://1.2.3.4.com/")
@example("https://a-.com/")
@example("https://ab--c.com/")
def test_what_is_taken_as_it_is_would_be_written_so_by_a_browser(text: str) -> None:
    try:
        wanted = URL(text).href
    except ValueError:
        with pytest.raises(NotFetchable):
            read_address(text)
    else:
        with contextlib.suppress(NotFetchable):  # a host that no name can be
            assert read_address(text).url == wanted
