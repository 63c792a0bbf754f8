"""Jobs as they are asked for and answered."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BeforeValidator, Field

from leasehold.model.causes import Reason
from leasehold.model.states import State
from leasehold.option_readers import ATTEMPTS_LIMIT
from leasehold.web.api.callbacks import CallbackRequest
from leasehold.web.api.values import (
    Amount,
    By,
    Command,
    Document,
    Duration,
    Flag,
    Id,
    Json,
    Moment,
    Name,
    Priority,
    Tenant,
    Whole,
)

# 63 bits: JavaScript would round them as a number.
WorkerNumber = Annotated[str, BeforeValidator(str)]
_UNIQUE_FOR = r"^(live|ever|([0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h|d|w))+)$"
_MOST_AFTER = 1_000


class JobWords(Command):
    """What to enqueue. What is left out is as its task says, else the library's default."""

    kind: Name = Field(description="The task's name.")
    args: Json = Field(default={}, description="The handler's arguments, by name.")
    queue: Name | None = None
    priority: Priority | None = Field(default=None, description="Higher runs first.")
    max_attempts: Annotated[Whole, Field(ge=1, le=ATTEMPTS_LIMIT)] | None = None
    timeout: Duration | None = Field(default=None, description="The longest run of one attempt.")
    delay: Duration | None = Field(default=None, description="Not before this time from now.")
    batch: Id | None = Field(default=None, description="The batch that it is to be a member of.")
    created_by: By = None
    encrypted: bool = Field(
        default=False, description="Whether its arguments and results stand encrypted."
    )
    throttle: Name | None = Field(
        default=None, description="What limits it, like `domain:example.org`."
    )
    share: Name | None = Field(default=None, description="Whose turn it counts as, like `user:7`.")
    cost: Amount | None = Field(default=None, description="What it spends of its throttle's rate.")
    key: Name | None = Field(
        default=None, description="Not twice while a job of this key is alive."
    )
    on_duplicate: Literal["skip", "replace", "debounce", "latest"] | None = None
    unique_for: Annotated[str, Field(strict=True, max_length=40, pattern=_UNIQUE_FOR)] | None = (
        Field(default=None, description="How long the key is remembered: `live`, `ever`, `1d`.")
    )
    cooldown: Duration | None = None
    max_wait: Duration | None = None
    after: list[Id] | None = Field(
        default=None, max_length=_MOST_AFTER, description="It waits until they have succeeded."
    )
    after_any: Flag | None = Field(default=None, description="… one of them is enough.")
    even_if_failed: Flag | None = Field(default=None, description="… any end of theirs is.")


class JobRequest(JobWords):
    """One job to enqueue."""

    model_config = Command.model_config | {
        "json_schema_extra": {
            "examples": [
                {"kind": "shop.tasks.send_invoice", "args": {"invoice_id": 7}, "queue": "mail"},
                {
                    "kind": "links.enrich",
                    "args": {"link_id": 7},
                    "id": "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5",
                    "key": "link:7",
                    "delay": "5m",
                },
            ]
        }
    }

    run_at: Moment | None = Field(default=None, description="Not before; instead of `delay`.")
    id: Id | None = Field(
        default=None, description="The same id, kind and arguments again is the same job."
    )
    tenant: Tenant = ""
    on_end: CallbackRequest | None = Field(
        default=None, description="A job to make when this one has ended, however that was."
    )


class Enqueued(Document):
    """The job that stands, and whether this call made it."""

    id: UUID
    is_new: bool
    held: str | None = Field(description="Why none was made: another one has its key.")
    held_until: datetime | None
    replaced: UUID | None = Field(description="The job whose place it has.")
    behind: UUID | None = Field(description="The running job of its key that it waits for.")


class Needs(Document):
    """The jobs that must have ended before."""

    jobs: tuple[UUID, ...]
    any: bool
    even_if_failed: bool


class Job(Document):
    """One job as it stands."""

    id: UUID
    tenant: str
    queue: str
    kind: str
    args: Json
    state: State
    priority: int
    attempt: int = Field(description="The number of its last or present attempt.")
    failures: int = Field(description="The attempts that count against `max_attempts`.")
    lapses: int
    max_attempts: int
    timeout_seconds: float
    run_at: datetime | None
    worker: WorkerNumber | None
    worker_name: str | None
    claimed_at: datetime | None
    lease_until: datetime | None
    cancel_requested: bool
    batch: UUID | None
    lane: str | None = Field(description="The key of its throttle.")
    share: str | None
    cost: float | None
    started_at: datetime | None
    finished_at: datetime | None
    result: Any
    error: str | None
    created_by: str | None
    created_at: datetime
    key: str | None
    needs: Needs | None


class JobPage(Document):
    """Jobs, newest first. `next` is the `before` of the next page; null on the last one."""

    jobs: list[Job]
    next: UUID | None


class Attempt(Document):
    """One ended attempt."""

    attempt: int
    outcome: str
    fence: int | None
    worker: WorkerNumber | None
    worker_name: str | None
    started_at: datetime | None
    finished_at: datetime
    result: Any
    error: str | None
    traceback: str | None


class Checkpoint(Document):
    """What a job has saved last: where it goes on, and how far it is."""

    cursor: Any
    done: float | None
    total: float | None
    note: str | None
    saved_at: datetime


class Step(Document):
    """A step that has been done, and what it returned."""

    name: str
    result: Any
    done_at: datetime


class Cause(Document):
    """One thing that keeps a job from running."""

    reason: Reason
    text: str
    advice: str
    until: datetime | None
    jobs: tuple[UUID, ...]


class Why(Document):
    """Why a job does not run now, in a sentence, with advice."""

    job_id: UUID
    state: str
    reason: Reason
    text: str
    advice: str
    until: datetime | None
    jobs: tuple[UUID, ...]
    also: tuple[Cause, ...] = Field(description="What holds it up, too.")


class JobDetail(Document):
    """All that is known of a job."""

    job: Job
    checkpoint: Checkpoint | None
    steps: list[Step]
    history: list[Attempt] = Field(description="Its ended attempts, oldest first.")
    why: Why


class JobState(Document):
    """A job's state after something was done to it."""

    id: UUID
    state: State
