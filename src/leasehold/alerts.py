"""Alerts as people see them: `client.alerts`. Who watches and tells is `leasehold.alerting`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.acting import recorded, who
from leasehold.errors import BadOption
from leasehold.model.alerts import Fact
from leasehold.model.durations import Duration, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.alerts import Alert, Mute
    from leasehold.store.base import Store


class Alerts:
    """What fires, in all processes that watch this store."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    def list(self, *, firing: bool = False) -> list[Alert]:
        """List what fires, the newest first, then what cleared in the last week, if wanted."""
        return [each for each in self._store().alerts() if each.is_firing or not firing]

    def mute(self, name: str, duration: Duration, *, by: str | None = None) -> Mute:
        """Tell nobody of a rule's alerts for a time; what still fires then is told."""
        span = seconds(duration, name="duration")
        with recorded(self._store(), "alert.mute", _known(name), by=by, duration=f"{span:g} s"):
            return self._store().mute_alert(name, seconds=span, by=who(by))

    def unmute(self, name: str) -> bool:
        """Tell of them again; False when it was not muted."""
        with recorded(self._store(), "alert.unmute", _known(name)) as doing:
            is_changed = self._store().unmute_alert(name)
            doing.count = int(is_changed)
        return is_changed

    def mutes(self) -> Sequence[Mute]:
        """List the rules that are muted now."""
        return self._store().alert_mutes()


def _known(name: str) -> str:
    names = [fact.value for fact in Fact]
    if name not in names:
        raise BadOption(f"there is no alert {name!r}: one of {', '.join(names)}")
    return name
