"""Where a reader of Notion is: a cursor, which looks like an id and is a place in one query."""

from __future__ import annotations

import msgspec

_NUMBER_BITS = 48


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """The row that was shown last: after it the next page begins, whether it is there or not."""

    shown: int  # so many so far
    mark: int  # of the query
    moment: int  # that it is sorted by
    group: int  # of what a search shows, one after the other
    number: int

    def text(self) -> str:
        moment = f"{self.moment:08x}"
        return (
            f"{self.shown:08x}-{moment[:4]}-{moment[4:]}-{self.mark:04x}-"
            f"{self.group << (_NUMBER_BITS - 4) | self.number:012x}"
        )

    @classmethod
    def read(cls, text: str) -> Place:
        digits = text.replace("-", "")
        tail = int(digits[20:], 16)
        return cls(
            shown=int(digits[:8], 16),
            moment=int(digits[8:16], 16),
            mark=int(digits[16:20], 16),
            group=tail >> (_NUMBER_BITS - 4),
            number=tail & ((1 << (_NUMBER_BITS - 4)) - 1),
        )
