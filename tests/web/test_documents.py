"""The OpenAPI document is complete, and what is answered has all that the library knows."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

import pytest

from leasehold.client import Client
from leasehold.model import alerts as alert_values
from leasehold.model import batches as batch_values
from leasehold.model import causes, failures, keys, lanes, needs, saving, statistics, values, why
from leasehold.model import keeping as keep_values
from leasehold.model import schedules as schedule_values
from leasehold.options import JobOptions
from leasehold.task import Enqueued
from leasehold.web import create_app
from leasehold.web.api import (
    alerts,
    batches,
    job_documents,
    queues,
    retention,
    runs,
    schedules,
    stats,
    throttles,
    workers,
)
from leasehold.web.api import keys as key_documents
from leasehold.worker.report import Reason, Report

PAIRS: list[tuple[Any, Any, set[str]]] = [
    (values.Job, job_documents.Job, set()),
    (values.Attempt, job_documents.Attempt, set()),
    (needs.Needs, job_documents.Needs, set()),
    (saving.Checkpoint, job_documents.Checkpoint, set()),
    (saving.Step, job_documents.Step, set()),
    (causes.Cause, job_documents.Cause, set()),
    (why.Why, job_documents.Why, set()),
    (batch_values.BatchCounts, batches.BatchCounts, set()),
    (batch_values.BatchInfo, batches.Batch, {"progress"}),
    (
        lanes.QueueInfo,
        queues.Queue,
        {"ready", "blocked", "scheduled", "failed", "running", "parked"},
    ),
    (lanes.ThrottleInfo, throttles.Throttle, set()),
    (lanes.ShareInfo, throttles.Share, set()),
    (schedule_values.ScheduleInfo, schedules.Schedule, {"kind"}),
    (keep_values.Keep, retention.Keep, set()),
    (keep_values.Retention, retention.Retention, set()),
    (keys.KeyInfo, key_documents.Key, {"is_live"}),
    (values.WorkerInfo, workers.WorkerInfo, set()),
    (statistics.Depth, stats.Depth, set()),
    (statistics.RunTimes, stats.RunTimes, set()),
    (statistics.Activity, stats.Activity, set()),
    (statistics.Overview, stats.Overview, set()),
    (statistics.Point, stats.Point, set()),
    (failures.FailureGroup, stats.FailureGroup, set()),
    (alert_values.Alert, alerts.Alert, {"state", "text"}),
    (alert_values.Mute, alerts.Mute, set()),
]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return create_app(Client("sqlite:///never-opened.db")).openapi()


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


@pytest.mark.parametrize(
    ("value", "answer", "more"), PAIRS, ids=lambda each: getattr(each, "__name__", "")
)
def test_an_answer_has_all_fields_of_what_it_tells(value: Any, answer: Any, more: set[str]) -> None:
    assert set(answer.model_fields) == set(value.__struct_fields__) | more


def test_the_answers_to_an_enqueue_and_a_run_have_all_fields_too() -> None:
    told = {field.name for field in fields(Enqueued)} - {"task"}
    assert set(job_documents.Enqueued.model_fields) == told
    assert set(runs.RunReport.model_fields) == {field.name for field in fields(Report)}
    assert set(get_args(runs.RunReport.model_fields["reason"].annotation)) == set(Reason)


def test_a_job_can_be_asked_for_with_all_its_options() -> None:
    options = set(JobOptions.__annotations__)
    assert set(job_documents.JobRequest.model_fields) == options | {"kind", "args"}


def test_every_operation_has_a_name_and_words_of_its_own(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, operation in operations(document)]
    assert len(set(names)) == len(names)
    for name, operation in operations(document):
        assert operation["operationId"].isidentifier(), name
        assert operation["description"], name
        assert len(operation["tags"]) == 1, name


def test_every_answer_and_error_is_described(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        responses = operation["responses"]
        assert any(status.startswith("2") for status in responses), name
        for status, response in responses.items():
            assert response["description"], (name, status)
            if status >= "400":
                assert set(response["content"]) == {"application/problem+json"}, (name, status)
    for name, operation in operations(document):
        if name.split()[1].startswith("/api/"):
            assert {"400", "422", "500", "503"} <= set(operation["responses"]), name


def test_without_prometheus_client_there_are_no_metrics_and_all_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("leasehold.web.app.find_spec", lambda _name: None)
    paths = create_app(Client("sqlite:///never-opened.db")).openapi()["paths"]
    assert "/metrics" not in paths
    assert "/api/jobs" in paths


def test_the_pages_for_people_are_not_in_it(document: dict[str, Any]) -> None:
    roots = {path.split("/")[1] for path in document["paths"]}
    assert roots <= {"api", "health", "metrics", "worker"}
    assert "HTTPValidationError" not in document["components"]["schemas"]
