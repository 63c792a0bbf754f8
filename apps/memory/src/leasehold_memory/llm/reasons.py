"""Why an answer is of no use; the text stands in a job's error."""

from __future__ import annotations

from enum import StrEnum


class BadReason(StrEnum):
    """What is wrong with an answer, in words that fit behind "the answer is"."""

    EMPTY = "empty"
    REFUSED = "a refusal"
    CUT_OFF = "cut off"
    NOT_JSON = "no JSON"
    WRONG_SHAPE = "not of the shape that was asked for"
    TOO_LONG = "longer than any answer may be"
    NO_COMPLETION = "no completion"
