"""Japanese on any terminal: what it can't show is written in numbers, and nothing fails for it."""

from __future__ import annotations

import io
import sys


def speak_anywhere() -> None:
    """Let the program's own output never fail for a character that the locale does not know."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
