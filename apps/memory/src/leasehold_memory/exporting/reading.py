"""Reads the lines of an export, and refuses whatever is none before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from leasehold_memory.data import payloads
from leasehold_memory.data.versions import TAGS
from leasehold_memory.errors import BadExport, BadPayload
from leasehold_memory.model.exports import (
    FORMAT,
    ExportedEntity,
    ExportedRefresh,
    ExportedUnit,
    Heading,
    Line,
)


class Read(NamedTuple):
    """All that an export holds."""

    heading: Heading
    entities: dict[int, ExportedEntity]
    units: dict[int, ExportedUnit]
    refreshes: list[ExportedRefresh]


def read_lines(lines: Iterable[bytes]) -> Read:
    """Read an export whole; `BadExport` says which line can't be used, and why."""
    decoder = msgspec.json.Decoder(Line)
    read: Read | None = None
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        line = _decoded(decoder, number, raw)
        if read is None:
            read = Read(_checked_heading(number, line), {}, {}, [])
        else:
            _take(read, number, line)
    if read is None:
        raise BadExport(1, "there is nothing in it")
    _check_whole(read)
    return read


def _decoded(decoder: msgspec.json.Decoder[Line], number: int, raw: bytes) -> Line:
    try:
        return decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadExport(number, _without_values(error)) from None


def _without_values(error: Exception) -> str:
    """Say what is wrong, not what was written there: it may be somebody's memory."""
    is_told = isinstance(error, msgspec.ValidationError) and "value" not in str(error)
    return str(error) if is_told else "it is no line of an export"


def _checked_heading(number: int, line: Line) -> Heading:
    if not isinstance(line, Heading):
        raise BadExport(number, "an export begins with its heading")
    if line.format != FORMAT:
        raise BadExport(number, f"its format is {line.format}, and {FORMAT} is known here")
    return line


def _take(read: Read, number: int, line: Line) -> None:
    match line:
        case Heading():
            raise BadExport(number, "there is a second heading: import one export at a time")
        case ExportedEntity():
            if line.id in read.entities:
                raise BadExport(number, f"entity {line.id} comes twice")
            read.entities[line.id] = line
        case ExportedUnit():
            if line.id in read.units:
                raise BadExport(number, f"unit {line.id} comes twice")
            _check_versions(number, line)
            read.units[line.id] = line
        case ExportedRefresh():
            read.refreshes.append(line)


def _check_versions(number: int, line: ExportedUnit) -> None:
    if [each.version for each in line.versions] != [*range(1, len(line.versions) + 1)]:
        raise BadExport(number, f"unit {line.id} lacks one of its versions")
    for version in line.versions:
        said = {name: value for name, value in version.payload.items() if name != TAGS}
        tags = version.payload.get(TAGS)
        if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
            raise BadExport(number, f"{TAGS} of unit {line.id} is no list of texts")
        try:
            payloads.check(line.kind, said)
        except BadPayload as error:
            raise BadExport(number, str(error)) from None


def _check_whole(read: Read) -> None:
    """Refuse an export that was cut off, or that leads to what is not in it."""
    counts = (len(read.entities), len(read.units))
    if counts != (read.heading.entities, read.heading.units):
        raise BadExport(1, "it is not whole: export it again")
    for line in read.units.values():
        named = {each.entity_id for each in line.entities}
        if named - read.entities.keys() or {e.target_id for e in line.edges} - read.units.keys():
            raise BadExport(1, f"unit {line.id} speaks of what is not in it")
