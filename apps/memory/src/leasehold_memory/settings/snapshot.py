"""All settings as they stand at one moment, and what a change may say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from leasehold_memory.errors import PresetNotFound
from leasehold_memory.model.presets import (
    EmbeddingPreset,
    ModelPreset,
    PersonaPreset,
    Preset,
    masked_fields,
)

P = TypeVar("P", bound=Preset)


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The settings at one moment; each change has a higher `revision`."""

    embedding_presets: tuple[EmbeddingPreset, ...]
    model_presets: tuple[ModelPreset, ...]
    persona_presets: tuple[PersonaPreset, ...]
    active_embedding_preset_id: str
    active_model_preset_id: str
    active_persona_preset_id: str
    memory_enabled: bool = True
    revision: int = 0

    @property
    def embedding(self) -> EmbeddingPreset:
        """The active one: whose memory is read and filled."""
        return named(self.embedding_presets, self.active_embedding_preset_id)

    @property
    def model(self) -> ModelPreset:
        return named(self.model_presets, self.active_model_preset_id)

    @property
    def persona(self) -> PersonaPreset:
        return named(self.persona_presets, self.active_persona_preset_id)

    def embedding_named(self, preset_id: str) -> EmbeddingPreset:
        """Return the embedding preset of this id; `PresetNotFound` if there is none."""
        return named(self.embedding_presets, preset_id)

    def shown(self) -> dict[str, Any]:
        """Return all of it as it may be shown: keys are masked."""
        return {
            "revision": self.revision,
            "memory_enabled": self.memory_enabled,
            "active_embedding_preset_id": self.active_embedding_preset_id,
            "active_model_preset_id": self.active_model_preset_id,
            "active_persona_preset_id": self.active_persona_preset_id,
            "embedding_presets": [masked_fields(each) for each in self.embedding_presets],
            "model_presets": [masked_fields(each) for each in self.model_presets],
            "persona_presets": [masked_fields(each) for each in self.persona_presets],
        }


def named(presets: Iterable[P], preset_id: str) -> P:
    """Return the preset of this id; `PresetNotFound` if there is none."""
    for preset in presets:
        if preset.id == preset_id:
            return preset
    raise PresetNotFound(preset_id)
