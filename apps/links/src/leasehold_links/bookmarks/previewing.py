"""What an import would do, told by the file alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from leasehold_links.bookmarks.lines import Counts, Line, read_line
from leasehold_links.bookmarks.reading import read_bookmarks

REPEATED = "repeated"


class Preview(NamedTuple):
    """What would become of the lines, in a library that has none of them."""

    counts: Counts
    folders: int
    reasons: Counter[str]
    lines: list[Line]  # that would not become links, the first of them


def preview(chunks: Iterable[bytes], *, most_lines: int = 100) -> Preview:
    """Read a file and write nothing; `NotBookmarks` when it is none."""
    seen: set[tuple[object, ...]] = set()
    reasons: Counter[str] = Counter()
    left_out: list[Line] = []
    for number, bookmark in enumerate(read_bookmarks(chunks)):
        line = read_line(number, bookmark)
        if line.address is not None:
            place = (bookmark.root, bookmark.folder, line.address.key_hash)
            if place not in seen:
                seen.add(place)
                continue
            line = line._replace(reason=REPEATED)
        reasons[line.reason] += 1
        if len(left_out) < most_lines:
            left_out.append(line)
    repeated = reasons[REPEATED]
    skipped = reasons.total() - repeated
    counts = Counts(imported=len(seen), duplicate=repeated, skipped=skipped)
    return Preview(counts, len({place[:2] for place in seen}), +reasons, left_out)
