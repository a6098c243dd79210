"""The public API: what is exported is what the documentation of the module says, and every name can be had."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

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
