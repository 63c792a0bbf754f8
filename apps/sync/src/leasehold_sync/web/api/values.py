"""The values that requests and answers are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from fastapi import Path
from pydantic import Field

from leasehold.kit.web import Document, a_line

JobStatus: TypeAlias = Literal["pending", "processing", "completed", "failed", "cancelled"]
Mode: TypeAlias = Literal["full", "incremental"]
ENDED = frozenset({"completed", "failed", "cancelled"})

Name: TypeAlias = Annotated[str, a_line(200)]
JobPath: TypeAlias = Annotated[UUID, Path(description="As `POST /sync` has answered it.")]


class Counts(Document):
    """What became of one resource. entity_count = created + updated + unchanged."""

    resource_type: str = Field(examples=["customers"])
    status: JobStatus
    entity_count: int
    created: int
    updated: int
    unchanged: int
    deleted: int
    started_at: datetime | None
    completed_at: datetime | None
    error_message: str | None
    note: str | None = Field(description="Why nothing was deleted, where that is not as usual.")


class Task(Counts):
    """One resource of a sync."""

    id: UUID
    job_id: UUID
    created_at: datetime
    snoozed_until: datetime | None = Field(description="The source asked for patience until then.")
    snooze_reason: str | None = Field(examples=["rate limited"])


def is_over(job: dict[str, Any]) -> bool:
    """Whether nothing will change any more: a cancelled job's tasks may run for a moment yet."""
    return {job["status"], *(task["status"] for task in job["tasks"])} <= ENDED


class SyncJob(Document):
    """How a sync stands. Counters are sums over its tasks."""

    id: UUID
    app_key: str = Field(examples=["stripe_main"])
    mode: Mode
    resource_types: list[str]
    status: JobStatus
    total_tasks: int
    completed_tasks: int
    failed_tasks: int
    processed_entities: int
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    error_message: str | None
    progress: float = Field(ge=0, le=100, description="Completed of all tasks, in %.")
    tasks: list[Task]
