"""How errors of memories are told: each with its status and a type that programs can rely on."""

from __future__ import annotations

from leasehold.kit.web import Problems
from leasehold_memory import errors

PROBLEMS = Problems({errors.UnitNotFound: (404, "unit-not-found")})
