"""What connectors share: cursors, moments, and objects that become items."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from leasehold_sync.connectors.errors import BadAnswer, BadConfig
from leasehold_sync.model.pages import Item, Resource

P = TypeVar("P", bound=msgspec.Struct)


def encode_place(place: msgspec.Struct) -> str:
    """Write down where a scan stands."""
    return msgspec.json.encode(place).decode()


def decode_place(cursor: str | None, kind: type[P]) -> P:
    """Read where a scan stands; without a cursor, its beginning."""
    try:
        return msgspec.json.decode(cursor, type=kind) if cursor else kind()
    except msgspec.MsgspecError as error:
        raise BadConfig("a cursor that is not this connector's: start the sync anew") from error


def resource_of(resources: Iterable[Resource], name: str) -> Resource:
    for resource in resources:
        if resource.name == name:
            return resource
    raise BadConfig(f"there is no resource {name!r}")


def moment(value: Any) -> datetime | None:
    """Read a moment as sources write them: seconds since 1970, or ISO 8601; None for neither."""
    try:
        match value:
            case bool():
                return None
            case int() | float():
                return datetime.fromtimestamp(value, UTC)
            case str() if value:
                read = datetime.fromisoformat(value)
                return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
            case _:
                return None
    except (ValueError, OverflowError, OSError):
        return None


def id_of(row: dict[str, Any]) -> str:
    """Return an object's id as text; empty if it has none."""
    match row.get("id"):
        case str() as name:
            return name
        case int() as number if not isinstance(number, bool):
            return str(number)
        case _:
            return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Objects of a page that have an id, and how many have none."""

    items: tuple[Item, ...]
    nameless: int


def items_of(rows: Iterable[dict[str, Any]], make: Callable[[str, dict[str, Any]], Item]) -> Items:
    made, nameless = [], 0
    for row in rows:
        if name := id_of(row):
            made.append(make(name, row))
        else:
            nameless += 1
    return Items(items=tuple(made), nameless=nameless)


def text_at(document: dict[str, Any], *path: str) -> str:
    """Return the text that stands at a path of names; empty if there is none."""
    found: Any = document
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    if found is None:
        return ""
    if not isinstance(found, str):
        raise BadAnswer(f"{'.'.join(path)} is no text")
    return found


def made_since(found: Items, sync_from: datetime | None) -> Items:
    """Leave out what was made before, for sources that can't be asked to."""
    if sync_from is None:
        return found
    kept = tuple(
        each for each in found.items if each.created_at is None or each.created_at >= sync_from
    )
    return Items(items=kept, nameless=found.nameless)
