"""Encrypted jobs in a worker: read before they start; what they leave is encrypted first.

A plain job pays one comparison.
"""

from __future__ import annotations

import logging
import random
import re
import time
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from leasehold.errors import BadCiphertext, EncryptionError, MissingKey, NoKeyring
from leasehold.model.envelopes import MARK
from leasehold.model.outcomes import Died, Outcome, Snoozed, describe
from leasehold.model.scrubbing import hide
from leasehold.model.secrets import secrets_in, texts_in
from leasehold.model.why_standing import KEYLESS_WORDS
from leasehold.revealing import open_checkpoint, open_step, step_field
from leasehold.sealing.seals import ARGUMENTS, CURSOR, ERROR, NOTE, RESULT, TRACEBACK, job_seal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from leasehold.model.saving import Checkpoint, Save, Step
    from leasehold.model.values import Claim, Settlement
    from leasehold.sealing.keyring import Keyring
    from leasehold.sealing.seals import Seal
    from leasehold.task import Task
    from leasehold.worker.attempt import Attempt

SHORTEST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 5.0, 600.0
TELL_SECONDS = 60.0
CANCELLED = "cancelled"  # what is said of one that somebody cancelled
_ERRORS = frozenset({"failed", "dead"})
_CLASS = re.compile(r"[A-Za-z_][\w.<>]*")
_logger = logging.getLogger("leasehold.worker")


class AttemptSeal:
    """Encrypts what one attempt leaves; the values of its secrets are taken out of errors first."""

    __slots__ = ("_seal", "_secrets")

    def __init__(self, seal: Seal, secrets: Sequence[str]) -> None:
        self._seal = seal
        self._secrets = secrets

    def settle(self, ended: Settlement) -> Settlement:
        """Encrypt a result, an error's text and its traceback; an error's class stays readable."""
        changes: dict[str, Any] = {}
        if ended.result is not None:
            changes["result"] = msgspec.Raw(self._seal.seal_json(RESULT, bytes(ended.result)))
        if ended.error is not None:
            changes["error"] = self._said(ended)
        if ended.traceback is not None:
            hidden = hide(ended.traceback, self._secrets)
            changes["traceback"] = self._seal.seal_text(TRACEBACK, hidden)
        return structs.replace(ended, **changes) if changes else ended

    def save(self, save: Save) -> Save:
        """Encrypt a cursor, a note and a step's result; units of work stay readable."""
        changes: dict[str, Any] = {}
        if save.cursor is not None:
            changes["cursor"] = self._json(CURSOR, save.cursor)
        if save.note is not None:
            changes["note"] = self._seal.seal_text(NOTE, hide(save.note, self._secrets))
        if save.step is not None and save.result is not None:
            changes["result"] = self._json(step_field(save.step), save.result)
        return structs.replace(save, **changes) if changes else save

    def open_save(self, save: Save) -> Save:
        """Read again what was encrypted and is not written yet: notes alone are kept so."""
        if save.note is None:
            return save
        return structs.replace(save, note=self._seal.open_text(NOTE, save.note))

    def open_checkpoint(self, found: Checkpoint) -> Checkpoint:
        return open_checkpoint(found, self._seal)

    def open_step(self, step: Step) -> Step:
        return open_step(step, self._seal)

    def class_of(self, error: str) -> str:
        """Return an error as those see it who watch: its class."""
        return f"{_divide(error)[0]}: (encrypted)"

    def _said(self, ended: Settlement) -> str:
        """Encrypt what an attempt ended with, but for an error's class and for words of our own."""
        text = ended.error or ""
        if ended.outcome not in _ERRORS:
            return text if text == CANCELLED else self._text(text)
        name, rest = _divide(text)
        return f"{name}: {self._text(rest)}" if rest else name

    def _text(self, text: str) -> str:
        return self._seal.seal_text(ERROR, hide(text, self._secrets))

    def _json(self, field: str, text: str) -> str:
        return self._seal.seal_json(field, text.encode()).decode()


def _divide(error: str) -> tuple[str, str]:
    """Part an error's class from what it says."""
    name, _, rest = error.partition(": ")
    return (name, rest) if _CLASS.fullmatch(name) else ("Error", error)


class Opener:
    """Reads the arguments of encrypted jobs as they are claimed."""

    def __init__(
        self,
        keyring: Callable[[], Keyring | None],
        tasks: Mapping[str, Task[..., Any]],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._keyring = keyring
        self._sealed_kinds = frozenset(
            name for name, task in tasks.items() if task.options.encrypted
        )
        self._clock = clock
        self._told: dict[str, float] = {}  # missing keys, and when they were last told of

    def wanted(self, attempts: Iterable[Attempt]) -> list[Attempt]:
        """Name those that are encrypted, or whose results are to be."""
        keyring = self._keyring()
        tenants = frozenset() if keyring is None else keyring.tenants
        if not tenants and not self._sealed_kinds:
            return [each for each in attempts if each.claim.args.startswith(MARK)]
        return [each for each in attempts if self._is_sealed(each.claim, tenants)]

    def open(self, attempt: Attempt) -> Outcome | None:
        """Read its arguments; where that can't be, return what becomes of the attempt.

        One whose key is missing here waits, uncharged; one that was tampered with is dead.
        """
        claim = attempt.claim
        try:
            attempt.claim, attempt.seal = open_claim(claim, self._keyring())
        except MissingKey as error:
            return self._postpone(claim, error, error.key_id)
        except BadCiphertext as error:
            return Died(error=describe(error))
        except EncryptionError as error:
            return self._postpone(claim, error, "")
        return None

    def _is_sealed(self, claim: Claim, tenants: frozenset[str]) -> bool:
        is_asked = claim.kind in self._sealed_kinds or claim.tenant in tenants
        return is_asked or claim.args.startswith(MARK)

    def _postpone(self, claim: Claim, error: EncryptionError, key_id: str) -> Snoozed:
        now = self._clock()
        if now - self._told.get(key_id, float("-inf")) >= TELL_SECONDS:
            self._told[key_id] = now
            extra = {"key": key_id, "job": str(claim.job_id), "kind": claim.kind}
            _logger.warning("job waits for a key", extra=extra | {"error": str(error)})
        tries = max(0, min(claim.attempt - claim.failures - 1, 10))
        longest = min(LONGEST_WAIT_SECONDS, SHORTEST_WAIT_SECONDS * 2**tries)
        delay = random.uniform(longest / 2, longest)
        return Snoozed(delay_seconds=delay, reason=f"{KEYLESS_WORDS}{error}")


def open_claim(claim: Claim, keyring: Keyring | None) -> tuple[Claim, AttemptSeal]:
    """Read the arguments of a claim, plain ones as they are, and make the seal of its attempt."""
    seal = job_seal(keyring, claim.job_id, claim.tenant)
    opened = seal.open_json(ARGUMENTS, claim.args)
    args = opened.decode() if isinstance(opened, bytes) else opened
    if keyring is None:
        raise NoKeyring  # what it leaves could not be kept
    secrets = tuple(texts_in(list(secrets_in(msgspec.json.decode(args)))))
    return structs.replace(claim, args=args), AttemptSeal(seal, secrets)
