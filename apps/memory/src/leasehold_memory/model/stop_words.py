"""Words that say nothing of what a question is about."""

from __future__ import annotations

import re

_ENGLISH = """
a about after again all also am an and any anything are as at be because been before being but by
can could d did do does doing done during each else ever for from get go got had has have having
he her here hers him his how i if in into is it its just ll m may me might more most much must my
no nor not of off on once one only or other our ours out over own please re s same shall she should
since so some something such t tell than that the their theirs them then there these they thing
things this those through to too under until up us ve very was we were what when where which while
who whom whose why will with would yes yet you your yours dont didnt doesnt isnt im ive whats
"""
_STOP_WORDS = frozenset(_ENGLISH.split())
# Particles and endings of Japanese are written in these; what a sentence is about seldom is.
_HIRAGANA = re.compile("[\u3041-\u309f]+")


def is_stop_word(word: str) -> bool:
    """Tell whether a normalised word, or a pair of characters, is in nearly every sentence."""
    return word in _STOP_WORDS or _HIRAGANA.fullmatch(word) is not None
