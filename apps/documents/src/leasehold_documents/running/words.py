"""What the application's jobs have in common."""

from __future__ import annotations

import leasehold as lh

BACKOFF = lh.delays("1m", "5m", "30m")  # the fourth failure is the last
ATTEMPTS = 4
SETTLING = 10  # the priority of what settles money and tells people: before all new work
