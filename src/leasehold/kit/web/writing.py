"""How pages write what strangers wrote, numbers and moments."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from leasehold.kit.texts import tidy

if TYPE_CHECKING:
    from leasehold.kit.web.languages import Speaker

SHORT = 160  # characters of a line


def line(text: object, longest: int = SHORT) -> Markup:
    """Write a stranger's text on one line, apart from the direction of what stands around it."""
    return Markup("<bdi>{}</bdi>").format(plain(text, longest))


def plain(text: object, longest: int = SHORT) -> str:
    """Do the same where no markup can stand: in an attribute or a title."""
    whole = tidy(str(text))
    return whole if len(whole) <= longest else whole[: longest - 1].rstrip() + "…"


def number(value: float) -> str:
    return f"{value:,}"


def size(count: int) -> str:
    """Write a number of bytes."""
    for unit, least in (("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= least:
            return f"{count / least:,.1f} {unit}"
    return f"{count} B"


def moment(say: Speaker, at: datetime | None) -> Markup:
    """Write a moment; the script writes it again in the reader's own time zone."""
    if at is None:
        return Markup("{}").format(say("none"))
    utc = at.astimezone(UTC)
    shown = say(
        "moment",
        year=str(utc.year),
        month=say("months").split()[utc.month - 1],
        day=str(utc.day),
        time=f"{utc:%H:%M}",
    )
    return Markup('<time datetime="{}">{}</time>').format(utc.isoformat(), shown)


FILTERS: dict[str, Callable[..., Any]] = {
    "line": line,
    "plain": plain,
    "number": number,
    "size": size,
}
