"""Settlements as the columns that finish.sql and succeed.sql read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.store.postgres.arrays import Texts, pack_bigints, pack_doubles, pack_ids, pack_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.values import Settlement

_UNKNOWN = float("nan")
_NONE_OF_THEM: dict[str, list[Any]] = {
    "outcomes": [],
    "results": [],
    "errors": [],
    "tracebacks": [],
    "delays_seconds": [],
    "run_ats": [],
    "are_counted": [],
}


def are_plain(settlements: Sequence[Settlement]) -> bool:
    """Whether they all succeeded, and there is nothing more to say of any of them."""
    outcomes = [each.outcome for each in settlements]
    results = [each.result for each in settlements]
    spent = [each.spent for each in settlements]
    count = len(settlements)
    return outcomes.count("succeeded") == results.count(None) == spent.count(None) == count


def plain_columns(settlements: Sequence[Settlement]) -> dict[str, Any]:
    """Spread over arrays what all settlements have."""
    return {
        "job_ids": pack_ids([each.job_id for each in settlements]),
        "fences": pack_bigints([each.fence for each in settlements]),
        "elapsed_seconds": pack_doubles(
            [_UNKNOWN if (taken := each.elapsed_seconds) is None else taken for each in settlements]
        ),
    }


def columns(settlements: Sequence[Settlement]) -> dict[str, Any]:
    """Spread all of it over arrays; what nearly none of them has is left out when none has."""
    return {
        **plain_columns(settlements),
        "spent": _spent(settlements),
        **_details(settlements),
    }


def _spent(settlements: Sequence[Settlement]) -> list[float | None]:
    spent = [each.spent for each in settlements]
    if spent.count(None) == len(spent):
        return []
    return [None if each is None else float(each) for each in spent]


def _details(settlements: Sequence[Settlement]) -> dict[str, Any]:
    outcomes = [None if each.outcome == "succeeded" else each.outcome for each in settlements]
    details: dict[str, Any] = {
        "outcomes": _texts(outcomes),
        "results": pack_texts(
            [None if each.result is None else bytes(each.result) for each in settlements]
        ),
        "errors": _texts([each.error for each in settlements]),
        "tracebacks": _texts([each.traceback for each in settlements]),
    }
    if not any(outcomes):
        return _NONE_OF_THEM | details
    return details | {
        "delays_seconds": [each.delay_seconds for each in settlements],
        "run_ats": [each.run_at for each in settlements],
        "are_counted": [each.is_counted for each in settlements],
    }


def _texts(values: Sequence[str | None]) -> Texts:
    return pack_texts([None if value is None else value.encode() for value in values])
