"""What a new home begins with: all on this machine, without a key."""

from __future__ import annotations

from leasehold_memory.model.presets import (
    LOCAL_DIMENSION,
    EmbeddingPreset,
    ModelPreset,
    PersonaPreset,
    Provider,
)
from leasehold_memory.settings.snapshot import Snapshot

_PROMPT = """\
You are a warm, attentive companion. You answer in the language that you are spoken to, briefly and
naturally. You remember what you were told and bring it up when it helps; what you don't know, you
ask or leave open, and you never invent memories."""

DEFAULTS = Snapshot(
    embedding_presets=(
        EmbeddingPreset(
            id="local",
            name="WordLlama, on this machine",
            provider=Provider.LOCAL,
            model="l2_supercat_256",
            dimension=LOCAL_DIMENSION,
        ),
    ),
    model_presets=(
        ModelPreset(
            id="local",
            name="A small rule-based model, on this machine",
            provider=Provider.LOCAL,
            model="local",
        ),
    ),
    persona_presets=(PersonaPreset(id="companion", name="Companion", prompt=_PROMPT),),
    active_embedding_preset_id="local",
    active_model_preset_id="local",
    active_persona_preset_id="companion",
)
