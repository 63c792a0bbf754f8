"""Statements that are wrong on purpose, one guard taken out of each: the machine has to notice."""

from __future__ import annotations

from typing import NamedTuple


class WrongStatement(NamedTuple):
    """A statement of the store on SQLite, and what stands in it instead of a guard.

    The search begins where it is found within a few histories; any other number finds it, too.
    """

    mistake: str
    statement: str
    guard: str
    instead: str = ""
    beginning: int = 0


MUTANTS = (
    # -- callbacks
    WrongStatement(
        "a retried job never calls back",
        *("callback_mark", "AND on_end IS NOT NULL", "AND false"),
    ),
    WrongStatement(
        "a batch calls back each time somebody looks",
        *("end_batch", "SET ended_at = :now", "SET ended_at = ended_at"),
    ),
    WrongStatement(
        "a batch takes what was cancelled for dead",
        *("batch_has_dead", "state = 'dead'", "state = 'cancelled'"),
    ),
    WrongStatement(
        "another round has no callback of its own",
        *("reopen_batch", "round = round + 1, ", ""),
    ),
    # -- the end of a batch
    *(
        WrongStatement(
            f"a batch ends with a member in {table}",
            *("batch_is_live", f"FROM leasehold_{table} WHERE batch = :id", "WHERE false"),
            beginning=beginning,
        )
        for table, beginning in (("lease", 7), ("ready", 3))
    ),
    WrongStatement(
        "a sweep looks at no batch that is sealed",
        *("sweep_batches", "sealed_at IS NOT NULL OR", ""),
        beginning=3,
    ),
    # -- members
    WrongStatement(
        "a sealed batch takes members",
        *("batch_join", "batch.sealed_at,", "NULL,"),
        beginning=7,
    ),
    WrongStatement(
        "a cancelled batch leaves what is nested in it open",
        *("batch_nested", "AND ended_at IS NULL", "AND false"),
        beginning=15,
    ),
    # -- jobs that wait for others
    WrongStatement(
        "a dependent goes before what it needs has ended",
        "judge_needs",
        "need.state IN ('open', iif(asked.is_patient, 'open', 'old'))",
        "need.state = 'never'",
        beginning=4,
    ),
    WrongStatement(
        "one is not enough for who needs any",
        *("judge_needs", "coalesce(job.needs ->> 'any', 0)", "0"),
        beginning=4,
    ),
    WrongStatement(
        "a failed branch does not end what waits for it",
        "judge_needs",
        "WHEN decisive IS NOT NULL THEN 'cancel'",
        "WHEN decisive IS NOT NULL THEN NULL",
        beginning=3,
    ),
    # -- what is saved
    WrongStatement(
        "done goes back",
        "save_checkpoint",
        "coalesce(max(checkpoint.done, excluded.done), excluded.done, checkpoint.done)",
        "coalesce(excluded.done, checkpoint.done)",
        beginning=9,
    ),
)
