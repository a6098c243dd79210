"""No page names what is typed at a terminal, and whatever is wrong is told in sentences."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import soid
from soid.allowance import MORE_MEMORY, MORE_TIME
from soid.case.validity import LISTED
from soid.errors import CaseError, QueryError
from soid.surface import Surface, using
from soid.web.page.told_error import in_sentences, told_error
from soid.web.work.job import Trouble

SOURCES = Path(soid.__file__).parent
#: what no page reaches
ELSEWHERE = ("cli", "bench", "sweep", "proposal")


def remedies() -> set[str]:
    """The second texts of all errors that the sources raise, and the advice that a page takes from commands."""
    found = set()
    for file in SOURCES.rglob("*.py"):
        if file.relative_to(SOURCES).parts[0] in ELSEWHERE:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
                found |= {each.value for each in node.args[1:2] if isinstance(each, ast.Constant)}
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Advice":
                found |= {each.value.value for each in node.keywords if isinstance(each.value, ast.Constant)}
    return {each for each in found if isinstance(each, str)}


def test_no_remedy_on_a_page_names_a_command() -> None:
    known = remedies()
    for surface in (Surface.COMMAND, Surface.PAGE):
        with using(surface):
            known |= {str(LISTED), str(MORE_TIME), str(MORE_MEMORY)}
    named = {each for each in known if "`soid " in each or "pip install" in each or re.search(r"(^|\s)--[a-z]", each)}
    assert len(named) > 10
    for each in known:
        told = in_sentences("it is so", each).remedy
        assert not any(each in told for each in ("`soid ", "--", "pip ")) and "terminal" not in told, told
        assert told if each else not told, each
        if each not in named:
            assert told == each


def test_causes_are_sentences() -> None:
    assert str(told_error(CaseError("there is no case oven", "Look."))) == "There is no case oven. Look."
    assert told_error(Trouble("TooLong", "it took longer than 90 s, and was stopped", "")).cause.endswith("stopped.")
    assert in_sentences("oven.c:3 includes x.h", "").cause == "oven.c:3 includes x.h."  # a file keeps its name
    drawn = "expected a value\n  would x\n        ^"
    assert told_error(QueryError(drawn, "")).cause == f"E{drawn[1:]}"
