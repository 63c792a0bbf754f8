"""Sets of numbers in conditions, of any size: as parameters, SQLite takes 32,766."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, func, select

_FEW = 500  # which are quicker as parameters


def among(column: ColumnElement[Any], numbers: Collection[int]) -> ColumnElement[bool]:
    """Ask that a column has one of these numbers."""
    if len(numbers) <= _FEW:
        return column.in_(numbers)
    given: Any = func.json_each(json.dumps(sorted(numbers))).table_valued("value")
    return column.in_(select(given.c.value))
