"""A registry knows each kind once and looks kinds up, never imports them."""

from __future__ import annotations

from types import ModuleType

import pytest

from leasehold.errors import BadOption, DuplicateTask, UnknownTask
from leasehold.registry import Registry, collect
from leasehold.task import task


@task(name="mail.send")
def send() -> None: ...


@task(name="mail.receive")
def receive() -> None: ...


@task(name="mail.send")
def send_otherwise() -> None: ...


def make_module(**names: object) -> ModuleType:
    module = ModuleType("app.tasks")
    vars(module).update(names)
    return module


def test_a_task_is_found_by_its_kind() -> None:
    registry = Registry([send, receive])
    assert registry["mail.send"] is send
    assert registry.kinds == {"mail.send", "mail.receive"}
    assert ("mail.send" in registry, "os.system" in registry, len(registry)) == (True, False, 2)


def test_an_unknown_kind_is_an_error_that_names_it() -> None:
    with pytest.raises(UnknownTask, match=r"'os\.system'") as caught:
        Registry([send])["os.system"]
    assert caught.value.kind == "os.system"


def test_two_handlers_can_not_have_one_kind() -> None:
    with pytest.raises(DuplicateTask, match=r"'mail\.send'"):
        Registry([send, send_otherwise])


def test_the_same_task_twice_is_one_task() -> None:
    assert list(Registry([send, send])) == [send]


def test_a_variant_with_other_options_is_the_task_it_was_made_of() -> None:
    urgent = send.with_options(priority=9).with_options(queue="fast")
    assert list(Registry([urgent, send])) == [send]
    assert Registry([urgent])["mail.send"].options.priority == 0


def test_tasks_are_collected_from_a_module_each_once_in_order() -> None:
    module = make_module(b=receive, a=send, urgent=send.with_options(priority=9), x=1, f=len)
    assert collect(module) == [receive, send]
    assert list(Registry(module)) == [receive, send]


def test_what_is_not_a_task_is_refused() -> None:
    with pytest.raises(BadOption, match="decorate the function"):
        Registry([len])  # type: ignore[list-item] # wrong on purpose
