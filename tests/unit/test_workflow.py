"""Workflows before they run: what is checked, what is drawn, what is made of them."""

from __future__ import annotations

from typing import Any

import pytest

import leasehold as lh
from leasehold.errors import BadOption, BadWorkflow
from leasehold.id_source import IdSource
from leasehold.model.drawing import Node, draw, escape, in_order
from leasehold.model.needs import Needs
from leasehold.model.states import State


@lh.task(name="fetch")
def fetch(url: str = "") -> str:
    return url


@lh.task(name="parse")
def parse() -> None: ...


@lh.task(name="report")
def report() -> None: ...


def three() -> lh.Workflow:
    flow = lh.Workflow("three")
    first = flow.add(fetch.call("a"))
    second = flow.add(parse.call(), after=first)
    flow.add(report.call(), after=[first, second], even_if_failed=True)
    return flow


def needs_of(flow: lh.Workflow) -> dict[str, set[str]]:
    plan = flow.plan(IdSource())
    names = {job_id: name for name, job_id in plan.ids.items()}
    return {
        names[job.id]: set() if job.needs is None else {names[each] for each in job.needs.jobs}
        for job in plan.jobs
    }


def test_a_step_waits_for_those_it_names() -> None:
    assert needs_of(three()) == {
        "fetch": set(),
        "parse": {"fetch"},
        "report": {"fetch", "parse"},
    }


def test_a_job_has_a_greater_id_than_those_it_waits_for() -> None:
    flow = lh.Workflow("backwards")
    flow.add(report.call(), after="parse")
    flow.add(parse.call(), after="fetch")
    flow.add(fetch.call())
    plan = flow.plan(IdSource())
    assert list(plan.ids) == ["report", "parse", "fetch"]
    assert [job.kind for job in plan.jobs] == ["fetch", "parse", "report"]
    assert plan.ids["fetch"] < plan.ids["parse"] < plan.ids["report"]


def test_a_chain_runs_one_after_the_other_and_a_fan_beside_each_other() -> None:
    flow = lh.Workflow("both")
    chain = flow.chain(fetch.call(), parse.call())
    fan = flow.fan_out([fetch.call(), fetch.call()], after=chain[-1])
    flow.add(report.call(), after=fan)
    assert needs_of(flow) == {
        "fetch": set(),
        "parse": {"fetch"},
        "fetch 2": {"parse"},
        "fetch 3": {"parse"},
        "report": {"fetch 2", "fetch 3"},
    }


def test_options_of_the_task_hold_for_its_step() -> None:
    outside = IdSource().next()
    flow = lh.Workflow("options")
    first = flow.add(fetch.with_options(queue="net", priority=3).call())
    flow.add(parse.with_options(after=outside).call(), after=first, after_any=True)
    jobs = flow.plan(IdSource()).jobs
    assert (jobs[0].queue, jobs[0].priority) == ("net", 3)
    assert jobs[1].needs == Needs(jobs=(outside, jobs[0].id), any=True)


def test_names_are_given_once() -> None:
    flow = lh.Workflow("names")
    flow.add(fetch.call(), name="one")
    with pytest.raises(BadOption, match="already"):
        flow.add(fetch.call(), name="one")
    assert flow["one"].call.task is fetch
    assert len(flow) == 1


@pytest.mark.parametrize("bad", [fetch, "fetch", None])
def test_only_calls_are_steps(bad: Any) -> None:
    with pytest.raises(BadOption, match=r"task\.call"):
        lh.Workflow("calls").add(bad)


def test_how_to_wait_needs_somebody_to_wait_for() -> None:
    with pytest.raises(BadOption, match="say for whom"):
        lh.Workflow("alone").add(fetch.call(), even_if_failed=True)


# -- checks ----------------------------------------------------------------------------------------
def test_a_circle_is_named() -> None:
    flow = lh.Workflow("circle")
    flow.add(fetch.call(), name="start")
    flow.add(fetch.call(), name="a", after=["start", "c"])
    flow.add(fetch.call(), name="b", after="a")
    flow.add(fetch.call(), name="c", after="b")
    flow.add(fetch.call(), name="end", after="c")
    with pytest.raises(BadWorkflow) as caught:
        flow.check()
    (fault,) = caught.value.faults
    assert fault.removeprefix("steps wait for each other: ") in {
        "a after c after b after a",
        "b after a after c after b",
        "c after b after a after c",
    }


def test_a_step_can_not_wait_for_itself() -> None:
    flow = lh.Workflow("self")
    flow.add(fetch.call(), name="a", after="a")
    with pytest.raises(BadWorkflow, match="a after a"):
        flow.check()


def test_a_missing_step_and_one_of_another_workflow_are_named() -> None:
    flow = lh.Workflow("links")
    flow.add(fetch.call(), after=[three()["parse"], "nobody"])
    with pytest.raises(BadWorkflow) as caught:
        flow.check()
    assert caught.value.faults == (
        "step 'fetch' waits for <Step parse of three>, which is another workflow's",
        "step 'fetch' waits for 'nobody', and there is no such step",
    )


def test_a_missing_task_is_named() -> None:
    three().check([fetch, parse, report])
    three().check()
    with pytest.raises(BadWorkflow, match="no task named 'report' is known"):
        three().check(lh.Registry([fetch, parse]))


def test_a_step_with_a_key_is_refused_since_it_may_not_be_made() -> None:
    flow = lh.Workflow("keyed")
    flow.add(fetch.with_options(key="k").call())
    with pytest.raises(BadWorkflow, match="has a key"):
        flow.check()


def test_a_workflow_without_steps_is_refused() -> None:
    with pytest.raises(BadWorkflow, match="no steps"):
        lh.Workflow("empty").plan(IdSource())


# -- drawings --------------------------------------------------------------------------------------
def test_a_workflow_draws_itself() -> None:
    assert three().mermaid() == (
        "flowchart TD\n"
        '    s1["fetch"]\n'
        '    s2["parse"]\n'
        '    s3["report"]\n'
        "    s1 --> s2\n"
        "    s1 -.->|even if failed| s3\n"
        "    s2 -.->|even if failed| s3\n"
    )


def test_many_alike_are_drawn_as_one() -> None:
    flow = lh.Workflow("wide")
    first = flow.add(fetch.call())
    fan = flow.fan_out([parse.call() for _ in range(1_000)], after=first)
    own = [flow.add(fetch.call(), after=each) for each in fan]
    flow.add(report.call(), after=own, after_any=True)
    assert flow.mermaid() == (
        "flowchart TD\n"
        '    s1["fetch"]\n'
        '    s2["parse × 1,000"]\n'  # noqa: RUF001
        '    s3["fetch × 1,000"]\n'  # noqa: RUF001
        '    s4["report"]\n'
        "    s1 --> s2\n"
        "    s2 --> s3\n"
        "    s3 -->|any| s4\n"
    )
    assert len(flow.mermaid(fold_above=1_000).splitlines()) > 4_000


def test_states_are_colours_and_counts() -> None:
    states = [State.SUCCEEDED] * 6 + [State.DEAD] * 2
    nodes = [Node(key="a", label="a", kind="a", state=State.RUNNING)] + [
        Node(key=number, label=str(number), kind="b", needs=("a",), state=state)
        for number, state in enumerate(states)
    ]
    text = draw(nodes)
    assert 's2["b × 8<br/>2 dead, 6 succeeded"]' in text  # noqa: RUF001
    assert "    class s1 running\n    class s2 dead\n" in text
    assert text.count("classDef") == 2


@pytest.mark.parametrize(
    "hostile",
    ['a"]; click s1 "javascript:alert(1)"', "<script>", "`x`", "a\nb", "#quot;", "%%{init}%%"],
)
def test_no_label_is_read_as_anything_but_text(hostile: str) -> None:
    flow = lh.Workflow("hostile")
    flow.add(lh.task(name=hostile.replace("\n", " "))(lambda: None).call(), name=None)
    text = draw([Node(key=1, label=hostile, kind=hostile)])
    label = text.removeprefix('flowchart TD\n    s1["').removesuffix('"]\n')
    assert not set(label) & set('"<>`[](){}%&\n')
    assert text.count("\n") == 2


def test_plain_words_are_left_as_they_are() -> None:
    assert escape("shop.tasks:send-invoice 7 ü") == "shop.tasks:send-invoice 7 ü"


def test_nodes_are_put_behind_what_they_need() -> None:
    nodes = [
        Node(key=3, label="c", kind="k", needs=(2,)),
        Node(key=2, label="b", kind="k", needs=(1, 99)),
        Node(key=1, label="a", kind="k"),
        Node(key=8, label="x", kind="k", needs=(9,)),
        Node(key=9, label="y", kind="k", needs=(8,)),
    ]
    assert [node.key for node in in_order(nodes)] == [1, 2, 3, 8, 9]
    assert draw(in_order(nodes)).startswith("flowchart TD")
