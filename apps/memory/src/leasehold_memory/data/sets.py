"""Sets of numbers in conditions, of any size: as parameters, SQLite takes 32,766."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, func, select


def among(column: ColumnElement[Any], numbers: Iterable[int]) -> ColumnElement[bool]:
    """Ask that a column has one of these numbers."""
    given: Any = func.json_each(json.dumps(sorted(numbers))).table_valued("value")
    return column.in_(select(given.c.value))
