"""The page about tenants shows the rights as they are."""

from __future__ import annotations

import re
from pathlib import Path

from leasehold.store.postgres import rights

PAGE = Path(__file__).parents[2] / "docs/guides/tenancy.md"
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+)[^|]*\| ([^|]+) \|$", re.MULTILINE)


def test_the_matrix_of_rights_is_that_of_the_code() -> None:
    shown = {}
    for names, given in ROW.findall(
        PAGE.read_text("utf-8").partition("### What the app may do")[2]
    ):
        for name in re.findall(r"`(\w+)`", names):
            shown[name] = given.strip()
    for name, given in rights.APP.items():
        if name == "worker":
            assert "sees none" in shown[name]
            continue
        assert shown[name] == given.replace(rights.LOCK, "and to lock"), name
    none = {name for name, given in shown.items() if given == "none"}
    assert none <= rights.NOT_FOR_TENANTS
