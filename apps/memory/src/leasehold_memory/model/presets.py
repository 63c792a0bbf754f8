"""Presets: which model answers, which one embeds, and who the companion is.

An embedding preset has a memory of its own, `memory_<id>.db`: what is in that file was embedded by
it, so its provider, model and dimension stay as they are.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, TypeAlias, TypeVar

import msgspec

import leasehold as lh

# In lower case: a file system that knows no upper case must not take two for one.
PRESET_ID = r"^[a-z0-9][a-z0-9_-]{0,47}(?!\n)$"
PresetId: TypeAlias = Annotated[str, msgspec.Meta(pattern=PRESET_ID)]
Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
ModelName: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Address: TypeAlias = Annotated[
    str, msgspec.Meta(max_length=500, pattern=r"^(https?://[^\s/]\S*)?(?!\n)$")
]

NO_KEY: lh.Secret[str] = lh.Secret("")
MASK = "********"  # what is shown in a key's place, whatever its length


LOCAL_DIMENSION = 256  # of the vectors that come with this package


class Provider(StrEnum):
    """Where something is asked for."""

    LOCAL = "local"  # what comes with this package: no key, no network
    HTTP = "http"  # any server that speaks as OpenAI's does


class EmbeddingPreset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What turns texts into vectors, and whose memory is one file."""

    id: PresetId
    name: Name
    provider: Provider = Provider.LOCAL
    model: ModelName
    dimension: Annotated[int, msgspec.Meta(ge=1, le=8192)]
    base_url: Address = ""  # as in https://api.example.org/v1
    api_key: lh.Secret[str] = NO_KEY

    def __post_init__(self) -> None:
        _check_address(self.provider, self.base_url)


class ModelPreset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model that answers and derives. Of a LOCAL one the address is known when it runs."""

    id: PresetId
    name: Name
    provider: Provider = Provider.HTTP
    model: ModelName
    base_url: Address = ""
    api_key: lh.Secret[str] = NO_KEY
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.7  # of chat: deriving takes 0
    max_tokens: Annotated[int, msgspec.Meta(ge=16, le=131_072)] = 1024  # of one answer
    context_tokens: Annotated[int, msgspec.Meta(ge=256, le=1_000_000)] = 2048  # of memories
    timeout_seconds: Annotated[float, msgspec.Meta(gt=0, le=600)] = 60.0

    def __post_init__(self) -> None:
        _check_address(self.provider, self.base_url)


class PersonaPreset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who the companion is: what the model is told of itself before a conversation."""

    id: PresetId
    name: Name
    prompt: Annotated[str, msgspec.Meta(max_length=8000)]


Preset: TypeAlias = EmbeddingPreset | ModelPreset | PersonaPreset
T = TypeVar("T", EmbeddingPreset, ModelPreset, PersonaPreset)


def read_preset(shape: type[T], fields: Any) -> T:
    """Make a preset of plain fields; `msgspec.ValidationError` says what can't be used."""
    return msgspec.convert(fields, shape, dec_hook=read_secret)


def preset_fields(preset: Preset) -> dict[str, Any]:
    """Return its plain fields as they are kept, with its key."""
    return dict(msgspec.to_builtins(preset, enc_hook=_reveal))


def masked_fields(preset: Preset) -> dict[str, Any]:
    """Return its plain fields as they are shown: a mask in the key's place, nothing if none."""
    return dict(msgspec.to_builtins(preset, enc_hook=_mask))


def _check_address(provider: Provider, base_url: str) -> None:
    if provider is Provider.HTTP and not base_url:
        raise ValueError("a preset whose provider is http needs a base_url")


def read_secret(_shape: Any, value: Any) -> lh.Secret[str]:
    """Make the secret of a text, for msgspec (`dec_hook`)."""
    if not isinstance(value, str):
        raise msgspec.ValidationError(f"Expected `str`, got `{type(value).__name__}`")
    return lh.Secret(value)


def _reveal(value: Any) -> str:
    return str(value.reveal())


def _mask(value: Any) -> str:
    return MASK if value else ""
