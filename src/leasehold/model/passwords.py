"""Takes passwords out of URLs and DSNs in a text that is written down, and leaves all else."""

from __future__ import annotations

import re

MASK = "***"
# Behind a host stands a port, and an @ further on is its path's. All repetitions that could begin
# anywhere are bounded: a text of any length is read in one go.
_IN_URL = re.compile(
    r"(?P<before>[A-Za-z][A-Za-z0-9+.\-]{0,30}://[^\s:/@'\"<>]{0,256}):(?!\d{1,5}/)[^\s'\"<>]{1,512}@"
)
_IN_DSN = re.compile(
    r"(?P<before>\b(?:ssl)?(?:password|passwd|pwd)\s{0,3}=\s{0,3})"
    r"(?:'[^']{0,512}'|\"[^\"]{0,512}\"|[^\s&,;)'\"]{1,512})",
    re.IGNORECASE,
)


def hide_passwords(text: str) -> str:
    """Mask the passwords of URLs and DSNs, in whatever they stand."""
    if "://" in text:
        text = _IN_URL.sub(rf"\g<before>:{MASK}@", text)
    return _IN_DSN.sub(rf"\g<before>{MASK}", text) if "=" in text else text
