"""Bookmark files of every dialect, and broken ones: which entries they hold, and where."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from leasehold_links.bookmarks.counting import count_entries
from leasehold_links.bookmarks.decoding import in_chunks
from leasehold_links.bookmarks.reading import DEEPEST, LONGEST_TITLE, read_bookmarks
from leasehold_links.bookmarks.values import Bookmark, NotBookmarks, Root
from leasehold_links.bookmarks.writing import write_bookmarks
from tests.links.dialects import CHROME, EDGE, FIREFOX, ICON, INTERNET_EXPLORER, POCKET, SAFARI

SUMMER = datetime(2023, 6, 1, 12, tzinfo=UTC)
HEAD = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"


def read(text: str | bytes, chunk: int = 262_144) -> list[Bookmark]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(read_bookmarks(in_chunks(data, chunk)))


def places(text: str | bytes) -> dict[str, tuple[str, ...]]:
    return {each.title: (each.root.value, *each.folder) for each in read(text)}


# -- dialects --------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", [CHROME, EDGE], ids=["chrome", "edge"])
def test_chrome_and_edge(text: str) -> None:
    first, second, third, fourth = read(text)
    assert first == Bookmark(
        url="https://example.com/list?id=1&currentPage=2",
        title="First & best",
        root=Root.TOOLBAR,
        added_at=SUMMER,
        icon=ICON,
    )
    assert (second.title, second.root, second.folder) == ("둘째", Root.TOOLBAR, ("개발",))
    assert (third.title, third.root, third.folder) == ("Third", Root.MENU, ())
    assert fourth.url == "javascript:alert(1)"


def test_firefox() -> None:
    recent, a, b, bar, unfiled = read(FIREFOX)
    assert recent.url.startswith("place:")
    assert (a.folder, a.tags, a.description) == (("Reading",), ("one", "two"), "A page about <a>")
    assert (b.folder, b.description) == (("Reading",), "")
    assert (bar.root, bar.folder) == (Root.TOOLBAR, ())
    assert (unfiled.root, unfiled.folder) == (Root.UNFILED, ())


def test_safari_has_no_outermost_list() -> None:
    assert places(SAFARI) == {
        "One": ("menu", "Favorites"),
        "Loose": ("menu",),
        "Later": ("menu", "Reading List"),
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
def test_internet_explorer_begins_with_a_byte_order_mark(encoding: str) -> None:
    found = read(INTERNET_EXPLORER.encode(encoding))
    assert [(each.title, each.folder) for each in found] == [
        ("An old one", ("Links",)),
        ("Root", ()),
    ]


def test_pocket() -> None:
    unread, archived = read(POCKET)
    assert (unread.url, unread.added_at) == ("https://example.com/unread", SUMMER)
    assert unread.tags == ("news", "long reads")
    assert (archived.folder, archived.tags) == ((), ())


@pytest.mark.parametrize("text", [CHROME, EDGE, FIREFOX, SAFARI, INTERNET_EXPLORER, POCKET])
@pytest.mark.parametrize("chunk", [1, 7, 1_000])
def test_where_a_file_is_cut_does_not_matter(text: str, chunk: int) -> None:
    assert read(text, chunk) == read(text)


@pytest.mark.parametrize("text", [CHROME, EDGE, FIREFOX, SAFARI, INTERNET_EXPLORER, POCKET])
def test_what_is_written_is_read_back_as_it_was(text: str) -> None:
    found = read(text)
    assert read("".join(write_bookmarks(found))) == found


def test_hostile_texts_are_written_as_texts() -> None:
    nasty = '"><script>alert(1)</script> </DL> & &amp;'
    one = Bookmark(
        url="https://example.com/?q=%22%3E&a=1&copy=2",
        title=nasty,
        folder=(nasty, "x"),
        description=nasty,
        tags=("<b>",),
    )
    assert read("".join(write_bookmarks([one]))) == [one]


# -- broken ones -----------------------------------------------------------------------------------
def test_a_missing_end_of_a_folder_loses_no_entry() -> None:
    text = HEAD + '<DL><p><DT><H3>a</H3><DL><p><DT><A HREF="u1">1</A><DT><A HREF="u2">2</A>'
    assert places(text) == {"1": ("menu", "a"), "2": ("menu", "a")}


def test_a_surplus_end_of_a_folder_loses_no_entry() -> None:
    text = HEAD + '<DL><p><DT><A HREF="u1">1</A></DL></DL></DL><DL><DT><A HREF="u2">2</A></DL>'
    assert places(text) == {"1": ("menu",), "2": ("menu",)}


def test_tags_over_several_lines_in_any_order_and_case() -> None:
    text = (
        HEAD
        + """<dl><dt><a
        add_date='1685620800'
        Icon=""
        hReF='https://example.com/a'
        >A
        title</a></dl>"""
    )
    (one,) = read(text)
    assert (one.url, one.title, one.added_at) == ("https://example.com/a", "A title", SUMMER)


def test_an_entry_that_is_never_closed_ends_where_the_next_begins() -> None:
    text = HEAD + '<DL><DT><A HREF="u1">one<DT><A HREF="u2">two</A></DL>'
    assert [(each.url, each.title) for each in read(text)] == [("u1", "one"), ("u2", "two")]


def test_a_link_in_a_description_is_none_of_the_entries() -> None:
    text = HEAD + (
        '<DL><DT><A HREF="u1" ADD_DATE="0">1</A><DD>as <a href="x">seen</a> in<br>two lines<HR>'
        '<DT><A HREF="u2">2</A><DD>without DT<A HREF="u3" ADD_DATE="1685620800">3</A></DL>'
    )
    found = [(each.url, each.description) for each in read(text)]
    assert found == [("u1", "as seen in two lines"), ("u2", "without DT"), ("u3", "")]


def test_a_heading_without_a_list_is_no_folder() -> None:
    text = HEAD + (
        '<DL><DT><H3>empty</H3><DT><A HREF="u1">1</A><DL><DT><A HREF="u2">2</A></DL>'
        '<DT><H4>other size</H4><DL><DT><A HREF="u3">3</A></DL></DL>'
    )
    assert places(text) == {"1": ("menu",), "2": ("menu",), "3": ("menu", "other size")}


def test_a_root_is_itself_wherever_it_stands() -> None:
    bar = (
        '<DT><H3 PERSONAL_TOOLBAR_FOLDER="true">b</H3><DL><DT><H3>c</H3><DL><DT><A>1</A></DL></DL>'
    )
    text = f"{HEAD}<DL><DT><H3>a</H3><DL>{bar}<DT><A>2</A></DL></DL>"
    assert places(text) == {"1": ("toolbar", "c"), "2": ("menu", "a")}


def test_folders_in_folders_without_end_are_read_all_the_same() -> None:
    line = '<DT><H3>f</H3><DL><p><DT><A HREF="u">x</A>'
    assert len(read(HEAD + line * 20_000)) == 20_000  # each by itself, not all that are above it


def test_bytes_that_are_no_text_do_not_cost_the_link() -> None:
    text = HEAD.encode() + b'<DL><DT><A HREF="https://example.com/">caf\xe9 \x00bar</A></DL>'
    (one,) = read(text)
    assert (one.url, one.title) == ("https://example.com/", "caf\ufffd bar")


@pytest.mark.parametrize(
    ("encoding", "title"), [("euc-kr", "한국어"), ("shift_jis", "日本語"), ("windows-1252", "café")]
)
def test_the_encoding_that_the_file_names(encoding: str, title: str) -> None:
    text = (
        f'{HEAD}<META CONTENT="text/html; charset={encoding}"><DL><DT><A HREF="u">{title}</A></DL>'
    )
    assert read(text.encode(encoding))[0].title == title


def test_an_encoding_that_is_none_of_texts_is_not_believed() -> None:
    text = f'{HEAD}<META CONTENT="text/html; charset=zlib"><DL><DT><A HREF="u">x</A></DL>'
    assert read(text)[0].title == "x"


def test_texts_and_depths_are_bounded() -> None:
    deep = "<DT><H3>f</H3><DL>" * 200
    text = f'{HEAD}<DL>{deep}<DT><A HREF="u">{"x" * 5_000}</A>'
    (one,) = read(text)
    assert (len(one.title), len(one.folder)) == (LONGEST_TITLE, DEEPEST)


def test_an_entry_without_an_address_is_an_entry() -> None:
    assert [each.url for each in read(HEAD + "<DL><DT><A>nothing</A></DL>")] == [""]


@pytest.mark.parametrize(
    "icon",
    [
        "data:image/svg+xml;base64,PHN2Zy8+",
        "data:image/png;base64,PHN2Zy8+",
        "data:image/png;base64,!!",
        "https://example.com/icon.png",
        ICON + "A" * 40_000,
        "",
    ],
)
def test_only_small_pictures_of_pixels_are_kept(icon: str) -> None:
    (one,) = read(f'{HEAD}<DL><DT><A HREF="u" ICON="{icon}">x</A></DL>')
    assert one.icon is None


# -- counting --------------------------------------------------------------------------------------
@pytest.mark.parametrize("text", [CHROME, EDGE, FIREFOX, SAFARI, INTERNET_EXPLORER, POCKET])
@pytest.mark.parametrize("chunk", [1, 2, 3, 1_000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entries_are_counted_without_reading_them(text: str, chunk: int, encoding: str) -> None:
    assert count_entries(in_chunks(text.encode(encoding), chunk)) == len(read(text))


# -- not bookmarks ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \r\n\xef\xbb\xbf ", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"%PDF-1.7\n\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10" * 50, "binary"),
        (b"PK\x03\x04" + bytes(range(256)) * 20, "binary"),
        (b'{"checksum": "x", "roots": {"bookmark_bar": {}}}', "json"),
        (b"<!DOCTYPE html><html><body><p>Hello</p></body></html>", "html"),
        (b"just some words\nand more", "text"),
    ],
)
def test_what_is_no_bookmark_file_says_what_it_is(data: bytes, reason: str) -> None:
    with pytest.raises(NotBookmarks) as caught:
        read(data)
    assert caught.value.reason == reason


def test_a_bookmark_file_without_bookmarks_is_one() -> None:
    assert read(HEAD + "<H1>Bookmarks</H1><DL><p></DL>") == []
