"""What is read of a page: never too much, never too long, and in its own encoding."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator

from leasehold_links.settings import Settings, lending
from tests.links.jobs.kit import known, titles
from tests.links.jobs.test_outcomes import World, world
from tests.links.odd_web import HTML, Reply, page

__all__ = ["world"]

TITLE = b"<title>The beginning</title>"


def test_a_page_says_its_title_description_and_picture(world: World) -> None:
    web = world.web
    head = '<meta property="og:image" content="/i.png"><link rel="icon" href="f.png">'
    url = web.put("a.test", "/x/", page("A title", head + "<p>" + "Some words here. " * 40))
    assert world.one(url) == ("succeeded", None)
    row = known(world.database, url)
    assert (row["title"], row["status"], row["final_url"]) == ("A title", 200, url)
    assert (row["image"], row["favicon"]) == (web.url("a.test", "/i.png"), f"{url}f.png")
    assert row["description"].endswith("here.")
    assert 200 < len(row["description"]) <= 300
    assert row["fetched_at"] is not None
    assert web.seen == {"a.test/robots.txt": 1, "a.test/x/": 1}, "no picture is ever fetched"
    assert titles(world.database) == ["x"], "the title that a person gave wins"


def test_a_file_is_called_by_its_name_and_not_read(world: World) -> None:
    web = world.web
    told: list[int] = []

    def endless(ending: threading.Event) -> Iterator[bytes]:
        while not ending.is_set():
            told.append(1)
            yield b"x" * 65_536

    files: dict[str, tuple[str, dict[str, str], str]] = {
        "pdf": ("/My%20paper.pdf", {"Content-Type": "application/pdf"}, "My paper.pdf"),
        "png": ("/i/a.png", {"Content-Type": "image/png"}, "a.png"),
        "zip": ("/get?id=1", {"Content-Disposition": "attachment; filename=x.zip"}, "x.zip"),
        "korean": (
            "/get",
            {"Content-Disposition": "attachment; filename*=UTF-8''%ED%95%9C.pdf"},
            "한.pdf",
        ),
        "text": ("/notes.txt", {"Content-Type": "text/plain; charset=utf-8"}, "notes.txt"),
    }
    urls = [
        web.put(
            f"{name}.test", path, (200, {"Content-Type": "application/zip"} | headers, b"\0" * 99)
        )
        for name, (path, headers, _) in files.items()
    ]
    urls.append(web.put("e.test", "/large.iso", (200, {"Content-Type": "x/iso"}, endless)))
    assert set(world.enrich(*urls).values()) == {("succeeded", None)}
    found = [known(world.database, url)["title"] for url in urls]
    assert found == [*(title for _, _, title in files.values()), "large.iso"]
    assert len(told) < 1_000


def test_what_is_too_large_or_too_slow_is_stopped_and_what_came_is_read(world: World) -> None:
    web = world.web
    packed = HTML | {"Content-Encoding": "gzip"}

    def slowly(ending: threading.Event) -> Iterator[bytes]:
        yield TITLE
        while not ending.wait(0.05):
            yield b"x"

    replies: dict[str, Reply] = {
        "large": (200, HTML, TITLE + b" " * 5_000_000),
        "bomb": (200, packed, gzip.compress(TITLE + b" " * 50_000_000)),
        "slow": (200, HTML, slowly),
        "broken": (200, packed, gzip.compress(TITLE + bytes(range(256)) * 999)[:-500]),
    }
    urls = [web.put(f"{name}.test", "/x", reply) for name, reply in replies.items()]
    allow = (f"127.0.0.1:{web.port}",)
    with lending(Settings(allow=allow, names={"test": "127.0.0.1"}, page_seconds=1.0)):
        assert set(world.enrich(*urls).values()) == {("succeeded", None)}
    assert {known(world.database, url)["title"] for url in urls} == {"The beginning"}


def test_nothing_at_all_is_no_page(world: World) -> None:
    def silent(ending: threading.Event) -> Iterator[bytes]:
        ending.wait(5)
        yield b""

    url = world.web.put("a.test", "/x", (200, HTML, silent))
    allow = (f"127.0.0.1:{world.web.port}",)
    with lending(Settings(allow=allow, names={"test": "127.0.0.1"}, page_seconds=0.5)):
        assert world.one(url) == ("failed", "timeout")


def test_a_page_in_any_encoding_has_its_own_title(world: World) -> None:
    korean, japanese, chinese = (
        "안녕하세요. 오늘의 날씨는 매우 맑고 따뜻합니다.",
        "こんにちは。今日はとても良い天気です。",
        "你好，今天天气非常好。这是一个中文文档。",
    )
    cases: dict[str, tuple[str, str, str, str]] = {
        "header": (korean, "euc-kr", "text/html; charset=euc-kr", ""),
        "sjis": (japanese, "shift_jis", "text/html; charset=Shift_JIS", ""),
        "gbk": (chinese, "gbk", "text/html; charset=gbk", ""),
        "meta": (japanese, "shift_jis", "text/html", "<meta charset=shift_jis>"),
        "missing": (korean, "euc-kr", "text/html", ""),
        "wrong": (chinese, "gbk", "text/html; charset=utf-8", ""),
        "worse": (korean, "utf-8", "text/html; charset=iso-8859-1", "<meta charset=euc-kr>"),
        "bom": (korean, "utf-8-sig", "text/html; charset=euc-kr", ""),
        "untyped": (japanese, "utf-8", "", ""),
    }
    urls = {}
    for name, (text, encoding, kind, meta) in cases.items():
        body = f"<html><head>{meta}<title>{text}</title></head><p>{text * 4}</p>".encode(encoding)
        headers = {"Content-Type": kind} if kind else {}
        urls[name] = world.web.put(f"{name}.test", "/", (200, headers, body))
    world.enrich(*urls.values())
    found = {name: known(world.database, url)["title"] for name, url in urls.items()}
    assert found == {name: text for name, (text, *_) in cases.items()}
