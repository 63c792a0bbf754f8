"""What a change of the settings may be: it is checked whole before anything is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

import leasehold as lh
from leasehold_memory.errors import BadSettings, EmbeddingFixed, SettingsMoved
from leasehold_memory.model.presets import (
    LOCAL_DIMENSION,
    MASK,
    EmbeddingPreset,
    ModelPreset,
    PersonaPreset,
    Preset,
    PresetId,
    Provider,
    read_secret,
)
from leasehold_memory.settings.snapshot import Snapshot

_FIXED = ("dimension", "provider", "model")
K = TypeVar("K", EmbeddingPreset, ModelPreset)


class SettingsChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be another; what is left out stays. A list of presets is all there are then.

    With a `revision` it is refused when somebody else has changed the settings since.
    """

    revision: int | msgspec.UnsetType = msgspec.UNSET
    memory_enabled: bool | msgspec.UnsetType = msgspec.UNSET
    active_embedding_preset_id: PresetId | msgspec.UnsetType = msgspec.UNSET
    active_model_preset_id: PresetId | msgspec.UnsetType = msgspec.UNSET
    active_persona_preset_id: PresetId | msgspec.UnsetType = msgspec.UNSET
    embedding_presets: tuple[EmbeddingPreset, ...] | msgspec.UnsetType = msgspec.UNSET
    model_presets: tuple[ModelPreset, ...] | msgspec.UnsetType = msgspec.UNSET
    persona_presets: tuple[PersonaPreset, ...] | msgspec.UnsetType = msgspec.UNSET


def read_change(fields: Any) -> SettingsChange:
    """Read a change that was sent; `BadSettings` says what can't be used, without its value."""
    try:
        return msgspec.convert(fields, SettingsChange, dec_hook=read_secret)
    except msgspec.ValidationError as error:
        raise BadSettings(str(error)) from None


def changed(before: Snapshot, change: SettingsChange) -> Snapshot:
    """Return the settings after the change; the same if it changes nothing."""
    if change.revision not in (msgspec.UNSET, before.revision):
        raise SettingsMoved(before.revision)
    said = {
        name: value
        for name in change.__struct_fields__
        if name != "revision" and (value := getattr(change, name)) is not msgspec.UNSET
    }
    after = msgspec.structs.replace(before, **said)
    after = msgspec.structs.replace(
        after,
        embedding_presets=_with_keys(before.embedding_presets, after.embedding_presets),
        model_presets=_with_keys(before.model_presets, after.model_presets),
    )
    _check(before, after)
    return after


def _with_keys(before: Iterable[K], after: Iterable[K]) -> tuple[K, ...]:
    """Keep the key of a preset that was sent back with the mask in its place."""
    known = {preset.id: preset.api_key for preset in before}
    return tuple(_with_key(preset, known) for preset in after)


def _with_key(preset: K, known: dict[str, lh.Secret[str]]) -> K:
    if preset.api_key.reveal() != MASK:
        return preset
    if preset.id not in known:
        raise BadSettings(f"the preset {preset.id} is new: its api_key is only a mask")
    return msgspec.structs.replace(preset, api_key=known[preset.id])


def _check(before: Snapshot, after: Snapshot) -> None:
    for presets in (after.embedding_presets, after.model_presets, after.persona_presets):
        _refuse_twins(presets)
    for preset in after.embedding_presets:
        _refuse_other_vectors(before, preset)
        if preset.provider is Provider.LOCAL and preset.dimension != LOCAL_DIMENSION:
            raise BadSettings(f"local vectors have {LOCAL_DIMENSION} numbers: {preset.id}")
    _ = after.embedding, after.model, after.persona  # each must be there


def _refuse_twins(presets: Iterable[Preset]) -> None:
    for preset_id, number in Counter(preset.id for preset in presets).items():
        if number > 1:
            raise BadSettings(f"there are {number} presets with the id {preset_id}")


def _refuse_other_vectors(before: Snapshot, after: EmbeddingPreset) -> None:
    """Refuse that a file gets vectors which can't be compared with those that are in it."""
    for preset in before.embedding_presets:
        for field in _FIXED:
            if preset.id == after.id and getattr(preset, field) != getattr(after, field):
                raise EmbeddingFixed(preset.id, field)
