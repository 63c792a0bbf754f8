"""Topic tags: a JSON array of normalised texts, so that the same tags always hash the same."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable


def normalise_tags(tags: Iterable[str]) -> list[str]:
    """Return the tags in NFKC, trimmed, each once, sorted; an empty one is none."""
    found = {unicodedata.normalize("NFKC", tag).strip() for tag in tags}
    return sorted(found - {""})


def write_tags(tags: Iterable[str]) -> str:
    """Write them as `units.topic_tags` keeps them."""
    return json.dumps(normalise_tags(tags), ensure_ascii=False, separators=(",", ":"))
