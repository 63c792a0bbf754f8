"""How errors of memories are told: each with its status and a type that programs can rely on."""

from __future__ import annotations

from leasehold.kit.web import Problems
from leasehold_memory import errors

PROBLEMS = Problems(
    {
        errors.UnitNotFound: (404, "unit-not-found"),
        errors.VersionNotFound: (404, "version-not-found"),
        errors.EntityNotFound: (404, "entity-not-found"),
        errors.PresetNotFound: (404, "preset-not-found"),
        errors.SourceGone: (409, "source-gone"),
        errors.SettingsMoved: (409, "settings-moved"),
        errors.EmbeddingFixed: (400, "embedding-fixed"),
        errors.BadSettings: (422, "bad-settings"),
        errors.BadEdit: (422, "bad-edit"),
        errors.BadAnswer: (502, "bad-answer"),
        errors.ModelDown: (503, "model-down"),
        errors.ModelLimited: (503, "model-limited"),
        errors.ModelRefusedKey: (503, "model-refused-key"),
        errors.ModelRefusedRequest: (503, "model-refused-request"),
        errors.BadMemory: (503, "bad-memory"),
        errors.MemoryClosed: (503, "memory-closed"),
        errors.NotStarted: (503, "not-started"),
        errors.TooNew: (503, "too-new"),
    }
)
