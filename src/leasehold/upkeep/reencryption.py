"""Brings encrypted values to the key of now: one worker of the fleet at a time, in small steps.

It begins when the keys are others than at the end of the last walk, and walks until a whole walk
has found nothing to change. As retention, it rests for many times as long as a step took.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from leasehold.encryption import DUTY
from leasehold.model.resealing import SealedIn
from leasehold.reencrypting import reencrypt_step
from leasehold.upkeep.errand import Errand
from leasehold.upkeep.retention import DUTY_SECONDS, RENEW_SECONDS, Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import WorkerId
    from leasehold.sealing.keyring import Keyring
    from leasehold.store.base import Store

ASK_SECONDS = 10.0  # between the questions of one worker whether it is its turn
PAUSE_SECONDS = 15.0  # after a walk, before anybody looks whether the keys are others
_ORDER = tuple(SealedIn)
_logger = logging.getLogger("leasehold.upkeep")


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a walk is, as the duty keeps it; `keys` are those it walks towards."""

    keys: str
    what: SealedIn = SealedIn.JOBS
    cursor: str | None = None
    seen: int = 0
    changed: int = 0  # in this walk
    is_done: bool = False


class Reencryption:
    """Asks, from the claimer's rounds, whether it is this worker's turn, and then walks."""

    def __init__(
        self,
        store: Store,
        worker: WorkerId,
        *,
        clock: Callable[[], float],
        is_busy: Callable[[], bool],
    ) -> None:
        self._store = store
        self._worker = worker
        self._clock = clock
        self._is_busy = is_busy
        self._errand = Errand("reencryption")

    def ask(self, store: Store) -> None:
        """Take the duty on, on the asker's own connection, and begin, unless there are no keys."""
        keyring = self._store.keyring
        if keyring is None or not self._errand.may_begin:
            return
        duty = store.take_duty(DUTY, self._worker, seconds=DUTY_SECONDS)
        if duty is None:
            return
        place = read_place(duty.cursor, keyring)
        if place.is_done:
            self._renew(PAUSE_SECONDS, place)
            return
        self._errand.begin(partial(self.walk, keyring, place))

    def stop(self, timeout_seconds: float) -> None:
        """End after the present step. Safe twice, and before a start."""
        self._errand.stop(timeout_seconds)

    def walk(self, keyring: Keyring, place: Place) -> None:
        """Go on from a place until there is nothing to change any more."""
        pace, renewed_at = Pace(), self._clock()
        while not place.is_done:
            began = self._clock()
            place = self._step(keyring, place, pace.limit)
            rest = pace.after(self._clock() - began, is_busy=self._is_busy())
            if self._errand.rest(rest):
                self._renew(0.0, place)  # somebody else goes on from here
                return
            if self._clock() - renewed_at >= RENEW_SECONDS:
                renewed_at = self._clock()
                if not self._renew(DUTY_SECONDS, place):
                    return  # another one took over
        self._renew(PAUSE_SECONDS, place)
        _logger.info("reencryption walked", extra={"seen": place.seen, "keys": place.keys})

    def _step(self, keyring: Keyring, place: Place, limit: int) -> Place:
        step = reencrypt_step(
            self._store, keyring, place.what, place.cursor, limit=limit, only_older=True
        )
        return _following(
            msgspec.structs.replace(
                place,
                cursor=step.cursor,
                seen=place.seen + step.report.seen,
                changed=place.changed + step.report.changed,
            ),
            keyring,
        )

    def _renew(self, seconds: float, place: Place) -> bool:
        cursor = msgspec.json.encode(place).decode()
        return self._store.renew_duty(DUTY, self._worker, seconds=seconds, cursor=cursor)


def read_place(cursor: str | None, keyring: Keyring) -> Place:
    """Go on where the last one stood, unless the keys have changed since."""
    wanted = keys_of(keyring)
    if cursor is not None:
        place = msgspec.json.decode(cursor, type=Place)
        if place.keys == wanted:
            return place
    return Place(keys=wanted)


def keys_of(keyring: Keyring) -> str:
    """Name the keys that encrypt now, for all and for tenants with their own."""
    document = keyring.document
    own = sorted(f"{tenant}={key}" for tenant, key in document.tenants.items() if key is not None)
    return " ".join([document.active, *own])


def _following(place: Place, keyring: Keyring) -> Place:
    """Say what the next step looks at: after a walk that changed something, all of it again."""
    if place.cursor is not None:
        return place
    number = _ORDER.index(place.what) + 1
    if number < len(_ORDER):
        return msgspec.structs.replace(place, what=_ORDER[number])
    if place.changed or place.keys != keys_of(keyring):
        return Place(keys=keys_of(keyring), seen=place.seen)
    return msgspec.structs.replace(place, is_done=True)
