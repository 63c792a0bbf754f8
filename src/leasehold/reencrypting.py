"""Brings encrypted values to the key that is active now, page by page, beside everything else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

from leasehold.errors import BadCiphertext, MissingKey
from leasehold.model.resealing import Resealed, SealedIn
from leasehold.revealing import step_field
from leasehold.sealing.seals import ARGUMENTS, Seal, credential_seal, job_seal, schedule_seal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.model.resealing import SealedRow
    from leasehold.sealing.keyring import Keyring
    from leasehold.store.base import Store

STEP = 500
MOST_PASSES = 10


class ReencryptReport(msgspec.Struct, frozen=True):
    """How far it is: rows looked at, values encrypted anew, and those that could not be read.

    `left` counts these by the key that is missing here, "" for such as were tampered with.
    """

    seen: int = 0
    changed: int = 0
    left: dict[str, int] = {}

    def plus(self, other: ReencryptReport) -> ReencryptReport:
        """Add what another step did."""
        left = Counter(self.left) + Counter(other.left)
        return ReencryptReport(self.seen + other.seen, self.changed + other.changed, dict(left))


class Step(msgspec.Struct, frozen=True):
    """What one step did, and where the next one begins; None at the table's end."""

    report: ReencryptReport
    cursor: str | None


def reencrypt_step(
    store: Store,
    keyring: Keyring,
    what: SealedIn,
    cursor: str | None,
    *,
    limit: int,
    only_older: bool = False,
) -> Step:
    """Look at the next rows and encrypt anew what is not under the key it should be.

    `only_older` leaves alone what a newer key has encrypted: another process may know better which
    one is active. A row that has changed meanwhile is left to a later look.
    """
    page = store.sealed_page(what, cursor, limit=limit, fine=_fine(keyring))
    left: Counter[str] = Counter()
    changes = [
        change
        for row in page.rows
        if (change := _reseal(what, row, keyring, left, only_older=only_older)) is not None
    ]
    changed = store.reseal(what, changes)
    return Step(ReencryptReport(page.seen, changed, dict(left)), page.cursor)


def reencrypt_in_steps(store: Store, keyring: Keyring) -> Iterator[ReencryptReport]:
    """Go through everything until a whole pass has found nothing to change; yields the sums."""
    report = ReencryptReport()
    for _ in range(MOST_PASSES):
        before, left = report.changed, ReencryptReport()
        for what in SealedIn:
            cursor: str | None = None
            while True:
                step = reencrypt_step(store, keyring, what, cursor, limit=STEP)
                left = left.plus(step.report)
                report = ReencryptReport(
                    report.seen + step.report.seen, report.changed + step.report.changed, left.left
                )
                yield report
                cursor = step.cursor
                if cursor is None:
                    break
        if report.changed == before:
            return


def count_by_key(store: Store) -> dict[str, int]:
    """Count the rows that each key has encrypted something of."""
    counts: Counter[str] = Counter()
    for what in SealedIn:
        cursor: str | None = None
        while True:
            page = store.sealed_page(what, cursor, limit=STEP)
            for row in page.rows:
                counts.update({key for _, _, key in row.sealed()})
            cursor = page.cursor
            if cursor is None:
                break
    return dict(sorted(counts.items()))


def _fine(keyring: Keyring) -> list[str]:
    """Name the keys whose values need no look: none while a tenant has a key of its own."""
    document = keyring.document
    has_own = any(key is not None for key in document.tenants.values())
    return [] if has_own else [document.active]


def _reseal(
    what: SealedIn, row: SealedRow, keyring: Keyring, left: Counter[str], *, only_older: bool
) -> Resealed | None:
    target = keyring.active_for(row.tenant)
    old: dict[str, str] = {}
    new: dict[str, str] = {}
    for field, text, key in row.sealed():
        if key == target or (only_older and keyring.is_newer(key, target)):
            continue
        try:
            new[field] = _again(what, row, field, text, keyring)
            old[field] = text
        except MissingKey as error:
            left[error.key_id] += 1
        except BadCiphertext:
            left[""] += 1
    return Resealed(row.key, old, new) if new else None


def _again(what: SealedIn, row: SealedRow, field: str, text: str, keyring: Keyring) -> str:
    """Encrypt one value with the key of now."""
    seal = _seal(what, row, keyring)
    match what:
        case SealedIn.SCHEDULES:
            return _schedule_again(seal, text)
        case SealedIn.STEPS:
            return _json_again(seal, step_field(str(row.key[1])), text)
        case _ if text.startswith("{"):
            return _json_again(seal, field, text, repeats=what is SealedIn.JOBS)
        case _:
            return seal.reseal_text(field, text)


def _json_again(seal: Seal, field: str, text: str, *, repeats: bool = False) -> str:
    return seal.seal_json(field, _bytes(seal.open_json(field, text)), repeats=repeats).decode()


def _schedule_again(seal: Seal, text: str) -> str:
    job = msgspec.json.decode(text)
    plain = _bytes(seal.open_json(ARGUMENTS, msgspec.json.encode(job["args"])))
    sealed = seal.seal_json(ARGUMENTS, plain, repeats=True)
    return msgspec.json.encode(job | {"args": msgspec.json.decode(sealed)}).decode()


def _seal(what: SealedIn, row: SealedRow, keyring: Keyring) -> Seal:
    match what:
        case SealedIn.SCHEDULES:
            return schedule_seal(keyring, str(row.key[1]), row.tenant)
        case SealedIn.CREDENTIALS:
            return credential_seal(keyring, str(row.key[1]), row.tenant)
        case _:
            return job_seal(keyring, str(row.key[0]), row.tenant)


def _bytes(opened: str | bytes) -> bytes:
    return opened.encode() if isinstance(opened, str) else opened
