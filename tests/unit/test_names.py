"""Names of modules, classes and test files: one name for one thing, and a test is found from its module's name."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

UNIT: Final = Path(__file__).parent
PACKAGE: Final = UNIT.parents[1] / "src" / "soid"
MODULES: Final = [file for file in PACKAGE.rglob("*.py") if not file.name.startswith("__")]

#: file names that recur, and why
RECURRING: Final = {
    "protocol": "what an engine gives, and what a solver gives: one in each package",
    "story": "one in each example",
    "train": "one in each example that learns its program",
    "logs": "one in each example that makes its log",
}

#: modules that end in -ing and are named by a noun all the same
NOUNS: Final = {
    "encoding": "of a question as formulas",
    "finding": "of the oracle, which becomes an answer",
    "paving": "a set of boxes that covers a family; the word of interval analysis",
    "renaming": "of one program's variables, in a product of several",
}

#: test files that belong to no single module, and why
WITHOUT_MODULE: Final = {
    "test_api.py": "the names that the package exports",
    "test_browsing.py": "tests/browsing.py, which the tests of pages share",
    "test_json_schema.py": "docs/json.md, against the documents of all packages",
    "test_locked.py": "the files in locked/, against pyproject.toml",
    "test_names.py": "this file",
    "test_pages.py": "pages of docs/ and the checkout, against what they name",
}


def test_a_class_name_has_one_meaning() -> None:
    found = defaultdict(set)
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].add(str(file.relative_to(PACKAGE)))
    assert len(found) > 500
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


def test_a_module_s_file_name_recurs_only_with_a_reason() -> None:
    names = [file.stem for file in MODULES]
    assert {name for name in names if names.count(name) > 1} == RECURRING.keys()


def test_a_module_is_named_by_a_noun() -> None:
    assert {file.stem for file in MODULES if file.stem.endswith("ing")} == NOUNS.keys()


def module_of(test: Path) -> Path | None:
    """The module or package that a test file is named after: `test_trace.py`, `test_trace_errors.py` after `trace`."""
    folder, words = PACKAGE / test.parent.relative_to(UNIT), test.stem.split("_")[1:]
    for count in range(len(words), 0, -1):
        named = folder / "_".join(words[:count])
        if named.with_suffix(".py").is_file() or (named / "__init__.py").is_file():
            return named
    return None


def test_a_test_file_lies_where_its_module_does() -> None:
    tests = sorted(UNIT.rglob("test_*.py"))
    assert len(tests) > 150
    assert {str(test.relative_to(UNIT)) for test in tests if module_of(test) is None} == WITHOUT_MODULE.keys()
