"""The public names are those in `__all__`, and each of them is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

import leasehold
from leasehold import errors


@pytest.mark.parametrize("name", leasehold.__all__)
def test_every_public_name_can_be_used(name: str) -> None:
    assert getattr(leasehold, name) is not None


def test_every_error_is_public() -> None:
    made = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    assert made == set(errors.__all__)
    assert made <= set(leasehold.__all__)


@pytest.mark.parametrize("name", errors.__all__)
def test_an_error_is_shown_by_its_public_place(name: str) -> None:
    kind = getattr(errors, name)
    assert (kind.__module__, kind.__qualname__) == ("leasehold.errors", name)


def test_the_names_are_listed_once() -> None:
    assert sorted(leasehold.__all__) == sorted(set(leasehold.__all__))
    assert dir(leasehold) == sorted(leasehold.__all__)  # ruff keeps them in order: constants first


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Klient'"):
        leasehold.Klient  # type: ignore[attr-defined] # noqa: B018 - wrong on purpose


def test_task_stays_the_decorator_whatever_is_imported_first() -> None:
    # The module leasehold.task has the same name, and the import system sets it on the package.
    code = (
        "import leasehold.client, leasehold.task\nassert callable(leasehold.task), leasehold.task"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
