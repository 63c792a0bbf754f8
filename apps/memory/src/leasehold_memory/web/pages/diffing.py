"""What a version of a memory changed: field by field, as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from leasehold_memory.model.stored import Version


class Change(NamedTuple):
    """A field that was different; None where it was not there."""

    field: str
    before: str | None
    after: str | None


def changes_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Change]:
    """Compare two payloads; what is inside of a field has the path to it as its name.

    What is empty is as good as none.
    """
    old, new = dict(_flat(before)), dict(_flat(after))
    names = [*new, *(name for name in old if name not in new)]
    return [
        Change(name, old.get(name), new.get(name))
        for name in names
        if (old.get(name) or "") != (new.get(name) or "")
    ]


def with_changes(versions: Sequence[Version]) -> list[tuple[Version, list[Change]]]:
    """Add to each version, the newest first, what it changed of the one before."""
    older: list[Mapping[str, Any]] = [*(each.payload for each in versions[1:]), {}]
    return [
        (version, changes_of(before, version.payload))
        for version, before in zip(versions, older, strict=True)
    ]


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _flat(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and value and isinstance(value[0], (Mapping, list)):
        for number, each in enumerate(value):
            yield from _flat(each, f"{name}[{number}]")
    elif isinstance(value, list):
        yield name, ", ".join(map(str, value))
    elif value is not None:
        yield name, str(value)
