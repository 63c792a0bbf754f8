"""Takes the pictures of the library in docs/images: `python -m tests.links.screenshots`.

They show the real service with the demo, in a process of its own. Its folders have Korean names:
take them on a machine that has a font for those.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browser.camera import DARK, LIGHT, ON_PHONE, SHARP, Camera, browsing
from tests.links.demo.test_end_to_end import WORDS, Running
from tests.web.serving import Served, served
from tests.worker.kit import wait_until

WAIT_SECONDS = 120.0
LINES = 60_000


def main() -> None:
    with (
        TemporaryDirectory() as folder,
        served(f"sqlite:///{folder}/links.db", *WORDS, folder=Path(folder)) as service,
        browsing() as browser,
    ):
        running = Running(f"sqlite:///{folder}/links.db", service)
        with closing(running.database):
            wait_until(running.has_ended, "the demo's links have ended", WAIT_SECONDS)
            _take_all(Camera(browser, service, "links"), service)
        service.end()


def _take_all(camera: Camera, service: Served) -> None:
    english, korean = {"locale": "en-GB"}, {"locale": "ko-KR"}
    camera.take("library-light", "/links/", **english, **LIGHT, **SHARP)
    camera.take("library-korean-dark", "/links/", **korean, **DARK)
    camera.take("dead-light", "/links/dead", **english, **LIGHT)
    camera.take("domains-dark", "/links/domains", **english, **DARK)
    found = service.http.get("/links/api/links", params={"q": "가을"}).json()["links"]
    camera.take("link-light", f"/links/link/{found[0]['id']}", **english, **LIGHT)
    camera.take("phone-dark", "/links/", **korean, **DARK, **ON_PHONE)
    camera.take("import-dark", _import_many(service), **DARK)


def _import_many(service: Served) -> str:
    """Begin an import that takes some seconds; returns its page, once its bar has moved."""
    entries = "".join(
        f'<DT><A HREF="{"javascript" if number % 97 == 0 else "https"}'
        f'://site{number % 500}.example/{number}">Page {number}</A>\n'
        for number in range(LINES)
    )
    body = f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{entries}</DL>".encode()
    named = {"name": "bookmarks.html"}
    headers = {"Content-Type": "text/html"}
    answer = service.http.post("/links/api/imports", content=body, params=named, headers=headers)
    path = answer.headers["location"]
    wait_until(
        lambda: service.http.get(path).json()["processed_items"] > LINES // 5,
        "the bar has moved",
        WAIT_SECONDS,
    )
    return path.replace("/api", "")


if __name__ == "__main__":
    main()
