"""`leasehold-memory presets`: which models and memories there are, and which are active."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.kit import (
    NotFound,
    answer,
    cell,
    make_table,
    print_json,
    print_rows,
    with_session,
)
from leasehold_memory.cli.homes import HomeCommand, HomeGroup, home_option, open_home

if TYPE_CHECKING:
    from leasehold.cli.kit import Session
    from leasehold_memory.settings import Settings

KINDS = ("embedding", "model", "persona")
_KIND = click.argument("kind", type=click.Choice(KINDS))
_ID = click.argument("preset_id", metavar="ID")
_NUMBERS = ("dimension", "max_tokens", "context_tokens")
_FRACTIONS = ("temperature", "timeout_seconds")
_EXAMPLE = """\
leasehold-memory presets list
leasehold-memory presets use embedding second"""
_SET_EXAMPLE = """\
leasehold-memory presets set embedding second name=Second model=l2_supercat_256 dimension=256
leasehold-memory presets set model remote base_url=https://api.example.org/v1 model=small \\
    name=Remote --key-from API_KEY"""


@click.group(cls=HomeGroup, example=_EXAMPLE)
def presets() -> None:
    """See, add, change and choose presets. A companion that runs follows at once."""


@presets.command("list", cls=HomeCommand, example="leasehold-memory presets list --json")
@home_option
@with_session
def list_presets(session: Session, *, home: Path) -> None:
    """List all presets; keys are masked."""
    with open_home(home) as settings:
        shown = settings.current().shown()
    if session.is_json:
        print_json(shown)
        return
    table = make_table("kind", "id", "active", "name", "model", "address", "key")
    rows = [(kind, each) for kind in KINDS for each in shown[f"{kind}_presets"]]
    for kind, each in rows:
        is_active = each["id"] == shown[f"active_{kind}_preset_id"]
        values = (each.get("model", ""), each.get("base_url", ""), each.get("api_key", ""))
        said = (kind, each["id"], "active" if is_active else "", each["name"], *values)
        table.add_row(*map(cell, said))
    print_rows(table, empty="there are no presets", rows=rows)


@presets.command("use", cls=HomeCommand, example="leasehold-memory presets use embedding second")
@_KIND
@_ID
@home_option
@with_session
def use(session: Session, *, kind: str, preset_id: str, home: Path) -> None:
    """Let a preset be the active one of its kind.

    Another embedding preset has another memory; its file is opened and checked first.
    """
    with open_home(home) as settings:
        if kind == "embedding":
            _check_memory(settings, preset_id)
        settings.change({f"active_{kind}_preset_id": preset_id})
    answer(session, f"{preset_id} is the active {kind} preset now", kind=kind, id=preset_id)


@presets.command("set", cls=HomeCommand, example=_SET_EXAMPLE)
@_KIND
@_ID
@click.argument("fields", nargs=-1, metavar="FIELD=VALUE…")
@click.option("--key-from", metavar="VARIABLE", help="The api_key is what this variable holds.")
@home_option
@with_session
def set_preset(
    session: Session,
    *,
    kind: str,
    preset_id: str,
    fields: tuple[str, ...],
    key_from: str | None,
    home: Path,
) -> None:
    """Add a preset, or change the fields of one that is there."""
    said: dict[str, Any] = dict(map(_read_field, fields))
    if key_from is not None:
        said["api_key"] = _key_of(key_from)
    with open_home(home) as settings:
        known = settings.current().shown()[f"{kind}_presets"]
        old = next((each for each in known if each["id"] == preset_id), None)
        rest = [each for each in known if each["id"] != preset_id]
        new = {**(old or {"id": preset_id, "name": preset_id}), **said}
        settings.change({f"{kind}_presets": [*rest, new]})
    done = "added" if old is None else "changed"
    answer(session, f"the {kind} preset {preset_id} is {done}", kind=kind, id=preset_id, done=done)


@presets.command("remove", cls=HomeCommand, example="leasehold-memory presets remove model old")
@_KIND
@_ID
@home_option
@with_session
def remove(session: Session, *, kind: str, preset_id: str, home: Path) -> None:
    """Take a preset away. The memory of an embedding preset stays in its file."""
    with open_home(home) as settings:
        known = settings.current().shown()[f"{kind}_presets"]
        rest = [each for each in known if each["id"] != preset_id]
        if len(rest) == len(known):
            raise NotFound(f"there is no {kind} preset {preset_id}")
        settings.change({f"{kind}_presets": rest})
    answer(session, f"the {kind} preset {preset_id} is gone", kind=kind, id=preset_id)


def _check_memory(settings: Settings, preset_id: str) -> None:
    from leasehold_memory.opening import open_memory

    preset = settings.current().embedding_named(preset_id)
    open_memory(settings.home, preset, settings).close()


def _read_field(said: str) -> tuple[str, Any]:
    name, separator, text = said.partition("=")
    if not separator:
        raise click.BadParameter(f"{said!r} is no FIELD=VALUE", param_hint="FIELD=VALUE")
    if name == "api_key":
        raise click.BadParameter("others may see it here: --key-from", param_hint="api_key")
    try:
        if name in _NUMBERS:
            return name, int(text)
        return name, float(text) if name in _FRACTIONS else text
    except ValueError:
        raise click.BadParameter(f"{text!r} is no number", param_hint=name) from None


def _key_of(variable: str) -> str:
    import os

    if variable not in os.environ:
        raise NotFound(f"there is no variable {variable} in the environment")
    return os.environ[variable]
