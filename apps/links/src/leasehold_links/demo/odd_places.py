"""The odd part of the demo's web: one place for each row of the table of outcomes."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from urllib.parse import quote

from leasehold_links.bookmarks.values import Root
from leasehold_links.demo.odd_web import HTML, Reply, page
from leasehold_links.demo.places import Place, article, moved, status

ODD_FOLDER = ("이상한 곳",)
_GONE = (*ODD_FOLDER, "없어진 곳")
_CLOSED = (*ODD_FOLDER, "닫힌 곳")
_ELSEWHERE = (*ODD_FOLDER, "다른 곳으로")
_FILES = (*ODD_FOLDER, "파일")
_TIRED = (*ODD_FOLDER, "바쁜 곳")
_PIECE_SECONDS = 1.0
_MEGABYTE = 1_000_000


def _drip(ending: threading.Event) -> Iterator[bytes]:
    """Say the title at once, and then a letter a second, for ever."""
    yield b"<html><head><title>A letter a second</title></head><body><p>"
    while not ending.wait(_PIECE_SECONDS):
        yield b"."


_DRIPPING: Reply = (200, HTML, _drip)
_BOMB: Reply = (
    200,
    HTML | {"Content-Encoding": "gzip"},
    gzip.compress(b"<title>Small outside, large inside</title>" + b" " * 40 * _MEGABYTE),
)

ROBOTS = {
    "hermit.example/robots.txt": (200, {}, b"User-agent: *\nDisallow: /\n"),
    "shelf.example/robots.txt": (200, {}, b"User-agent: *\nDisallow: /private\n"),
    "ill.example/robots.txt": status(503),
}

ODD = (
    Place(
        folder=_GONE,
        url="http://shelf.example/lost",
        name="Lost page",
        reply=status(404),
        ends="dead",
        reason="not_found",
    ),
    Place(
        folder=_GONE,
        url="http://shelf.example/gone",
        name="사라진 글",
        reply=status(410),
        ends="dead",
        reason="gone",
    ),
    Place(
        folder=_GONE,
        url="http://shelf.example/sealed",
        name="",
        reply=status(451),
        ends="dead",
        reason="legal",
    ),
    Place(
        folder=_CLOSED,
        url="http://members.example/club",
        name="Members only",
        reply=status(401),
        ends="dead",
        reason="unauthorised",
    ),
    Place(
        folder=_CLOSED,
        url="http://members.example/paper",
        name="",
        reply=status(402),
        ends="dead",
        reason="payment",
    ),
    Place(
        folder=_CLOSED,
        url="http://hermit.example/",
        name="The hermit (robots.txt says no)",
        reply=article("The hermit", "Nobody should read this."),
        ends="dead",
        reason="robots",
    ),
    Place(
        folder=_CLOSED,
        url="http://shelf.example/private/diary",
        name="일기장",
        reply=article("일기장", "robots.txt가 막은 곳입니다.", language="ko"),
        ends="dead",
        reason="robots",
    ),
    Place(
        folder=_CLOSED,
        url="http://gatekeeper.example/shop",
        name="",
        reply=page("One moment", cf_mitigated="challenge"),
        ends="dead",
        reason="captcha",
    ),
    Place(
        folder=_CLOSED,
        url="http://doorman.example/",
        name="Doorman",
        reply=page("Just a moment..."),
        ends="dead",
        reason="captcha",
    ),
    *(
        Place(
            folder=_CLOSED,
            url=f"http://fortress.example/{room}",
            name=f"Fortress: {room}",
            reply=status(403),
            ends="dead",
            reason="forbidden",
        )
        for room in ("hall", "tower", "cellar")
    ),
    Place(
        folder=_ELSEWHERE,
        url="http://shelf.example/moved",
        name="",
        reply=moved("http://www.shelf.example/here"),
    ),
    Place(
        folder=_ELSEWHERE,
        url="http://old-name.example/",
        name="이사 간 블로그",
        reply=moved("http://new-name.example/welcome"),
    ),
    Place(
        folder=_ELSEWHERE,
        url="http://roundabout.example/a",
        name="",
        reply=moved("http://roundabout.example/b", 302),
        ends="dead",
        reason="redirects",
    ),
    Place(
        folder=_ELSEWHERE,
        url="http://trapdoor.example/",
        name="Trapdoor (leads into your own network)",
        reply=moved("http://127.0.0.1/admin", 302),
        ends="dead",
        reason="ssrf_blocked",
    ),
    Place(
        folder=_ELSEWHERE,
        url="http://169.254.169.254/latest/meta-data/",
        name="A cloud's own secrets",
        ends="dead",
        reason="ssrf_blocked",
    ),
    Place(
        folder=_FILES,
        url="http://files.example/reports/annual%20report%202026.pdf",
        name="",
        reply=(200, {"Content-Type": "application/pdf"}, b"%PDF-1.7\n"),
    ),
    Place(
        folder=_FILES,
        url="http://files.example/download?id=7",
        name="",
        reply=(
            200,
            {
                "Content-Type": "application/zip",
                "Content-Disposition": f"attachment; filename*=UTF-8''{quote('사진첩')}.zip",
            },
            b"PK",
        ),
    ),
    Place(folder=_FILES, url="http://bomb.example/", name="", reply=_BOMB),
    Place(folder=_TIRED, url="http://drip.example/", name="", reply=_DRIPPING),
    Place(
        folder=_TIRED,
        url="http://busy.example/queue",
        name="Too many requests",
        reply=status(429, Retry_After="3600"),
        ends="queued",
        reason="busy",
    ),
    Place(
        folder=_TIRED,
        url="http://busy.example/other",
        name="The same busy place",
        reply=status(429, Retry_After="3600"),
        ends="queued",
        reason="busy",
    ),
    Place(
        folder=_TIRED,
        url="http://broken.example/",
        name="고장 난 가게",
        reply=status(500),
        ends="dead",
        reason="server_error",
    ),
    Place(
        folder=_TIRED,
        url="http://ill.example/",
        name="",
        reply=article("Ill", "Its robots.txt can't be had, so neither can this."),
        ends="dead",
        reason="robots_unreachable",
    ),
)

# Where redirects lead to; no bookmarks themselves.
BEHIND = {
    "www.shelf.example/here": article("The shelf has moved a little", "Same house, other door."),
    "new-name.example/welcome": article(
        "새 이름으로 인사드립니다", "블로그를 옮겼습니다.", language="ko"
    ),
    "roundabout.example/b": moved("http://roundabout.example/a", 302),
}

# Lines that become no links, each with its reason.
SKIPPED = tuple(
    Place(folder=(), url=url, name=name, root=Root.MENU)
    for url, name in (
        ("javascript:document.title='hello'", "Bookmarklet"),
        ("mailto:desk@hanbat.example", "편집국에 메일 쓰기"),
        ("file:///home/me/notes.html", "My notes"),
        ("about:config", "Settings"),
    )
)
