"""Errors: each class has a status and a type of its own, and nothing leaks."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from leasehold import errors
from leasehold.errors import LeaseholdError, StoreUnavailable, WrongState
from leasehold.web.problems import KINDS, make_problem, problem_of, type_of

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.web.kit import Service

ALL = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, LeaseholdError)
]


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_every_error_has_a_status_of_its_own(error: type[LeaseholdError]) -> None:
    assert 400 <= KINDS[error].status < 600


def test_types_are_stable_words() -> None:
    assert type_of(errors.JobNotFound) == "urn:leasehold:problem:job-not-found"
    assert len({type_of(each) for each in ALL}) == len(ALL)


def test_what_an_error_carries_is_told() -> None:
    job_id = uuid4()
    problem = problem_of(WrongState(job_id, "running", "delete"))
    assert problem.status == 409
    assert problem.about == {"job_id": str(job_id), "state": "running", "verb": "delete"}


def test_an_error_that_came_later_is_told_as_its_nearest_relative() -> None:
    class Newer(errors.StoreBusy):
        """Another kind of busy."""

    problem = problem_of(Newer("later"))
    assert (problem.status, problem.type) == (503, type_of(errors.StoreBusy))
    assert problem.headers == {"Retry-After": "1"}


def test_what_a_driver_says_of_a_database_stays_in_the_log() -> None:
    problem = problem_of(StoreUnavailable("no route to db.internal for user root"))
    assert "internal" not in problem.encode().decode()


def test_a_lone_surrogate_does_not_break_the_answer() -> None:
    problem = make_problem(422, "odd", "\ud800", about={"\udfff": ["\ud800", 1, None]})
    assert b"odd" in problem.encode()


def test_what_is_not_there_or_not_allowed_is_a_problem_too(service: Service) -> None:
    assert service.refused(404, "GET", "/api/nowhere")["instance"] == "/api/nowhere"
    answer = service.ask("DELETE", "/api/jobs")
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "POST"}


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"{", 422),
        (b"[]", 422),
        (b"", 422),
        (b"[" * 100_000, 400),
        (b'{"kind": "a", "priority": ' + b"9" * 5_000 + b"}", 400),
        (b'{"kind": "a", "cost": NaN}', 422),
        (b'{"kind": "a", "args": {"x": Infinity}}', 422),
        (b'{"kind": "\\ud800"}', 422),
        (b'{"\\ud800": 1, "kind": "a"}', 422),
        (b'{"kind": "a\\u0000"}', 422),
        (b'\xff\xfe{"kind": "a"}', 400),
    ],
)
def test_a_body_that_is_no_job_is_refused(
    service: Service, client: Client, content: bytes, status: int
) -> None:
    headers = {"content-type": "application/json"}
    assert service.refused(status, "POST", "/api/jobs", content=content, headers=headers)
    assert client.find() == []


def test_a_body_that_does_not_say_it_is_json_is_refused(service: Service) -> None:
    headers = {"content-type": "text/plain"}
    assert service.refused(422, "POST", "/api/jobs", content=b'{"kind": "a"}', headers=headers)


def test_a_value_that_is_refused_is_not_repeated(service: Service) -> None:
    answer = service.ask("POST", "/api/jobs", json={"kind": "a", "key": ["canary-secret"]})
    assert answer.status_code == 422
    assert "canary-secret" not in answer.text


def test_a_crash_tells_nothing_and_is_a_problem(
    service: Service, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash() -> None:
        raise RuntimeError("canary-secret")

    monkeypatch.setattr(client, "workers", crash)
    answer = service.ask("GET", "/api/workers")
    assert answer.status_code == 500
    assert "canary-secret" not in answer.text
