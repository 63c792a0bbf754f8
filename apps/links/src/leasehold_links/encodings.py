"""The encodings of the web, by the names that pages give them."""

from __future__ import annotations

import codecs
from functools import lru_cache

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# The web's names mean more than Python's: the vendors' supersets.
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "euc_kr": "cp949",
    "johab": "cp949",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
}
_ALIASES = {
    "unicode": "utf-16-le",
    "utf-16": "utf-16-le",
    "windows-31j": "cp932",
    "x-sjis": "cp932",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gb18030",
    "x-x-big5": "big5hkscs",
    "ks_c_5601-1987": "cp949",
    "x-mac-roman": "mac-roman",
}
# A page names what it likes, and Python knows codecs that are none of texts: zlib, idna, punycode.
_TEXTS = frozenset(
    codecs.lookup(name).name
    for name in (
        *("utf-8", "utf-16-le", "utf-16-be", "cp866", "cp874", "koi8-r", "koi8-u", "mac-roman"),
        *(f"cp125{number}" for number in range(9)),
        *(f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
        *("cp949", "cp932", "euc_jp", "iso2022_jp", "gb18030", "big5hkscs"),
    )
)


@lru_cache(maxsize=256)
def codec_of(label: str) -> str | None:
    """Return Python's name for an encoding of texts; None for anything else."""
    lowered = label.strip().lower()
    try:
        name = codecs.lookup(_ALIASES.get(lowered, lowered)).name
    except (LookupError, UnicodeError, ValueError):
        return None
    meant = _MEANT.get(name, name)
    return meant if meant in _TEXTS else None
