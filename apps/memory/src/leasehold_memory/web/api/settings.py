"""`/api/settings`: presets, which of them are active, and whether anything is remembered."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter
from pydantic import Field, StrictBool, StrictInt

from leasehold.kit.web import Changer, Command, Reader, a_line, a_text
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.problems import PROBLEMS

router = APIRouter(prefix="/api/settings", tags=["settings"])
PresetId: TypeAlias = Annotated[
    str, Field(strict=True, pattern=r"^[a-z0-9][a-z0-9_-]{0,47}$", examples=["default"])
]
Provider: TypeAlias = Literal["local", "http"]
Address: TypeAlias = Annotated[
    str, Field(strict=True, max_length=500, pattern=r"^(https?://[^\s/]\S*)?$")
]
_KEY = "Masked when it is read; sent back masked, it stays as it is."


class _Preset(Command):
    id: PresetId
    name: Annotated[str, a_line(100)]


class EmbeddingPresetDocument(_Preset):
    """What turns texts into vectors. What decides about them never changes: make another one."""

    provider: Provider = "local"
    model: Annotated[str, a_line(200)]
    dimension: Annotated[StrictInt, Field(ge=1, le=8192)]
    base_url: Address = ""
    api_key: Annotated[str, a_text(500)] = Field(default="", description=_KEY)


class ModelPresetDocument(_Preset):
    """The model that answers and derives."""

    provider: Provider = "http"
    model: Annotated[str, a_line(200)]
    base_url: Address = ""
    api_key: Annotated[str, a_text(500)] = Field(default="", description=_KEY)
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.7
    max_tokens: Annotated[StrictInt, Field(ge=16, le=131_072)] = 1024
    context_tokens: Annotated[StrictInt, Field(ge=256, le=1_000_000)] = 2048
    timeout_seconds: Annotated[float, Field(gt=0, le=600)] = 60.0


class PersonaPresetDocument(_Preset):
    """Who the companion is."""

    prompt: Annotated[str, a_text(8_000)]


class SettingsDocument(Command):
    """All settings."""

    revision: Annotated[StrictInt, Field(ge=0)]
    memory_enabled: StrictBool
    active_embedding_preset_id: PresetId
    active_model_preset_id: PresetId
    active_persona_preset_id: PresetId
    embedding_presets: Annotated[list[EmbeddingPresetDocument], Field(max_length=100)]
    model_presets: Annotated[list[ModelPresetDocument], Field(max_length=100)]
    persona_presets: Annotated[list[PersonaPresetDocument], Field(max_length=100)]


class SettingsChange(Command):
    """What is to be another; what is left out stays. A list of presets is all there are then."""

    revision: Annotated[StrictInt, Field(ge=0)] = Field(
        default=0, description="If given, refused when somebody else has changed them since."
    )
    memory_enabled: StrictBool = True
    active_embedding_preset_id: PresetId = "default"
    active_model_preset_id: PresetId = "default"
    active_persona_preset_id: PresetId = "default"
    embedding_presets: list[EmbeddingPresetDocument] = Field(default_factory=list, max_length=100)
    model_presets: list[ModelPresetDocument] = Field(default_factory=list, max_length=100)
    persona_presets: list[PersonaPresetDocument] = Field(default_factory=list, max_length=100)


@router.get("", response_model=SettingsDocument, responses=PROBLEMS.responses())
def get_settings(_person: Reader, hub: OfHub) -> dict[str, Any]:
    """Read all settings; keys are masked."""
    return hub.companion.settings.current().shown()


@router.put("", response_model=SettingsDocument, responses=PROBLEMS.responses(404, 409))
def put_settings(wanted: SettingsChange, _person: Changer, hub: OfHub) -> dict[str, Any]:
    """Change settings, all that is said or nothing. The worker follows by itself."""
    change = wanted.model_dump(exclude_unset=True)
    return hub.companion.change(change).shown()
