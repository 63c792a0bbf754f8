"""Workflows: jobs that wait for each other, put together, checked and drawn before they run.

flow = lh.Workflow("import")
pages = flow.fan_out(fetch.call(url) for url in urls)
report = flow.add(summarise.call(), after=pages)
flow.add(tidy_up.call(), after=report, even_if_failed=True)
started = client.start(flow)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from leasehold.checking import check_name
from leasehold.errors import BadOption, BadWorkflow
from leasehold.model.drawing import FOLD_ABOVE, Node, draw, in_order
from leasehold.model.needs import Needs
from leasehold.registry import Registry
from leasehold.task import Call, Task

if TYPE_CHECKING:
    from leasehold.id_source import IdSource
    from leasehold.model.ids import JobId
    from leasehold.model.values import Job, NewJob


@dataclass(frozen=True, slots=True, eq=False)
class WorkflowStep:
    """One job of a workflow. Others wait for it by `after=step`, or by its name."""

    flow: Workflow
    name: str
    call: Call
    after: tuple[WorkflowStep | str, ...] = ()
    after_any: bool = False
    even_if_failed: bool = False

    def __repr__(self) -> str:
        return f"<Step {self.name} of {self.flow.name}>"


After: TypeAlias = WorkflowStep | str | Iterable[WorkflowStep | str]


class Workflow:
    """Steps that wait for each other. Nothing is written before `client.start(flow)`."""

    def __init__(self, name: str) -> None:
        self.name = check_name("name", name)
        self._steps: dict[str, WorkflowStep] = {}

    def __iter__(self) -> Iterator[WorkflowStep]:
        return iter(self._steps.values())

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, name: str) -> WorkflowStep:
        return self._steps[name]

    def add(
        self,
        call: Call,
        *,
        after: After = (),
        name: str | None = None,
        after_any: bool = False,
        even_if_failed: bool = False,
    ) -> WorkflowStep:
        """Add a step, `task.call(...)`, that runs when those before it have succeeded.

        With `after_any` one of them is enough, with `even_if_failed` any end of theirs is. `after`
        takes steps and names, also of steps that are added later. Options go on the task.
        """
        if not isinstance(call, Call):
            raise BadOption(f"add: {call!r} is no call of a task; write task.call(...)")
        before = (after,) if isinstance(after, (WorkflowStep, str)) else tuple(after)
        if not before and (after_any or even_if_failed):
            raise BadOption("after_any and even_if_failed say how to wait: say for whom with after")
        step = WorkflowStep(self, self._name(name, call), call, before, after_any, even_if_failed)
        self._steps[step.name] = step
        return step

    def chain(self, *calls: Call, after: After = ()) -> list[WorkflowStep]:
        """Add steps that run one after the other; the first one after these."""
        steps: list[WorkflowStep] = []
        for call in calls:
            steps.append(self.add(call, after=steps[-1] if steps else after))
        return steps

    def fan_out(self, calls: Iterable[Call], *, after: After = ()) -> list[WorkflowStep]:
        """Add steps that run beside each other. What has to wait for all: add(…, after=them)."""
        before = after if isinstance(after, (WorkflowStep, str)) else tuple(after)
        return [self.add(call, after=before) for call in calls]

    def check(self, tasks: Registry | Iterable[Task[..., Any]] | ModuleType | None = None) -> None:
        """Raise `BadWorkflow`, which names all that is wrong; without tasks, but for those."""
        known = tasks if tasks is None or isinstance(tasks, Registry) else Registry(tasks)
        faults = [*self._broken_links(), *self._keyed_steps()]
        faults += [] if faults else self._circles()
        if known is not None:
            kinds = dict.fromkeys(step.call.task.name for step in self)
            faults += [f"no task named {kind!r} is known" for kind in kinds if kind not in known]
        if not self._steps:
            faults.append("it has no steps")
        if faults:
            raise BadWorkflow(self.name, faults)

    def mermaid(self, *, fold_above: int = FOLD_ABOVE) -> str:
        """Draw it as a Mermaid flowchart; many of one kind after the same steps as one box."""
        self.check()
        return draw([_node(self, step) for step in self._in_order()], fold_above=fold_above)

    def plan(self, ids: IdSource, *, batch: JobId | None = None) -> Plan:
        """Make the jobs, each with a greater id than those that it waits for.

        As members of a batch they must be of one tenant.
        """
        self.check()
        steps = self._in_order()
        fresh = dict(zip((step.name for step in steps), ids.take(len(steps)), strict=True))
        named = {step.name: step.call.task.options.job_id or fresh[step.name] for step in steps}
        jobs = [self._job(step, named, batch) for step in steps]
        if batch is not None and len({job.tenant for job in jobs}) > 1:
            raise BadWorkflow(self.name, ["its steps are of several tenants"])
        return Plan(self.name, {step.name: named[step.name] for step in self}, jobs)

    def before(self, step: WorkflowStep) -> list[WorkflowStep]:
        """List the steps that this one waits for."""
        return [self._steps[_name_of(each)] for each in step.after]

    def _job(self, step: WorkflowStep, named: dict[str, JobId], batch: JobId | None) -> NewJob:
        job = step.call.job(named[step.name])
        own = job.needs  # of the task's options: jobs outside of this workflow
        jobs = [*(own.jobs if own else ()), *(named[each.name] for each in self.before(step))]
        needs = Needs(
            jobs=tuple(dict.fromkeys(jobs)),
            any=step.after_any or (own is not None and own.any),
            even_if_failed=step.even_if_failed or (own is not None and own.even_if_failed),
        )
        return msgspec.structs.replace(job, needs=needs if jobs else None, batch=job.batch or batch)

    def _name(self, name: str | None, call: Call) -> str:
        if name is not None:
            if name in self._steps:
                raise BadOption(f"name: there is a step {name!r} already in {self.name!r}")
            return check_name("name", name)
        short, number = call.task.name.rpartition(".")[2], 1
        while (made := short if number == 1 else f"{short} {number}") in self._steps:
            number += 1
        return made

    def _broken_links(self) -> Iterator[str]:
        for step in self:
            for each in step.after:
                if isinstance(each, WorkflowStep) and each.flow is not self:
                    yield f"step {step.name!r} waits for {each!r}, which is another workflow's"
                elif _name_of(each) not in self._steps:
                    yield f"step {step.name!r} waits for {each!r}, and there is no such step"

    def _keyed_steps(self) -> Iterator[str]:
        for step in self:
            words = step.call.task.options.key_words
            if words.key is not None or words.key_by is not None:
                yield f"step {step.name!r} has a key: if another job has that, it is not made, and "
                "what waits for it would wait in vain"

    def _circles(self) -> list[str]:
        """Find steps that wait for each other; one circle is named."""
        left = self._left_over()
        if not left:
            return []
        path = [left[0]]
        while path.count(path[-1]) == 1:
            path.append(next(each for each in self.before(path[-1]) if each in left))
        circle = path[path.index(path[-1]) :]
        return [f"steps wait for each other: {' after '.join(step.name for step in circle)}"]

    def _left_over(self) -> list[WorkflowStep]:
        done = set(self._in_order())
        return [step for step in self if step not in done]

    def _in_order(self) -> list[WorkflowStep]:
        """Put each step behind those that it waits for; what is in a circle is left out."""
        lacking = {step: len(set(self.before(step))) for step in self}
        following: dict[WorkflowStep, list[WorkflowStep]] = {step: [] for step in self}
        for step in self:
            for each in set(self.before(step)):
                following[each].append(step)
        ready = [step for step, count in lacking.items() if count == 0]
        for step in ready:  # it grows
            for each in following[step]:
                lacking[each] -= 1
                if lacking[each] == 0:
                    ready.append(each)
        return ready


@dataclass(frozen=True, slots=True)
class Plan:
    """The jobs of a workflow, to be written together."""

    name: str
    ids: dict[str, JobId]
    jobs: Sequence[NewJob]


@dataclass(frozen=True, slots=True)
class StartedWorkflow:
    """A workflow that was started: the ids of its jobs, by the names of their steps."""

    name: str
    ids: dict[str, JobId]
    batch: JobId | None = None

    def __getitem__(self, step: WorkflowStep | str) -> JobId:
        return self.ids[_name_of(step)]


def draw_jobs(
    jobs: Iterable[Job], names: Mapping[JobId, str], *, fold_above: int = FOLD_ABOVE
) -> str:
    """Draw jobs as they stand, by name where that is known, else by kind."""
    return draw(nodes_of(jobs, names), fold_above=fold_above)


def nodes_of(jobs: Iterable[Job], names: Mapping[JobId, str]) -> list[Node]:
    """Make nodes of jobs, each behind those that it waits for."""
    return in_order(_node_of(job, names) for job in sorted(jobs, key=lambda job: job.id))


def _node_of(job: Job, names: Mapping[JobId, str]) -> Node:
    needs = job.needs or Needs(jobs=())
    return Node(
        key=job.id,
        label=names.get(job.id, job.kind.rpartition(".")[2]),
        kind=job.kind,
        needs=needs.jobs,
        any=needs.any,
        even_if_failed=needs.even_if_failed,
        state=job.state,
    )


def _node(flow: Workflow, step: WorkflowStep) -> Node:
    return Node(
        key=step.name,
        label=step.name,
        kind=step.call.task.name,
        needs=tuple(each.name for each in flow.before(step)),
        any=step.after_any,
        even_if_failed=step.even_if_failed,
    )


def _name_of(step: WorkflowStep | str) -> str:
    return step if isinstance(step, str) else step.name
