"""What one running job has saved, and how it goes on: its cursor, and its steps' memory."""

from __future__ import annotations

import asyncio
import inspect
import typing
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from leasehold.checking import check_name
from leasehold.errors import BadCheckpoint, BadOption, BadResult, LeaseholdError
from leasehold.model.saving import CURSOR_LIMIT, Save, check_units, merge, tidy_note
from leasehold.payload import check_syntax, encode, read_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from leasehold.model.values import Claim
    from leasehold.worker.transactions import JobTransaction

UNSET = msgspec.UNSET


class Units(NamedTuple):
    """What a handler says of its progress."""

    done: float | None
    total: float | None
    note: str | None

    def read(self) -> dict[str, Any]:
        """Check them, for a `Save`."""
        return {
            "done": check_units("done", self.done),
            "total": check_units("total", self.total),
            "note": tidy_note(self.note),
        }


class Keeper(Protocol):
    """Where saves go: to the worker's saver, or over a child's pipe to its parent."""

    def keep(self, save: Save) -> None:
        """Return when it is durable; `LeaseLost` when the lease does not stand any more."""

    async def keep_async(self, save: Save) -> None: ...

    def keep_on(self, connection: object, save: Save) -> None:
        """Save in the caller's own transaction."""

    async def keep_on_async(self, connection: object, save: Save) -> None: ...

    def note(self, save: Save) -> None:
        """Take note of progress; returns at once."""

    def seal(self, save: Save) -> Save:
        """Encrypt what an encrypted job saves, where it is written by somebody else."""

    def unseal(self, save: Save) -> Save:
        """Read again what was sealed and is not written yet."""

    def cursor(self) -> Any:
        """Read the cursor that was saved last."""

    def steps(self) -> dict[str, Any]:
        """Read what the job remembers."""


class Savings:
    """One for each running job that saves. A handler's transaction gathers what is said inside."""

    def __init__(self, claim: Claim, keeper: Keeper, *, result_limit: int) -> None:
        self._claim = claim
        self._keeper = keeper
        self._result_limit = result_limit
        is_first = claim.attempt == 1  # nobody can have saved anything: it need not be read
        self._cursor: Any = None if is_first else UNSET
        self._steps: dict[str, Any] | None = {} if is_first else None
        self._begun: set[str] = set()
        self._gathered: list[Save] | None = None
        self._noted: Save | None = None

    # -- the cursor ------------------------------------------------------------------------------
    @property
    def cursor(self) -> Any:
        if self._cursor is UNSET:
            self._cursor = self._keeper.cursor()
        return self._cursor

    async def cursor_async(self) -> Any:
        if self._cursor is UNSET:
            self._cursor = await asyncio.to_thread(self._keeper.cursor)
        return self._cursor

    def cursor_as(self, kind: Any) -> Any:
        if self.cursor is None:
            return None
        try:
            return read_as(self.cursor, kind)
        except (msgspec.MsgspecError, TypeError, ValueError) as error:
            raise BadCheckpoint(self._claim.kind, f"cursor: {error}") from error

    # -- checkpoints and progress ----------------------------------------------------------------
    def checkpoint(self, cursor: Any, units: Units, on: object | None) -> None:
        save = self._checkpoint(cursor, units)
        if on is None:
            self._keep(save)
            self._note_cursor(save)
        else:
            self._cursor = UNSET  # the caller may roll back
            self._keeper.keep_on(on, save)

    async def checkpoint_async(self, cursor: Any, units: Units, on: object | None) -> None:
        save = self._checkpoint(cursor, units)
        if on is None:
            await self._keep_async(save)
            self._note_cursor(save)
        else:
            self._cursor = UNSET
            await self._keeper.keep_on_async(on, save)

    def progress(self, units: Units) -> None:
        save = self._save(**units.read())
        if self._gathered is None:
            self._keeper.note(save)
        else:
            self._gathered.append(save)

    def _checkpoint(self, cursor: Any, units: Units) -> Save:
        known = units.read()
        if cursor is UNSET:
            return self._save(**known)
        raw = encode(cursor, root="cursor", limit=CURSOR_LIMIT, refuse=self._refuse)
        check_syntax(raw, root="cursor", refuse=self._refuse)
        return self._save(cursor=raw.decode(), **known)

    def _note_cursor(self, save: Save) -> None:
        if save.cursor is not None and self._gathered is None:
            self._cursor = msgspec.json.decode(save.cursor)

    # -- steps -----------------------------------------------------------------------------------
    def step(self, name: str, call: StepCall, inside: JobTransaction | None = None) -> Any:
        with self._step(name):
            if self._steps is None:
                self._steps = self._keeper.steps()
            if name not in self._steps:
                with inside or nullcontext() as connection:
                    save = self._memory(name, call.with_connection(inside, connection).run())
                    self._keep(save)
                    self._remember(save)
            return call.read(self._steps[name])

    async def step_async(
        self, name: str, call: StepCall, inside: JobTransaction | None = None
    ) -> Any:
        with self._step(name):
            if self._steps is None:
                self._steps = await asyncio.to_thread(self._keeper.steps)
            if name not in self._steps:
                async with inside or nullcontext() as connection:
                    save = self._memory(name, await call.with_connection(inside, connection).run())
                    await self._keep_async(save)
                    self._remember(save)
            return call.read(self._steps[name])

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        if check_name("step", name) in self._begun:
            raise BadOption(
                f"step {name!r} has been run in this attempt already; each needs a name of its own"
            )
        self._begun.add(name)
        try:
            yield
        except BaseException:
            self._begun.discard(name)  # it is not remembered: it may be tried again
            raise

    def _memory(self, name: str, value: Any) -> Save:
        def refuse(reason: str) -> BadResult:
            return BadResult(f"{self._claim.kind}, step {name}", reason)

        raw = encode(value, root="result", limit=self._result_limit, refuse=refuse)
        check_syntax(raw, root="result", refuse=refuse)
        return self._save(step=name, result=raw.decode())

    def _remember(self, save: Save) -> None:
        if self._steps is not None and save.step is not None and save.result is not None:
            self._steps[save.step] = msgspec.json.decode(save.result)

    # -- inside a transaction of the job's own -----------------------------------------------------
    def gather(self, noted: Save | None) -> None:
        """Keep what is said from now on for the transaction's end, with what was noted before."""
        if self._gathered is not None:
            raise LeaseholdError("a transaction of this job is open already; it has one at a time")
        self._noted = None if noted is None else self._keeper.unseal(noted)
        self._gathered = [] if self._noted is None else [self._noted]

    def gathered(self) -> Sequence[Save]:
        """What the transaction is to write last, if anything."""
        said = self._gathered or []
        steps = [save for save in said if save.step is not None]
        units = [save for save in said if save.step is None]
        saves = [reduce(merge, units), *steps] if units else steps
        return [self._keeper.seal(save) for save in saves]

    def gathered_or_fence(self) -> Sequence[Save]:
        """… and if it is nothing, the question whether the lease stands."""
        return self.gathered() or [self._save()]

    def end_gathering(self, *, is_committed: bool) -> None:
        """The transaction has ended: what was said inside holds, or was never said."""
        said, self._gathered = self._gathered or [], None
        if self._noted is not None and not is_committed:
            self._keeper.note(self._noted)
        for save in said:
            if is_committed:
                self._note_cursor(save)
            elif save.step is not None:
                self._begun.discard(save.step)
                if self._steps is not None:
                    self._steps.pop(save.step, None)

    # -- inside ----------------------------------------------------------------------------------
    def _keep(self, save: Save) -> None:
        if self._gathered is None:
            self._keeper.keep(save)
        else:
            self._gathered.append(save)

    async def _keep_async(self, save: Save) -> None:
        if self._gathered is None:
            await self._keeper.keep_async(save)
        else:
            self._gathered.append(save)

    def _save(self, **said: Any) -> Save:
        return Save(job_id=self._claim.job_id, fence=self._claim.fence, **said)

    def _refuse(self, reason: str) -> BadCheckpoint:
        return BadCheckpoint(self._claim.kind, reason)


@dataclass(frozen=True, slots=True)
class StepCall:
    """A step's function, and what it is called with."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def run(self) -> Any:
        return self.function(*self.args, **self.kwargs)

    def with_connection(self, inside: JobTransaction | None, connection: Any) -> StepCall:
        """Inside a transaction, hand its connection over first."""
        if inside is None:
            return self
        return StepCall(self.function, (connection, *self.args), self.kwargs)

    def read(self, value: Any) -> Any:
        """Read a remembered result as the function's annotation says, where that can be done.

        The first time as well: what a handler gets must not depend on which attempt ran the step.
        """
        try:
            return read_as(value, _returned_by(self.function))
        except (msgspec.MsgspecError, TypeError, ValueError, NameError, RecursionError):
            return value


def _returned_by(function: Callable[..., Any]) -> Any:
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    function = inspect.unwrap(function)
    if not inspect.isroutine(function):
        function = type(function).__call__
    return typing.get_type_hints(function).get("return", Any)
