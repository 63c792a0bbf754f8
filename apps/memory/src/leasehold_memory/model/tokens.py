"""How many tokens a text is, about: no tokenizer of the model's own is at hand."""

from __future__ import annotations

import re

# One to three bytes a character in most models' tokenizers; English is about four letters a token.
_WIDE = re.compile("[^\u0000-\u04ff]")
_LETTERS_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Count a character of Japanese as a token and four letters of English as one, rounded up."""
    wide = len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // _LETTERS_A_TOKEN)


def cut_to_tokens(text: str, most: int) -> str:
    """Return as much of a text as has at most so many tokens, with a mark where it was cut."""
    if estimate_tokens(text) <= most:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(text[:middle]) < most else (low, middle - 1)
    return f"{text[:low].rstrip()}…" if low else ""
