"""The public API: what is exported is what the documentation of the module says, and every name can be had."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import soid


def test_every_exported_name_is_there() -> None:
    for name in soid.__all__:
        assert getattr(soid, name) is not None


def test_types_are_told_to_checkers_from_the_same_places() -> None:
    tree = ast.parse(Path(soid.__file__).read_text(encoding="utf-8"))
    imported = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("soid."):
            for alias in node.names:
                imported[alias.asname or alias.name] = getattr(importlib.import_module(str(node.module)), alias.name)
    assert imported == {name: getattr(soid, name) for name in soid.__all__}


def test_importing_soid_loads_nothing_heavy() -> None:
    heavy = "{'z3', 'cvc5', 'bitwuzla', 'lark', 'rich'}"
    script = f"import soid, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_way_in_is_open() -> None:
    assert soid.open == soid.Project.open and "open" not in soid.__all__  # a star import leaves Python's own alone


def test_what_a_notebook_shows_is_one_line(tmp_path: Path) -> None:
    project = soid.open(soid.example("microwave"))
    v = project.variables
    asked = soid.might(v.action == "CANCEL").given(v.heat.anything())
    answer = project.ask(asked)
    with soid.Case.create(tmp_path / "oven.case", soid.example("microwave")) as case:
        shown: list[object] = [asked, answer, answer.witness, project, project.trace, project.keyframe, case]
        shown += [v, v.heat, project.map(v.heat.anything()), project.explain(asked)]
        lines = [repr(each) for each in shown]
    assert [line for line in lines if "\n" in line or len(line) > 240] == []
    assert lines[0] == "Query('might action == CANCEL if heat is anything')"
    assert lines[2] == "Witness(heat: true -> false)"


def test_a_slip_is_told() -> None:
    project = soid.open(soid.example("microwave"))
    with pytest.raises(soid.SoidError, match="5 is no question"):
        project.ask(5)  # type: ignore[arg-type]
