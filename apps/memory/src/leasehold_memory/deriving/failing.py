"""How an attempt ends when a model or an embedder does not do its part.

One that is away, or asks for patience, costs no try: all jobs that need it rest, the others go on.
What it answers and nobody can use is a failure, and tried again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import leasehold as lh
from leasehold_memory.errors import (
    BadEmbedding,
    BadScope,
    EntityNotFound,
    ModelDown,
    ModelLimited,
    ModelRefusedKey,
    SourceGone,
    UnitNotFound,
)

if TYPE_CHECKING:
    from leasehold_memory.deriving.attempt import Attempt

logger = logging.getLogger(__name__)

AUTH = "llm_auth"
LIMITED = "llm_limited"
DOWN = "llm_down"
MODEL = "memory-model"  # the throttle of all jobs that ask the model

_FIRST_SECONDS = 5.0
_MOST_SECONDS = 300.0
_LONGEST_SECONDS = 3600.0  # however long a server asks us to wait
_AUTH_SECONDS = 900.0  # then one job asks whether the key does by now
_RESTING_SECONDS = 5.0  # that a job itself waits while all of them rest: who ends the rest ends all


@contextmanager
def told(attempt: Attempt, *, rests: bool = True) -> Iterator[None]:
    """Turn what went wrong into how the attempt ends; `rests`: others wait for the model, too."""
    try:
        yield
    except ModelLimited as error:
        _rest(attempt.job, _wait(attempt.job, error.retry_after), LIMITED, error, rests=rests)
    except ModelDown as error:
        _rest(attempt.job, _wait(attempt.job, error.retry_after), DOWN, error, rests=rests)
    except ModelRefusedKey as error:
        _rest(attempt.job, _AUTH_SECONDS, AUTH, error, rests=rests)
    except (BadEmbedding, BadScope) as error:
        raise lh.Dead(str(error)) from error
    except (UnitNotFound, EntityNotFound, SourceGone) as error:
        logger.info("nothing left to derive from", extra={"job": attempt.job.id, "why": str(error)})


def _rest(job: Any, seconds: float, why: str, error: Exception, *, rests: bool) -> NoReturn:
    if rests:
        job.pause_throttle(seconds, reason=why)
        seconds = min(seconds, _RESTING_SECONDS)
    raise lh.Snooze(seconds, reason=f"{why}: {error}") from error


def _wait(job: Any, asked: float | None) -> float:
    """Wait as long as the server says, else longer each time."""
    if asked is not None:
        return min(max(asked, 1.0), _LONGEST_SECONDS)
    snoozes = max(0, job.attempt - 1 - job.failures)
    return float(min(_MOST_SECONDS, _FIRST_SECONDS * 2 ** min(snoozes, 10)))
