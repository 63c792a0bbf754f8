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


class Box(msgspec.Struct, frozen=True, kw_only=True):
    """What is drawn as one: a node, or many alike. `sources` are the names of others."""

    name: str
    nodes: list[Node]
    sources: list[str]
    level: int = 0  # how many stand before it, at most

    @property
    def label(self) -> str:
        """What is written on it: the node's own label, or the kind of many."""
        first = self.nodes[0]
        return first.label if len(self.nodes) == 1 else first.kind.rpartition(".")[2]

    @property
    def states(self) -> Mapping[State, int]:
        """How many are in which state, the most telling first."""
        counts = Counter(node.state for node in self.nodes if node.state is not None)
        return {state: counts[state] for state in _TELLING if counts[state]}

    @property
    def state(self) -> State | None:
        """The state that says most about it."""
        return next(iter(self.states), None)

    @property
    def condition(self) -> str:
        """What is written on the arrows to it."""
        first = self.nodes[0]
        words = ["any"] if first.any else []
        return ", ".join([*words, "even if failed"] if first.even_if_failed else words)


def draw(nodes: Sequence[Node], *, fold_above: int = FOLD_ABOVE) -> str:
    """Write the flowchart; nodes come in an order in which none stands before what it needs."""
    boxes = boxes_of(nodes, fold_above=fold_above)
    lines = ["flowchart TD"]
    lines += [f'    {box.name}["{_label(box)}"]' for box in boxes]
    for box in boxes:
        lines += [f"    {source} {_arrow(box)} {box.name}" for source in box.sources]
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


def boxes_of(nodes: Sequence[Node], *, fold_above: int = FOLD_ABOVE) -> list[Box]:
    """Put those together that are of one kind and need the same, level by level."""
    boxes: list[Box] = []
    box_of: dict[Hashable, str] = {}
    for depth, level in enumerate(_levels(nodes)):
        alike: dict[Hashable, list[Node]] = {}
        for node in level:
            sources = frozenset(box_of[each] for each in node.needs if each in box_of)
            kept = sources, node.kind, node.any, node.even_if_failed
            alike.setdefault(kept, []).append(node)
        for (sources, *_), members in alike.items():  # type: ignore[misc] # the key made above
            is_one = len(members) > fold_above
            for group in [members] if is_one else [[node] for node in members]:
                name = f"s{len(boxes) + 1}"
                box = Box(name=name, nodes=group, sources=_sorted(sources), level=depth)
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


def _label(box: Box) -> str:
    name = escape(box.label)
    if len(box.nodes) == 1:
        return name
    told = ", ".join(f"{count:,} {state}" for state, count in box.states.items())
    return f"{name} × {len(box.nodes):,}" + (f"<br/>{told}" if told else "")  # noqa: RUF001


def _arrow(box: Box) -> str:
    line = "-.->" if box.nodes[0].even_if_failed else "-->"
    return f"{line}|{box.condition}|" if box.condition else line


def _colours(boxes: Sequence[Box]) -> list[str]:
    """Colour the boxes by the state that says most about them."""
    told = {box.name: box.state for box in boxes}
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
