"""Schedules as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from leasehold.cli.output import (
    cell,
    first_line,
    make_list,
    make_table,
    plain,
    print_json,
    print_rows,
    show,
)
from leasehold.model.wording import since, span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leasehold.cli.session import Session
    from leasehold.model.schedules import ScheduleInfo


def print_schedules(session: Session, found: Sequence[ScheduleInfo], now: datetime) -> None:
    """Print one line for each."""
    if session.is_json:
        print_json({"schedules": [plain(each) for each in found]})
        return
    table = make_table("schedule", "rule", "zone", "task", "last", "next", "")
    for each in found:
        name = f"{each.tenant}/{each.name}" if each.tenant else each.name
        table.add_row(
            cell(name),
            cell(each.rule),
            cell(each.zone),
            cell(each.kind),
            cell(since(each.last_fired_at, now)),
            cell("" if each.paused_at else since(each.next_at, now) or "never"),
            cell(_remark(each, now)),
        )
    print_rows(table, empty="No schedules.", rows=found)


def print_schedule(session: Session, found: ScheduleInfo, now: datetime) -> None:
    """Print all that is known of one."""
    if session.is_json:
        print_json({"schedule": plain(found)})
        return
    table = make_list(2)
    for name, text in _lines(found, now):
        if text:
            table.add_row(name, cell(text, wraps=True))
    show(table)


def _lines(found: ScheduleInfo, now: datetime) -> Iterator[tuple[str, str]]:
    import msgspec

    job = {name: value for name, value in found.job.items() if name not in {"kind", "args"}}
    cap = f", {found.missed_cap:,} at most" if found.missed == "all" else ""
    yield "schedule", found.name
    yield "tenant", found.tenant
    yield "rule", found.rule
    yield "zone", f"{found.zone} (dst: {found.dst})"
    yield "missed", f"{found.missed}{cap}"
    yield "jitter", span(found.jitter_seconds) if found.jitter_seconds else ""
    yield "task", found.kind
    yield "args", msgspec.json.encode(found.job["args"]).decode()
    yield "options", ", ".join(f"{name} {value}" for name, value in job.items())
    yield "next", _moment(found.next_at, found.zone, now) or "never"
    yield "last slot", _moment(found.last_slot, found.zone, now)
    yield "last fired", _moment(found.last_fired_at, found.zone, now)
    yield "last job", str(found.last_job or "")
    yield "", _remark(found, now)


def _remark(found: ScheduleInfo, now: datetime) -> str:
    parts = []
    if found.paused_at is not None:
        by = f" by {first_line(found.paused_by)}" if found.paused_by else ""
        parts.append(f"paused {since(found.paused_at, now)}{by}")
    if found.set_by is not None:
        parts.append(f"set by {first_line(found.set_by)}")
    return ", ".join(parts)


def print_slots(session: Session, slots: Sequence[datetime], zone: str) -> None:
    """Print moments as the zone's clock shows them, and in UTC."""
    if session.is_json:
        print_json({"zone": zone, "slots": list(slots)})
        return
    now = datetime.now(UTC)
    table = make_table("slot", "UTC", "")
    for slot in slots:
        table.add_row(
            cell(wall(slot, zone)), cell(f"{slot:%Y-%m-%d %H:%M:%S}"), cell(since(slot, now))
        )
    print_rows(table, empty="Never.", rows=slots)


def slots_of_rule(
    rule: str, zone: str, dst: str, after: datetime | None, count: int
) -> list[datetime]:
    """List what a rule names, without a database."""
    from leasehold.model.cron import compile_rule, read_rule

    slots_after = compile_rule(read_rule(rule), zone, dst)
    return list(islice(slots_after(after or datetime.now(UTC)), count))


def wall(moment: datetime, zone: str) -> str:
    """Write a moment as a zone's clock shows it."""
    return f"{moment.astimezone(ZoneInfo(zone)):%a %Y-%m-%d %H:%M:%S %Z}"


def _moment(moment: datetime | None, zone: str, now: datetime) -> str:
    return "" if moment is None else f"{wall(moment, zone)}, {since(moment, now)}"
