"""What people say at run time about throttles, shares and queues: `client.throttles.pause(...)`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.acting import recorded, who
from leasehold.checking import check_name
from leasehold.errors import BadOption
from leasehold.model.durations import Duration, seconds
from leasehold.model.lanes import OWN, RuleChange, own_lane, tenant_of
from leasehold.model.throttles import check_text, read_pause, read_rule
from leasehold.store.base import ANY_QUEUE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager
    from datetime import datetime

    from leasehold.acting import Doing
    from leasehold.model.lanes import QueueInfo, ShareInfo, ThrottleInfo
    from leasehold.model.values import QueueCounts
    from leasehold.store.base import Store

GREATEST_WEIGHT = 1_000
GREATEST_LIMIT = 1_000_000
DRAIN_LOOK_SECONDS = 0.2


class Throttles:
    """A throttle's name is a rule, as "domain", or one key of it, as "domain:a.com".

    Of one that each tenant has for itself, "@domain", `tenant` says whose: without a key all that
    the tenant has of it. A tenant's client means its own, sees no other, and can be stricter than
    operators are, never less.
    """

    def __init__(self, store: Callable[[], Store], tenant: Callable[[], str | None]) -> None:
        self._store = store
        self._tenant = tenant

    def list(self, *, tenant: str | None = None) -> list[ThrottleInfo]:
        """List the rules, and the keys that have limits of their own or a pause.

        Of a tenant: what it has for itself.
        """
        return self._store().throttles(tenant=tenant)

    def set(
        self,
        name: str,
        *,
        running: int | msgspec.UnsetType | None = msgspec.UNSET,
        per_worker: int | msgspec.UnsetType | None = msgspec.UNSET,
        rate: float | msgspec.UnsetType | None = msgspec.UNSET,
        per: Duration = "1s",
        burst: float | None = None,
        tenant: str | None = None,
        by: str | None = None,
    ) -> None:
        """Change limits, from the next claim on; what is not named stays, None takes a limit away.

        What code declares does not undo it; `reset` does.
        """
        key = self._key(name, tenant)
        given: dict[str, Any] = {"running": running, "per_worker": per_worker, "rate": rate}
        said = {limit: value for limit, value in given.items() if value is not msgspec.UNSET}
        rule = read_rule(
            name,
            running=said.get("running"),
            per_worker=said.get("per_worker"),
            rate=said.get("rate"),
            per=per,
            burst=burst,
        )
        if not said:
            raise BadOption(f"throttle {name!r}: say which limit is to change")
        limits = {limit: getattr(rule, limit) for limit in said}
        self._refuse_no_limit(key, limits)
        if "rate" in said:
            limits["burst"] = rule.burst
        with self._recorded("set", name, key, by=by, **limits):
            self._store().change_throttle(key, RuleChange(**limits, by=who(by)))
        self._wake()

    def reset(self, name: str, *, tenant: str | None = None) -> bool:
        """Let a key have its rule's limits again, a rule those of the next worker's code."""
        key = self._key(name, tenant)
        with self._recorded("reset", name, key) as doing:
            is_changed = self._store().reset_throttle(key)
            doing.count = int(is_changed)
        self._wake()
        return is_changed

    def pause(
        self,
        name: str,
        *,
        until: datetime | Duration | None = None,
        reason: str = "",
        tenant: str | None = None,
        by: str | None = None,
    ) -> None:
        """Start none of its jobs until then, or until it is resumed."""
        pause = read_pause(until, reason=reason, by=who(by))
        key = self._key(name, tenant)
        with self._recorded("pause", name, key, by=by, until=until, reason=reason):
            self._store().pause_throttle(key, pause)
        self._wake()

    def resume(self, name: str, *, tenant: str | None = None) -> bool:
        """End a pause; False when it was not paused."""
        key = self._key(name, tenant)
        with self._recorded("resume", name, key) as doing:
            is_changed = self._store().resume_throttle(key)
            doing.count = int(is_changed)
        self._wake()
        return is_changed

    def refill(self, name: str, *, tenant: str | None = None) -> bool:
        """Forget what a key has used up of its rate."""
        key = self._key(name, tenant)
        with self._recorded("refill", name, key) as doing:
            is_changed = self._store().refill_throttle(key)
            doing.count = int(is_changed)
        self._wake()
        return is_changed

    def _key(self, name: str, tenant: str | None) -> str:
        """Return what the store calls it; a rule of tenants' own alone is named without one."""
        check_text("throttle", name)
        whose = self._tenant() if tenant is None else tenant
        if whose is not None and not name.startswith(OWN) and self._tenant() is None:
            raise BadOption(f"throttle {name!r} is one for all tenants: leave out the tenant")
        if whose is None and name.startswith(OWN) and ":" in name:
            raise BadOption(f"throttle {name!r} is each tenant's own: say whose, with tenant=…")
        return name if whose is None else own_lane(name, _tenant_name(whose))

    def _recorded(
        self, verb: str, name: str, key: str, **detail: Any
    ) -> AbstractContextManager[Doing]:
        whose = tenant_of(key) or ""
        return recorded(self._store(), f"throttle.{verb}", name, tenant=whose, **detail)

    def _refuse_no_limit(self, name: str, changed: dict[str, Any]) -> None:
        """A rule without any limit would be as unknown as one that nobody declared."""
        if ":" in name or any(value is not None for value in changed.values()):
            return
        limits = next((_limits(each) for each in self.list() if each.name == name), {})
        if all(value is None for value in (limits | changed).values()):
            raise BadOption(
                f"throttle {name!r} would have no limit left, and its jobs would wait for one; "
                "give it a high one instead"
            )

    def _wake(self) -> None:
        self._store().notify({ANY_QUEUE: 1})


def _tenant_name(tenant: str) -> str:
    """Accept a tenant, or none: jobs without one have keys of their own, too."""
    return check_name("tenant", tenant) if tenant else ""


def _limits(info: ThrottleInfo) -> dict[str, float | None]:
    return {"running": info.running_limit, "per_worker": info.per_worker, "rate": info.rate}


class Shares:
    """Shares whose turns count more than once."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    def list(self) -> list[ShareInfo]:
        """List the shares that have a weight or jobs waiting."""
        return self._store().shares()

    def set(self, name: str, *, weight: int, by: str | None = None) -> None:
        """Let a share start so many jobs for each one of another share; 1 is usual."""
        is_whole = isinstance(weight, int) and not isinstance(weight, bool)
        if not is_whole or not 1 <= weight <= GREATEST_WEIGHT:
            raise BadOption(f"weight: {weight!r} is not a whole number from 1 to {GREATEST_WEIGHT}")
        with recorded(self._store(), "share.set", check_text("share", name), by=by, weight=weight):
            self._store().change_share(name, weight=weight, by=who(by))


class Queues:
    """Queues as all workers see them."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    def list(self) -> list[QueueInfo]:
        """List the queues that somebody has paused or given a limit or an aging."""
        return self._store().queues()

    def pause(
        self,
        name: str,
        *,
        until: datetime | Duration | None = None,
        reason: str = "",
        by: str | None = None,
    ) -> None:
        """Let no worker start a job of it until then, or until it is resumed; enqueue goes on."""
        pause = read_pause(until, reason=reason, by=who(by))
        check_name("queue", name)
        with recorded(self._store(), "queue.pause", name, by=by, until=until, reason=reason):
            self._store().pause_queue(name, pause)

    def resume(self, name: str) -> bool:
        """End a pause; False when it was not paused."""
        with recorded(self._store(), "queue.resume", check_name("queue", name)) as doing:
            is_changed = self._store().resume_queue(name)
            doing.count = int(is_changed)
        self._store().notify({name: 1})
        return is_changed

    def drain(
        self, name: str, *, timeout: Duration = "5m", reason: str = "", by: str | None = None
    ) -> int:
        """Pause it, and wait until none of its jobs runs; returns how many still do."""
        deadline = time.monotonic() + seconds(timeout, name="timeout")
        self.pause(name, reason=reason, by=by)
        while True:
            running = running_in(name, self._store().counts())
            if running == 0 or time.monotonic() >= deadline:
                return running
            time.sleep(min(DRAIN_LOOK_SECONDS, max(0.0, deadline - time.monotonic())))

    def limit(self, name: str, *, running: int, by: str | None = None) -> None:
        """Let at most so many of its jobs run at once, in all workers; 0: none.

        No worker exceeds it from here on. What runs goes on, and counts.
        """
        if not isinstance(running, int) or isinstance(running, bool):
            raise BadOption(f"running: {running!r} is not a whole number")
        if not 0 <= running <= GREATEST_LIMIT:
            raise BadOption(f"running: {running!r} is not from 0 to {GREATEST_LIMIT:,}")
        check_name("queue", name)
        with recorded(self._store(), "queue.limit", name, by=by, running=running):
            self._store().limit_queue(name, running=running, by=who(by))
        self._store().notify({name: 1})

    def unlimit(self, name: str) -> bool:
        """Let as many of its jobs run as workers have slots; False when it had no limit."""
        with recorded(self._store(), "queue.unlimit", check_name("queue", name)) as doing:
            is_changed = self._store().limit_queue(name, running=None, by=None)
            doing.count = int(is_changed)
        self._store().notify({name: 1})
        return is_changed

    def set(self, name: str, *, aging: Duration | None) -> None:
        """Let a job gain a point of priority each time it has waited so long; None: never."""
        span = None if aging is None else seconds(aging, name="aging")
        if span == 0:
            raise BadOption("aging: must be longer than 0")
        check_name("queue", name)
        with recorded(self._store(), "queue.aging", name, aging=aging):
            self._store().set_aging(name, aging_seconds=span)


def running_in(queue: str, counts: Iterable[QueueCounts]) -> int:
    """Say how many jobs of a queue run."""
    return sum(each.running for each in counts if each.queue == queue)
