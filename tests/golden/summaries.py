"""A PathSummary as text that a person can review."""

from __future__ import annotations

from soid.engine.summary import Path, PathSummary
from soid.formula.build import TRUE
from soid.formula.term import Term
from soid.formula.term_text import reading
from soid.program.interface import Interface
from soid.program.types import VariableType, show


def summary_text(interface: Interface, summary: PathSummary) -> str:
    """Each path: when it is taken, how it ends, and what it gives."""
    blocks = [_path_text(interface, path) for path in summary.paths]
    rests = [f"relies on: {line}" for line in summary.relies_on]
    return "\n\n".join([*blocks, *rests]) + "\n"


def _path_text(interface: Interface, path: Path) -> str:
    lines = [f"path {path.name}", f"  when {reading(path.condition)}", f"  {path.ending}"]
    for name, value in path.outputs.items():
        kind = interface.variable(name.removesuffix("'")).type
        where = "" if value.defined is TRUE else f"   where {reading(value.defined)}"
        lines.append(f"    {name} = {_value_text(kind, value.term)}{where}")
    return "\n".join(lines)


def _value_text(kind: VariableType, term: Term) -> str:
    return show(kind, int(term.value)) if term.is_const else reading(term)
