"""What a store can do for alerts: the facts they need, and one memory of them for a whole fleet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from leasehold.model.alerts import Alert, Judged, Mute


class AlertStore(Protocol):
    """Each method is one atomic operation. Any number of evaluators may call them at once."""

    def died(self, *, within_seconds: float, limit: int) -> dict[str, int]:
        """Count the jobs that died lately, by queue; no more than the newest so many."""

    def silent_seconds(self) -> float:
        """Say how long ago any worker was seen, or the tables were made when none ever was."""

    def note_alerts(self, judged: Sequence[Judged]) -> None:
        """Fire what is above its limit, clear what is below, each once, whoever says it.

        An alert that was fired or cleared, and not told yet, changes only its value; a muted one
        may clear untold. One that has changed since it was seen stays as it is. What cleared a
        week ago is forgotten.
        """

    def remind_alerts(self, name: str, *, seconds: float) -> int:
        """Let a rule's alerts be told again that were last told so long ago; says how many."""

    def take_alert_news(self, *, seconds: float) -> list[Alert]:
        """Take what has to be told and is not muted: nobody else gets it for so long."""

    def settle_alert_news(
        self, alert: Alert, *, sent: Sequence[str], is_told: bool, again_seconds: float = 0.0
    ) -> bool:
        """Write down who was told of this state; until all were, it is news again later."""

    def alerts(self) -> list[Alert]:
        """List those that fire, then those that cleared lately, the newest first."""

    def mute_alert(self, name: str, *, seconds: float, by: str | None) -> Mute:
        """Tell nobody of a rule's alerts for so long."""

    def unmute_alert(self, name: str) -> bool:
        """Tell of them again; False when it was not muted."""

    def alert_mutes(self) -> list[Mute]:
        """List the rules that are muted now."""
