"""Saving from a child process: the child asks over its pipe, the parent saves and answers."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, BinaryIO, assert_never

import msgspec

from leasehold.checking import check_name
from leasehold.errors import (
    BadCheckpoint,
    BadResult,
    LeaseholdError,
    LeaseLost,
    StoreError,
)
from leasehold.model.saving import CURSOR_LIMIT, Save, check_units, tidy_note
from leasehold.payload import check_syntax
from leasehold.worker.frames import Keep, Note, Recall, Told, read_frame, write_frame

if TYPE_CHECKING:
    from leasehold.model.values import Claim
    from leasehold.worker.savings import Keeper

_LARGEST_ANSWER = 64 * 1_048_576


class Pipe:
    """The child's end: one question at a time, from whichever thread."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._lock = threading.Lock()

    def receive(self) -> bytes:
        return read_frame(self._incoming, limit=_LARGEST_ANSWER)

    def send(self, said: msgspec.Struct) -> None:
        with self._lock:
            write_frame(self._outgoing, msgspec.json.encode(said))

    def ask(self, question: msgspec.Struct) -> Told:
        with self._lock:
            write_frame(self._outgoing, msgspec.json.encode(question))
            return msgspec.json.decode(self.receive(), type=Told)


class PipeKeeper:
    """Keeps by asking the parent. Closed at the attempt's end: the pipe is the next one's then."""

    def __init__(self, pipe: Pipe, claim: Claim) -> None:
        self._pipe = pipe
        self._claim = claim
        self._is_closed = False

    def close(self) -> None:
        self._is_closed = True

    def seal(self, save: Save) -> Save:
        return save  # by the parent, which has the keys

    def unseal(self, save: Save) -> Save:
        return save

    def keep(self, save: Save) -> None:
        self._ask(Keep(save=save))

    async def keep_async(self, save: Save) -> None:
        await asyncio.to_thread(self.keep, save)

    def keep_on(self, connection: object, save: Save) -> None:  # noqa: ARG002 - it can't
        raise LeaseholdError("an isolated task can't save on a connection: leave out on=")

    async def keep_on_async(self, connection: object, save: Save) -> None:
        self.keep_on(connection, save)

    def note(self, save: Save) -> None:
        if not self._is_closed:
            self._pipe.send(Note(save=save))

    def cursor(self) -> Any:
        return self._ask(Recall(what="cursor"))

    def steps(self) -> dict[str, Any]:
        steps: dict[str, Any] = self._ask(Recall(what="steps"))
        return steps

    def _ask(self, question: Keep | Recall) -> Any:
        if self._is_closed:
            raise LeaseLost(self._claim.job_id, "its attempt has ended")
        told = self._pipe.ask(question)
        if told.is_lost:
            raise LeaseLost(self._claim.job_id)
        if told.error is not None:
            raise StoreError(told.error)
        return told.value


def answer(keeper: Keeper, claim: Claim, said: Keep | Note | Recall) -> Told | None:
    """Do what the child asks; it has no say about other jobs. None where it waits for nothing."""
    try:
        match said:
            case Keep(save=save):
                keeper.keep(_checked(save, claim))
                return Told()
            case Note(save=save):
                keeper.note(_checked(save, claim))
                return None
            case Recall(what="steps"):
                return Told(value=keeper.steps())
            case Recall():
                return Told(value=keeper.cursor())
            case _:
                assert_never(said)
    except LeaseLost:
        return Told(is_lost=True)
    except LeaseholdError as error:
        return None if isinstance(said, Note) else Told(error=str(error))


def _checked(save: Save, claim: Claim) -> Save:
    """Trust nothing: what runs in a child may have been taken over by what it was given."""

    def refuse_cursor(reason: str) -> BadCheckpoint:
        return BadCheckpoint(claim.kind, reason)

    def refuse_result(reason: str) -> BadResult:
        return BadResult(claim.kind, reason)

    if save.cursor is not None:
        raw = save.cursor.encode()
        if len(raw) > CURSOR_LIMIT:
            raise refuse_cursor(f"cursor: {len(raw):,} bytes are over the limit")
        check_syntax(raw, root="cursor", refuse=refuse_cursor)
    if save.step is not None:
        check_name("step", save.step)
        check_syntax((save.result or "null").encode(), root="result", refuse=refuse_result)
    return msgspec.structs.replace(
        save,
        job_id=claim.job_id,
        fence=claim.fence,
        done=check_units("done", save.done),
        total=check_units("total", save.total),
        note=tidy_note(save.note),
    )
