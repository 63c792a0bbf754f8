"""Draws jobs that wait for each other as a Mermaid flowchart, many alike as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

import msgspec

from leasehold.model.states import State

FOLD_ABOVE = 5  # more than so many of one kind, after the same ones, are drawn as one
UNKNOWN = "gone"
# In the order in which one of them says more about a group than the others.
_TELLING = (
    State.DEAD,
    State.FAILED,
    State.RUNNING,
    State.CANCELLED,
    State.QUEUED,
    State.BLOCKED,
    State.SUCCEEDED,
)
_COLOURS = {
    State.QUEUED: "fill:#e8f0fe,stroke:#4477aa",
    State.BLOCKED: "fill:#f2f2f2,stroke:#888888,stroke-dasharray:4",
    State.RUNNING: "fill:#cfe8ff,stroke:#0055aa,stroke-width:3px",
    State.FAILED: "fill:#fff0d0,stroke:#cc8800",
    State.SUCCEEDED: "fill:#e0f5e0,stroke:#228833",
    State.DEAD: "fill:#fbdada,stroke:#cc2222,stroke-width:3px",
    State.CANCELLED: "fill:#eeeeee,stroke:#aa6666",
}


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One job to draw. `needs` are keys of other nodes; what is not among them is left out."""

    key: Hashable
    label: str
    kind: str
    needs: tuple[Hashable, ...] = ()
    any: bool = False
    even_if_failed: bool = False
    state: State | None = None  # None: it is only planned


class _Box(msgspec.Struct, frozen=True, kw_only=True):
    """What is drawn as one: a node, or many alike."""

    name: str
    nodes: list[Node]
    sources: list[str]


def draw(nodes: Sequence[Node], *, fold_above: int = FOLD_ABOVE) -> str:
    """Write the flowchart; nodes come in an order in which none stands before what it needs."""
    boxes = _boxes(nodes, fold_above)
    lines = ["flowchart TD"]
    lines += [f'    {box.name}["{_label(box.nodes)}"]' for box in boxes]
    for box in boxes:
        lines += [f"    {source} {_arrow(box.nodes[0])} {box.name}" for source in box.sources]
    return "\n".join([*lines, *_colours(boxes)]) + "\n"


def in_order(nodes: Iterable[Node]) -> list[Node]:
    """Put nodes behind those that they need; those of a circle come last, as they are."""
    left = {node.key: node for node in nodes}
    done: list[Node] = []
    while left:
        before = len(left)
        for node in list(left.values()):
            if left.keys().isdisjoint(node.needs):
                del left[node.key]
                done.append(node)
        if len(left) == before:
            return [*done, *left.values()]
    return done


def _boxes(nodes: Sequence[Node], fold_above: int) -> list[_Box]:
    """Put those together that are of one kind and need the same, level by level."""
    boxes: list[_Box] = []
    box_of: dict[Hashable, str] = {}
    for level in _levels(nodes):
        alike: dict[Hashable, list[Node]] = {}
        for node in level:
            sources = frozenset(box_of[each] for each in node.needs if each in box_of)
            kept = sources, node.kind, node.any, node.even_if_failed
            alike.setdefault(kept, []).append(node)
        for (sources, *_), members in alike.items():  # type: ignore[misc] # the key made above
            is_one = len(members) > fold_above
            for group in [members] if is_one else [[node] for node in members]:
                box = _Box(name=f"s{len(boxes) + 1}", nodes=group, sources=_sorted(sources))
                boxes.append(box)
                box_of.update((node.key, box.name) for node in group)
    return boxes


def _levels(nodes: Sequence[Node]) -> list[list[Node]]:
    depth: dict[Hashable, int] = {}
    levels: list[list[Node]] = []
    for node in nodes:
        level = max((depth[each] + 1 for each in node.needs if each in depth), default=0)
        depth[node.key] = level
        levels += [[]] if level == len(levels) else []
        levels[level].append(node)
    return levels


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: int(name[1:]))


def _label(nodes: Sequence[Node]) -> str:
    first = nodes[0]
    if len(nodes) == 1:
        return escape(first.label)
    states = _count(nodes)
    told = ", ".join(f"{count:,} {state}" for state, count in states.items())
    name = escape(first.kind.rpartition(".")[2])
    return f"{name} × {len(nodes):,}" + (f"<br/>{told}" if told else "")  # noqa: RUF001


def _count(nodes: Iterable[Node]) -> Mapping[State, int]:
    counts = Counter(node.state for node in nodes if node.state is not None)
    return {state: counts[state] for state in _TELLING if counts[state]}


def _arrow(node: Node) -> str:
    words = [*(["any"] if node.any else []), *(["even if failed"] if node.even_if_failed else [])]
    line = "-.->" if node.even_if_failed else "-->"
    return f"{line}|{', '.join(words)}|" if words else line


def _colours(boxes: Sequence[_Box]) -> list[str]:
    """Colour the boxes by the state that says most about them."""
    told = {box.name: next(iter(_count(box.nodes)), None) for box in boxes}
    used = [state for state in State if state in told.values()]
    lines = [f"    classDef {state} {_COLOURS[state]}" for state in used]
    for state in used:
        names = ",".join(name for name, each in told.items() if each is state)
        lines.append(f"    class {names} {state}")
    return lines


def escape(text: str) -> str:
    """Write any text so that Mermaid shows it and reads nothing else into it."""
    safe = "".join(each if each.isprintable() else " " for each in text)
    return "".join(f"#{ord(each)};" if each in _SPECIAL else each for each in safe)


_SPECIAL = frozenset('"#&;<>`\\[](){}|%')
