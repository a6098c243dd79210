"""The behaviors that a page offers to ask about, as query text and in words."""

from __future__ import annotations

from soid.program.interface import Interface, Variable
from soid.program.types import BoolType, EnumType
from soid.query.words import called
from soid.scenario.expression_text import expression_text, path_text
from soid.scenario.trace import Keyframe
from soid.web.page.supposition_draft import label_node


def first_asked(keyframe: Keyframe) -> str:
    """The behavior that a new draft starts with: the first boolean decision or logged label; else `decides`."""
    for variable in keyframe.interface.decisions:
        if isinstance(variable.type, BoolType):
            return path_text(variable.path)
        if isinstance(variable.type, EnumType):
            logged = keyframe.decisions.get(variable.path)
            labels = [label for label, bits in variable.type.labels if logged in (None, bits)]
            if labels:
                return f"{path_text(variable.path)} == {expression_text(label_node(labels[0], keyframe.interface))}"
    return "decides"


def behaviors(interface: Interface) -> dict[str, str]:
    """Behaviors to choose from, in words by their query text: values of each decision, and how the program ends."""
    found = {text: words for variable in interface.decisions for text, words in _of(variable, interface)}
    return {**found, "decides": "come to a decision", "fails": "fail"}


def _of(variable: Variable, interface: Interface) -> list[tuple[str, str]]:
    path, said = path_text(variable.path), called(variable.path, interface)
    if isinstance(variable.type, BoolType):
        return [(path, f"{said}: yes"), (f"not {path}", f"{said}: no")]
    if isinstance(variable.type, EnumType):
        texts = [(label, expression_text(label_node(label, interface))) for label, _ in variable.type.labels]
        being = [(f"{path} == {text}", f"{said}: {label}") for label, text in texts]
        return being + [(f"{path} != {text}", f"{said}: not {label}") for label, text in texts]
    than = (("more than in fact", ">"), ("less than in fact", "<"), ("other than in fact", "!="))
    return [(f"{path} {sign} fact({path})", f"{said}: {words}") for words, sign in than]
