"""Drawings: boxes stand apart, lines go from left to right and not through boxes."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from leasehold.model.drawing import Node, boxes_of, in_order
from leasehold.model.states import State
from leasehold.web.dashboard.drawing import HEIGHT, WIDTH, lay_out


@st.composite
def graphs(draw: st.DrawFn) -> list[Node]:
    size = draw(st.integers(1, 14))
    nodes = []
    for number in range(size):
        needs = draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else set()
        nodes.append(
            Node(
                key=UUID(int=number),
                label=f"step {number}",
                kind=draw(st.sampled_from(["a", "b"])),
                needs=tuple(UUID(int=each) for each in sorted(needs)),
                state=draw(st.sampled_from(list(State))),
            )
        )
    return in_order(nodes)


@given(graphs())
def test_boxes_stand_apart_and_inside_of_the_drawing(nodes: list[Node]) -> None:
    drawing = lay_out(boxes_of(nodes))
    assert sum(shape.amount for shape in drawing.shapes) == len(nodes)
    for number, shape in enumerate(drawing.shapes):
        assert 0 <= shape.x <= drawing.width - WIDTH
        assert 0 <= shape.y <= drawing.height - HEIGHT
        for other in drawing.shapes[number + 1 :]:
            apart = abs(shape.x - other.x) >= WIDTH or abs(shape.y - other.y) >= HEIGHT
            assert apart, (shape, other)


@given(graphs())
def test_each_need_has_its_line_from_left_to_right(nodes: list[Node]) -> None:
    boxes = boxes_of(nodes)
    drawing = lay_out(boxes)
    assert len(drawing.lines) == sum(len(box.sources) for box in boxes)
    for line in drawing.lines:
        start = float(line.path[1:].split(",")[0])
        end = float(line.path.split()[-1].split(",")[0])
        assert start < end
