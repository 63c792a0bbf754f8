"""Looks at the facts every few seconds, and tells the sinks what became of it."""

from __future__ import annotations

import logging
import os
import random
import threading
from typing import TYPE_CHECKING

from leasehold.alerting.events import event_of
from leasehold.alerting.sinks import SinkFailed
from leasehold.errors import LeaseholdError
from leasehold.model.alerts import Fact, Facts, judge
from leasehold.model.ids import WorkerId
from leasehold.statistics import Depths

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from leasehold.alerting.config import AlertConfig
    from leasehold.alerting.sinks import Sink
    from leasehold.client import Client
    from leasehold.model.alerts import Alert, Rule

DUTY = "alerts"
MOST_DEAD = 10_000  # counted
SEND_SECONDS = 120.0  # how long who took the news has it for itself
TRIES_AT_ONCE = 3
TRIES = 10  # times three, over about an hour: then it is given up, and logged
_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 600.0
_logger = logging.getLogger("leasehold.alerts")


class AlertWatch:
    """One of perhaps many; of all of them one looks at a time, and each tells what it took.

    `with AlertWatch(client, config): ...` runs it on a thread of its own.
    """

    def __init__(
        self,
        client: Client,
        config: AlertConfig,
        *,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._client = client
        self._config = config
        self._chance = chance
        self._rules = {rule.name: rule for rule in config.rules}
        self._id = WorkerId(int.from_bytes(os.urandom(8), "big") >> 1)
        self._depths = Depths()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="leasehold-alerts", daemon=True)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_seconds: float = 1.0) -> None:
        """End; a sink that takes longer is left to itself, and told again by another watch."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout_seconds)

    def _serve(self) -> None:
        pause = self._chance()
        while not self._stopped.wait(pause):
            try:
                self.step()
            except LeaseholdError as error:
                _logger.warning("alerts postponed", extra={"error": str(error)})
            except Exception:  # a service loop: it must go on
                _logger.exception("alerts postponed")
            pause = self._config.every_seconds * (0.75 + 0.5 * self._chance())

    def step(self) -> None:
        """Look, if nobody else has just done so, and tell what has to be told."""
        seconds = 0.7 * self._config.every_seconds  # less than the shortest pause
        if self._client.store.take_duty(DUTY, self._id, seconds=seconds) is not None:
            self.look()
        self.tell()

    def look(self) -> None:
        """Fire and clear by the rules, whoever else may be doing the same."""
        store = self._client.store
        rules = self._config.rules
        judged = judge(rules, self._facts(), store.alerts())
        store.note_alerts([each for each in judged if each.is_above or each.is_below])
        for rule in rules:
            if rule.remind_seconds is not None:
                store.remind_alerts(rule.name, seconds=rule.remind_seconds)

    def _facts(self) -> Facts:
        store = self._client.store
        wanted = {rule.fact for rule in self._config.rules}
        deaths = self._rules.get(Fact.DEAD.value)
        began = store.moment()
        return Facts(
            at=began,
            depths=self._depths.read(store, began) if wanted & {Fact.DEPTH, Fact.WAITING} else (),
            died={}
            if deaths is None
            else store.died(within_seconds=deaths.within_seconds, limit=MOST_DEAD),
            silent_seconds=store.silent_seconds() if Fact.SILENT in wanted else 0.0,
        )

    def tell(self) -> int:
        """Take the news and tell it; returns how many states were told to all their sinks."""
        news = self._client.store.take_alert_news(seconds=SEND_SECONDS)
        return sum(self._tell_one(alert) for alert in news)

    def _tell_one(self, alert: Alert) -> bool:
        names = _sinks_of(self._rules.get(alert.name))
        wanted = [name for name in names if name in self._config.sinks]
        sent = list(alert.sent)
        for name in wanted:
            if name not in sent and self._send(name, self._config.sinks[name], alert):
                sent.append(name)
        is_told = set(wanted) <= set(sent)
        if not is_told and alert.tries >= TRIES:
            missed = sorted(set(wanted) - set(sent))
            _logger.error("alert given up", extra={"alert": alert.name, "sinks": missed})
            is_told = True
        again = min(_LONGEST_PAUSE_SECONDS, self._config.every_seconds * 2.0**alert.tries)
        self._client.store.settle_alert_news(
            alert, sent=sent, is_told=is_told, again_seconds=again * (0.5 + self._chance() / 2)
        )
        return is_told

    def _send(self, name: str, sink: Sink, alert: Alert) -> bool:
        """Try a few times at once; whether it arrived."""
        event = event_of(alert)
        for number in range(TRIES_AT_ONCE):
            if number and self._stopped.wait(_PAUSE_SECONDS * 2**number * self._chance()):
                return False
            try:
                sink.send(event)
                return True
            except SinkFailed as failed:
                said = {"sink": name, "alert": alert.name, "error": str(failed)}
                _logger.warning("alert not sent", extra=said)
                if not failed.may_retry:
                    return False
            except Exception as error:  # noqa: BLE001 - a sink of somebody's own may raise anything
                said = {"sink": name, "alert": alert.name, "error": type(error).__name__}
                _logger.warning("alert not sent", extra=said)
        return False


def _sinks_of(rule: Rule | None) -> tuple[str, ...]:
    """Say who is told of a rule's alerts; of one that is not known here any more, the log."""
    return ("log",) if rule is None else rule.sinks
