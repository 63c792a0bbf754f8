"""`leasehold batches draw`: a workflow as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import leasehold as lh

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.cli.kit import Cli


@lh.task(name="shop.load")
def load(number: int) -> None: ...


@lh.task(name="shop.report")
def report() -> None: ...


def start(client: Client) -> str:
    flow = lh.Workflow("load")
    flow.add(report.call(), after=flow.fan_out([load.call(number) for number in range(7)]))
    return str(client.start(flow).batch)


def test_a_workflow_is_drawn_as_it_stands(cli: Cli, client: Client) -> None:
    drawn = cli("batches", "draw", start(client)).out
    assert drawn.startswith("flowchart TD\n")
    assert '    s1["load × 7<br/>7 queued"]\n    s2["report"]\n    s1 --> s2\n' in drawn  # noqa: RUF001
    assert drawn.endswith("    class s1 queued\n    class s2 blocked\n")


def test_more_boxes_can_be_had(cli: Cli, client: Client) -> None:
    batch = start(client)
    assert cli("batches", "draw", batch, "--fold-above", "7").out.count('["load"]') == 7
    assert cli("batches", "draw", batch, "--json").json()["mermaid"].startswith("flowchart TD")


def test_a_batch_that_is_not_there_is_not_drawn(cli: Cli) -> None:
    assert cli("batches", "draw", str(uuid4())).code == 3
