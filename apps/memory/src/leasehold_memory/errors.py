"""What can go wrong and can be said to a person in one line; each error says what about."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import leasehold as lh


class MemoryAppError(lh.LeaseholdError):
    """The root of the application's errors."""


class UnitNotFound(MemoryAppError):
    """There is no such unit in this memory."""

    def __init__(self, unit_id: int) -> None:
        super().__init__(f"there is no unit {unit_id} in this memory")
        self.unit_id = unit_id


class BadScope(MemoryAppError):
    """There is no such time to sum up."""

    def __init__(self, scope_key: str) -> None:
        super().__init__(f"there is no scope {scope_key[:40]!r}; rolling:7d is one")
        self.scope_key = scope_key


class VersionNotFound(MemoryAppError):
    """A unit never had such a version."""

    def __init__(self, unit_id: int, version: int) -> None:
        super().__init__(f"unit {unit_id} has no version {version}: see its versions")
        self.unit_id = unit_id
        self.version = version


class EntityNotFound(MemoryAppError):
    """There is no such person, topic, place or thing in this memory."""

    def __init__(self, entity_id: int) -> None:
        super().__init__(f"there is no entity {entity_id} in this memory")
        self.entity_id = entity_id


class SourceGone(MemoryAppError):
    """What something was derived from was deleted meanwhile, so that nothing of it is written."""

    def __init__(self, unit_ids: Collection[int]) -> None:
        gone = ", ".join(map(str, sorted(unit_ids)))
        super().__init__(f"deleted meanwhile: unit {gone}; what was derived from it is dropped")
        self.unit_ids = sorted(unit_ids)


class BadEdit(MemoryAppError):
    """A person's change that a unit of this kind can't have."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class BadPayload(MemoryAppError):
    """A payload with fields that its kind has no column for."""

    def __init__(self, kind: str, fields: Sequence[str]) -> None:
        super().__init__(f"a payload of kind {kind} has no field {', '.join(fields)}")
        self.kind = kind
        self.fields = list(fields)


class PresetNotFound(MemoryAppError):
    """There is no such preset."""

    def __init__(self, preset_id: str) -> None:
        super().__init__(f"there is no preset {preset_id!r} in the settings")
        self.preset_id = preset_id


class BadSettings(MemoryAppError):
    """Settings that can't be used; nothing was changed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"these settings can't be used: {reason}")
        self.reason = reason


class EmbeddingFixed(BadSettings):
    """A preset would get other vectors than those that its memory is full of."""

    def __init__(self, preset_id: str, field: str) -> None:
        super().__init__(
            f"the {field} of the embedding preset {preset_id} can't change, because its memory is"
            " full of its vectors: add a new preset, which has a memory of its own"
        )
        self.preset_id = preset_id
        self.field = field


class SettingsMoved(MemoryAppError):
    """Somebody else has changed the settings since they were read."""

    def __init__(self, revision: int) -> None:
        super().__init__(
            f"the settings have changed meanwhile, to revision {revision}: read them again"
        )
        self.revision = revision


class TooNew(MemoryAppError):
    """A file was written by a newer release of the application."""

    def __init__(self, name: str, version: int) -> None:
        super().__init__(f"{name} is of version {version}, newer than this program: upgrade it")
        self.name = name
        self.version = version


class NotServed(MemoryAppError):
    """The companion could not be served."""

    def __init__(self) -> None:
        super().__init__("the companion could not be started; its log says why")


class BadMemory(MemoryAppError):
    """A memory's file can't be used."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} can't be used as a memory: {reason}")
        self.name = name
        self.reason = reason


class MemoryClosed(MemoryAppError):
    """A job runs for a memory that this process has not opened."""

    def __init__(self) -> None:
        super().__init__("this process has not opened the memory that the job belongs to")


class ModelFailed(MemoryAppError):
    """The model gave nothing that can be used. No text that was sent or came back is told."""


class ModelDown(ModelFailed):
    """No connection, no answer in time, or a server error: it may do later."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(f"the model can't be reached: {reason}")
        self.reason = reason
        self.retry_after = retry_after  # in seconds, if the server named it


class ModelLimited(ModelFailed):
    """The server asks for patience: no failure, ask again after `retry_after` seconds."""

    def __init__(self, retry_after: float | None = None) -> None:
        said = "later" if retry_after is None else f"in {retry_after:g} s"
        super().__init__(f"the model's server has had too many requests: ask again {said}")
        self.retry_after = retry_after


class ModelRefusedKey(ModelFailed):
    """The key is refused (401, 403) or can't be sent: nothing is answered until it is set anew."""

    def __init__(self, status: int | None) -> None:
        said = "no request can carry the key" if status is None else f"it is refused ({status})"
        super().__init__(f"the key of the model's server is no good: {said}; set it anew")
        self.status = status


class ModelRefusedRequest(ModelFailed):
    """The server refuses the request itself: another model, or another address, is needed."""

    def __init__(self, status: int) -> None:
        super().__init__(
            f"the model's server refuses the request ({status}): "
            "look at the model and the address in the settings"
        )
        self.status = status


class BadAnswer(ModelFailed):
    """The model answered, and not with what was asked for, also when it was asked again."""

    def __init__(self, reason: str, what: str = "") -> None:
        super().__init__(f"the model's answer{f' to {what}' if what else ''} is {reason}")
        self.reason = reason  # a BadReason of llm.reasons
        self.what = what


class BadEmbedding(MemoryAppError):
    """A text has no vector that could be kept; asking again would give the same one."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"the embedding is {reason}: {detail}")
        self.reason = reason


class EmbedderLost(MemoryAppError):
    """The process that makes local vectors ended or hung, twice in a row."""

    def __init__(self) -> None:
        super().__init__(
            "the process that makes local vectors ended twice: is wordllama installed?"
        )


class NotStarted(MemoryAppError):
    """The companion was asked for something before its start or after its end."""

    def __init__(self) -> None:
        super().__init__("the companion does not run: it has not been started, or it has ended")


class BadExport(MemoryAppError):
    """A file that is no export of a memory, or none that can be used."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}; nothing was imported")
        self.line = line
        self.reason = reason


class ImportConflict(MemoryAppError):
    """The memory has something else under the number of what is to be imported."""

    def __init__(self, what: str, number: int) -> None:
        super().__init__(
            f"{what} {number} is another one here: an export is imported into a new memory, or into"
            " the one that it came from; nothing was imported"
        )
        self.what = what
        self.number = number
