"""Large bookmark files of known contents: folders, icons, repeats, and lines that are no links."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator
from dataclasses import dataclass

ICON_BYTES = 330  # with the rest of its line some 550 bytes, as in files that people have
_LINKS_OF_A_FOLDER = 250
_BAD = ("javascript:void(0)", "chrome://settings/", "about:blank", "ftp://example.com/a", "")
_WORDS = ("링크 모음", "news of", "the day", "読書", "über alles", "recipe", "release notes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Large:
    """A file of so many lines: each 50th is no link, each 20th a link that its folder has."""

    lines: int
    seed: int = 20261116

    @property
    def skipped(self) -> int:
        return sum(self.is_bad(number) for number in range(self.lines))

    @property
    def duplicate(self) -> int:
        return sum(self.is_repeated(number) for number in range(self.lines))

    @property
    def imported(self) -> int:
        return self.lines - self.skipped - self.duplicate

    @property
    def folders(self) -> int:
        """Count them, with those above them and the root."""
        return 1 + 2 * -(-self.lines // _LINKS_OF_A_FOLDER)

    def is_bad(self, number: int) -> bool:
        return number % 50 == 7

    def is_repeated(self, number: int) -> bool:
        return number % 20 == 11  # it and the one before are never bad, and are of one folder

    def chunks(self) -> Iterator[bytes]:
        """Write the file, folder by folder."""
        chance = random.Random(self.seed)
        yield b"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>\n<DL><p>\n"
        for first in range(0, self.lines, _LINKS_OF_A_FOLDER):
            names = (str(first), _title(chance))
            yield "".join(f"<DT><H3>{name}</H3>\n<DL><p>\n" for name in names).encode()
            numbers = range(first, min(first + _LINKS_OF_A_FOLDER, self.lines))
            yield "".join(self._line(number, chance) for number in numbers).encode()
            yield b"</DL><p>\n</DL><p>\n"
        yield b"</DL><p>\n"

    def _line(self, number: int, chance: random.Random) -> str:
        icon = base64.b64encode(b"\x89PNG\r\n\x1a\n" + chance.randbytes(ICON_BYTES - 8)).decode()
        return (
            f'<DT><A HREF="{self._url(number)}" ADD_DATE="{1_500_000_000 + number}"'
            f' ICON="data:image/png;base64,{icon}">{_title(chance)} {number}</A>\n'
        )

    def _url(self, number: int) -> str:
        if self.is_bad(number):
            return _BAD[number // 50 % len(_BAD)]
        place = number - 1 if self.is_repeated(number) else number
        query = f"?id={place}&amp;utm_source=x" if place % 3 == 0 else ""
        return f"https://www.site{place * place % 4_999}.com/a/{place}{query}"


def _title(chance: random.Random) -> str:
    return " ".join(chance.choices(_WORDS, k=3))
