"""The forms of presets: which fields each kind has, and what was sent by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel

from leasehold.kit.web import a_text
from leasehold_memory.model.presets import Provider

Kind: TypeAlias = Literal["embedding", "model", "persona"]
KINDS: tuple[Kind, ...] = ("embedding", "model", "persona")
LONGEST_LINE = 500
LONGEST_PROMPT = 8_000
_FIELDS: Mapping[Kind, tuple[str, ...]] = {
    "embedding": ("id", "name", "provider", "model", "dimension", "base_url", "api_key"),
    "model": (
        *("id", "name", "provider", "model", "base_url", "api_key"),
        *("temperature", "max_tokens", "context_tokens", "timeout_seconds"),
    ),
    "persona": ("id", "name", "prompt"),
}
# What can't be another once there is a memory of it: vectors could not be compared.
_FIXED: Mapping[Kind, frozenset[str]] = {
    "embedding": frozenset({"id", "provider", "model", "dimension"}),
    "model": frozenset({"id"}),
    "persona": frozenset({"id"}),
}
_REQUIRED = frozenset({"id", "name", "model", "dimension"})
_BLANK: Mapping[str, Any] = {
    "provider": "http",
    "temperature": 0.7,
    "max_tokens": 1024,
    "context_tokens": 2048,
    "timeout_seconds": 60.0,
}
Line: TypeAlias = Annotated[str, a_text(LONGEST_LINE)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a form, as it is shown."""

    name: str
    value: Any
    choices: tuple[str, ...] = ()
    is_fixed: bool = False
    is_required: bool = False

    @property
    def is_long(self) -> bool:
        return self.name == "prompt"

    @property
    def is_key(self) -> bool:
        return self.name == "api_key"

    @property
    def longest(self) -> int:
        return LONGEST_PROMPT if self.is_long else LONGEST_LINE


class PresetForm(BaseModel):
    """What was sent of a preset; a kind has some of these."""

    id: Line
    name: Line
    provider: Literal["local", "http"] | None = None
    model: Line | None = None
    dimension: int | None = None
    base_url: Line | None = None
    api_key: Line | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    context_tokens: int | None = None
    timeout_seconds: float | None = None
    prompt: Annotated[str, a_text(LONGEST_PROMPT)] | None = None

    def fields(self, kind: Kind) -> dict[str, Any]:
        """Return what a preset of this kind has of it."""
        sent = self.model_dump(include=set(_FIELDS[kind]), exclude_none=True)
        return {name: _as_shown(value) for name, value in sent.items()}


def form_of(kind: Kind, known: Mapping[str, Any] | None = None) -> list[Field]:
    """Return the form of a preset that is known, or of another one."""
    values = known if known is not None else _BLANK
    return [
        Field(
            name=name,
            value=values.get(name, ""),
            choices=_choices(name, is_new=known is None or kind != "embedding"),
            is_fixed=known is not None and name in _FIXED[kind],
            is_required=name in _REQUIRED,
        )
        for name in _FIELDS[kind]
    ]


def with_preset(presets: list[dict[str, Any]], preset: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all presets with this one in the place of the one of its id, else behind them."""
    others = [preset if each["id"] == preset["id"] else each for each in presets]
    return others if preset in others else [*others, preset]


def _choices(name: str, *, is_new: bool) -> tuple[str, ...]:
    return tuple(each.value for each in Provider) if name == "provider" and is_new else ()


def _as_shown(value: Any) -> Any:
    """Take back the line ends that forms send."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else value
