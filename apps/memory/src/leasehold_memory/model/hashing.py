"""Canonical JSON and its hash, by which a changed payload is told from the same again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

# Values of now: they say nothing of what is remembered.
_NOW_FIELDS = frozenset({"generated_at", "created_at", "updated_at", "derived_at"})


def canonical_json(payload: Mapping[str, Any]) -> str:
    """Write a payload with sorted keys and without spaces."""
    return json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def payload_hash(payload: Mapping[str, Any]) -> str:
    """Return the SHA-256 of its canonical JSON, values of now left out."""
    return hashlib.sha256(canonical_json(_lasting(payload)).encode()).hexdigest()


def _lasting(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _lasting(each) for key, each in value.items() if key not in _NOW_FIELDS}
    if isinstance(value, list):
        return [_lasting(each) for each in value]
    return value
