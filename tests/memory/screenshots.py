"""Takes the pictures of the memory's pages in docs/images: `python -m tests.memory.screenshots`.

They show the real service with the demo, in a process of its own. Half of what is said there is
Japanese: take them on a machine that has a font for it.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browser.camera import DARK, LIGHT, ON_PHONE, SHARP, Camera, browsing
from tests.memory.demo.service import Shown, showing


def main() -> None:
    with (
        TemporaryDirectory() as folder,
        showing(Path(folder)) as shown,
        browsing() as browser,
    ):
        shown.wait()
        _take_all(Camera(browser, shown.service, "memory"), shown)
        shown.service.end()


def _take_all(camera: Camera, shown: Shown) -> None:
    japanese, english = {"locale": "ja-JP"}, {"locale": "en-GB"}
    moved = next(each for each in shown.units(kind="fact", state="closed"))
    camera.take("chat-japanese-light", "/memory/", **japanese, **LIGHT, **SHARP)
    camera.take("chat-dark", "/memory/", **english, **DARK)
    camera.take("memories-light", "/memory/memories?kind=fact", **english, **LIGHT)
    camera.take("unit-light", f"/memory/memories/{moved['id']}", **english, **LIGHT)
    camera.take("people-japanese-dark", "/memory/people", **japanese, **DARK)
    camera.take("phone-japanese-dark", "/memory/memories", **japanese, **DARK, **ON_PHONE)


if __name__ == "__main__":
    main()
