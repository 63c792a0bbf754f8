"""Data never becomes code: what could make it so stands nowhere in the source, but where listed."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_SOURCE = Path(__file__).parents[2] / "src" / "leasehold"
_MODULES = frozenset(
    {
        *("pickle", "_pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "jsonpickle"),
        *("joblib", "yaml", "code", "codeop", "runpy", "imp", "xmlrpc", "xml", "pkgutil"),
    }
)
_CALLS = frozenset({"eval", "exec", "compile", "__import__", "execfile"})
_IMPORTERS = frozenset(
    {"import_module", "resolve_name", "spec_from_file_location", "exec_module", "load_module"}
)
_SHELLS = frozenset({"system", "popen", "getoutput", "getstatusoutput", "create_subprocess_shell"})

# Every place, and why it is no way for a job's data to become code.
LISTED = {
    ("__init__.py", "__getattr__", "import_module"): "our own modules, from a table",
    ("_child.py", "_tasks_of", "import_module"): "the module of a task that its worker registered",
    ("cli/loading.py", "load_tasks", "import_module"): "what the operator names: `work module`",
    ("cli/loading.py", "import_module", "import_module"): "the same",
    ("cli/watching.py", "_need", "import_module"): "our own modules, by option",
    ("web/applications.py", "_load", "load"): "entry points of installed packages",
}


class _Scan(ast.NodeVisitor):
    """Notes each use with the function that it stands in."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []
        self._functions = ["module"]

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._functions.append(node.name)
        self.generic_visit(node)
        self._functions.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - ast's own name

    def visit_Import(self, node: ast.Import) -> None:
        for each in node.names:
            self._note_module(each.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._note_module(node.module or "")

    def visit_Name(self, node: ast.Name) -> None:
        # A name that is only handed on can be called elsewhere.
        if node.id in _CALLS:
            self._note(node.id)

    def visit_Call(self, node: ast.Call) -> None:
        name = _name_of(node.func)
        is_entry_point = name == "load" and not node.args and not node.keywords
        if name in _IMPORTERS or is_entry_point:
            self._note(name)
        if name in _SHELLS or any(_is_shell(each) for each in node.keywords):
            self._note("shell")
        self.generic_visit(node)

    def _note_module(self, name: str) -> None:
        if name.split(".", maxsplit=1)[0] in _MODULES:
            self._note(name)

    def _note(self, what: str) -> None:
        self.found.append((self._functions[-1], what))


def _name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _is_shell(keyword: ast.keyword) -> bool:
    is_false = isinstance(keyword.value, ast.Constant) and not keyword.value.value
    return keyword.arg == "shell" and not is_false


def _scan(text: str) -> list[tuple[str, str]]:
    scan = _Scan()
    scan.visit(ast.parse(text))
    return scan.found


def _sources() -> Iterator[tuple[str, str]]:
    for path in sorted(_SOURCE.rglob("*.py")):
        yield path.relative_to(_SOURCE).as_posix(), path.read_text("utf-8")


def test_nothing_unpickles_evaluates_or_imports_by_name_but_where_listed() -> None:
    found = {(name, *use) for name, text in _sources() for use in _scan(text)}
    assert found == set(LISTED)


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from pickle import loads",
        "import xml.etree.ElementTree",
        "def f(x): return eval(x)",
        "run = exec",
        "__import__(name)",
        "import importlib; importlib.import_module(name)",
        "from importlib import import_module as i; import_module(name)",
        "point.load()",
        "import os; os.system(x)",
        "subprocess.run(x, shell=True)",
        "subprocess.run(x, shell=flag)",
        "async def f(): await asyncio.create_subprocess_shell(x)",
    ],
)
def test_the_scan_sees(text: str) -> None:
    assert _scan(text)


def test_every_answer_to_bandit_has_its_reason() -> None:
    """Beside it for ruff, or behind it: `# nosec B603  # why`."""
    pattern = re.compile(r"# noqa: [A-Z0-9, ]+ - \S.{4,}  # nosec B\d+$|# nosec B\d+  # \S.{4,}$")
    answers = [
        (name, line)
        for name, text in _sources()
        for line in text.splitlines()
        if "nosec" in line and not pattern.search(line)
    ]
    assert answers == []
