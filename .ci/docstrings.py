"""How the page about Python reads docstrings: an extension of griffe.

In soid's records a field has its meaning beside it, `step: int  # the moment`, or above it as `#: the moment`.
An example is a paragraph that begins with `>>>`, wherever it stands.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?m)^>>> (?:.+\n?)+")


class Docstrings(griffe.Extension):
    """Gives each field without a docstring its comments, and marks examples as code."""

    def on_attribute_instance(self, *, node: ast.AST | griffe.ObjectNode, attr: griffe.Attribute, **_: Any) -> None:
        if attr.docstring is None and isinstance(node, ast.AST) and attr.lineno is not None:
            lines = attr.lines_collection[attr.filepath]
            if text := _beside(lines, attr.lineno, attr.endlineno or attr.lineno) or _above(lines, attr.lineno):
                attr.docstring = griffe.Docstring(text[0].upper() + text[1:] + ".", parent=attr)

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = _EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


def _beside(lines: list[str], first: int, last: int) -> str:
    text = "\n".join(line.lstrip() for line in lines[first - 1 : last])
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except tokenize.TokenError:
        return ""
    return "; ".join(token.string.lstrip("#: ") for token in tokens if token.type == tokenize.COMMENT)


def _above(lines: list[str], first: int) -> str:
    found: list[str] = []
    for line in reversed(lines[: first - 1]):
        if not line.lstrip().startswith("#:") and not (found and line.lstrip().startswith("#")):
            break
        found.insert(0, line.strip().lstrip("#: "))
    return " ".join(found)
