"""Reads the .sql files that stand beside a back-end's code."""

from __future__ import annotations

from functools import cache
from importlib import resources


@cache
def load(package: str, name: str) -> str:
    """Return the statement in `<package>/sql/<name>.sql`."""
    return resources.files(package).joinpath("sql", f"{name}.sql").read_text("utf-8")
