"""Who does what: each change that people make leaves a row in the audit record.

Who it is stands in the context (`acting_as`), so that no verb has to be told. A verb that is one
transaction has its row in the same one; a walk in many steps has one row, at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from leasehold.errors import StoreError
from leasehold.model.audit import Actor, Entry

if TYPE_CHECKING:
    from leasehold.store.base import Store

Step = TypeVar("Step")
NOBODY = Actor()
_MOST_LETTERS = 1_000
_actor: ContextVar[Actor] = ContextVar("leasehold_actor", default=NOBODY)


@contextmanager
def acting_as(actor: Actor) -> Iterator[None]:
    """Let what is done inside be this actor's doing."""
    before = _actor.set(actor)
    try:
        yield
    finally:
        _actor.reset(before)


def current_actor() -> Actor:
    """Return who acts here; one without a name when nobody said."""
    return _actor.get()


def who(by: str | None) -> str | None:
    """Return who is written down: what a caller says counts only where nobody is known better."""
    actor = _actor.get()
    return actor.name if actor.is_certain else by


@dataclass(slots=True)
class Doing:
    """Something that is being done: how many it changed, and whose they are."""

    count: int = 1
    tenant: str = ""
    detail: dict[str, Any] = field(default_factory=dict)


@contextmanager
def recorded(
    store: Store,
    action: str,
    subject: object = "",
    *,
    by: str | None = None,
    tenant: str = "",
    **detail: Any,
) -> Iterator[Doing]:
    """Do something and write down that it was done, in one transaction: both, or neither."""
    doing = Doing(tenant=tenant, detail=detail)
    with store.together():
        yield doing
        store.record(_entry(action, subject, doing, by))


def record(
    store: Store,
    action: str,
    subject: object = "",
    *,
    by: str | None = None,
    count: int = 1,
    tenant: str = "",
    **detail: Any,
) -> None:
    """Write down what was done."""
    doing = Doing(count=count, tenant=tenant, detail=detail)
    store.record(_entry(action, subject, doing, by))


def recorded_steps(
    store: Store,
    action: str,
    steps: Iterator[Step],
    tell: Callable[[Step], Mapping[str, Any]],
    subject: object = "",
    *,
    by: str | None = None,
    tenant: str = "",
) -> Iterator[Step]:
    """Go through the steps of a walk, and write one row when it is over, however it ended.

    `tell` says of the sums what is written down, `count` among it.
    """
    told: Mapping[str, Any] | None = None

    def write() -> None:
        if told is not None:
            record(store, action, subject, by=by, tenant=tenant, **told)

    try:
        for step in steps:
            told = tell(step)
            yield step
    except BaseException:
        with suppress(StoreError):  # what ended it matters more
            write()
        raise
    write()


def entry_of(action: str, *, by: str | None = None, **detail: Any) -> Entry:
    """Make a row for the store to write itself."""
    return _entry(action, "", Doing(detail=detail), by)


def _entry(action: str, subject: object, doing: Doing, by: str | None) -> Entry:
    actor = _actor.get()
    detail = {name: value for name, value in doing.detail.items() if value not in (None, "")}
    name = actor.name or by or ""
    if by is not None and by != name and not actor.is_certain:
        detail["by"] = by
    return Entry(
        actor=_clean(name),
        via=actor.via,
        address=actor.address,
        tenant=doing.tenant,
        action=action,
        subject=_clean(str(subject)),
        count=doing.count,
        detail={name: _plain(value) for name, value in detail.items()},
    )


def _plain(value: Any) -> Any:
    """Turn what a verb was told into JSON's own types."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, dict):
        return {_clean(str(name)): _plain(each) for name, each in value.items()}
    return _clean(str(value))


def _clean(text: str) -> str:
    """Leave out what a database can't hold; what is very long is cut."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")[:_MOST_LETTERS]
