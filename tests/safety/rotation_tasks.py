"""What runs while keys are rotated: jobs that save, fail once and leave a result."""

from __future__ import annotations

import leasehold as lh


@lh.task(encrypted=True, retry=lh.fixed(0), lease="3s", max_attempts=20)
def charge(card: str) -> str:
    job = lh.current_job()
    job.checkpoint({"card": card}, note=card)
    assert job.step("once", _mark, card) == f"marked {card}"
    if job.failures == 0:
        raise ValueError(f"the first try with {card} fails")
    assert job.cursor == {"card": card}
    return f"charged {card}"


def _mark(card: str) -> str:
    return f"marked {card}"
