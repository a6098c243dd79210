"""soid puts decision programs on the stand: did, would and might questions, answered with proof.

>>> import soid
>>> case = soid.Project.open(soid.example("microwave"))
>>> answer = case.ask("would action == CANCEL if error == true and closed == true and heat is anything")
>>> answer.verdict
<Verdict.YES: 'yes'>

Everything below is the public API; it is loaded when it is first used, so that `import soid` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from soid.budget import Budget, Cancellation
    from soid.case.abstraction import Abstraction
    from soid.case.case import Case
    from soid.case.project import Project
    from soid.case.record.entry import Entry
    from soid.errors import SoidError
    from soid.examples import folder as example
    from soid.explanation.explanation import Explanation
    from soid.mapping.decision_map import DecisionMap
    from soid.oracle.answer import Answer, Verdict
    from soid.oracle.inquiry import QuestionProgress, Settings
    from soid.program.interface import Interface, Role, Variable
    from soid.program.program import Program
    from soid.query.language.query_parser import parse
    from soid.query.language.query_printer import to_text
    from soid.query.python import after, decides, fact, fails, throughout, within
    from soid.query.query import Query, QueryKind
    from soid.query.steps import Steps
    from soid.query.words import sentence
    from soid.scenario.trace import Keyframe, Step, Trace
    from soid.scenario.trace import read as read_trace
    from soid.solver.chain import chain as solver_chain
    from soid.witness.witness import Change, Witness

__version__ = "0.1.0"

__all__ = [
    "Abstraction",
    "Answer",
    "Budget",
    "Cancellation",
    "Case",
    "Change",
    "DecisionMap",
    "Entry",
    "Explanation",
    "Interface",
    "Keyframe",
    "Program",
    "Project",
    "Query",
    "QueryKind",
    "QuestionProgress",
    "Role",
    "Settings",
    "SoidError",
    "Step",
    "Steps",
    "Trace",
    "Variable",
    "Verdict",
    "Witness",
    "after",
    "decides",
    "example",
    "fact",
    "fails",
    "parse",
    "read_trace",
    "sentence",
    "solver_chain",
    "throughout",
    "to_text",
    "within",
]

_HOME = {
    "Abstraction": "soid.case.abstraction",
    "Answer": "soid.oracle.answer",
    "Budget": "soid.budget",
    "Cancellation": "soid.budget",
    "Project": "soid.case.project",
    "Change": "soid.witness.witness",
    "DecisionMap": "soid.mapping.decision_map",
    "Entry": "soid.case.record.entry",
    "Explanation": "soid.explanation.explanation",
    "Interface": "soid.program.interface",
    "Case": "soid.case.case",
    "Keyframe": "soid.scenario.trace",
    "QueryKind": "soid.query.query",
    "Program": "soid.program.program",
    "QuestionProgress": "soid.oracle.inquiry",
    "Query": "soid.query.query",
    "Role": "soid.program.interface",
    "Settings": "soid.oracle.inquiry",
    "SoidError": "soid.errors",
    "Step": "soid.scenario.trace",
    "Steps": "soid.query.steps",
    "Trace": "soid.scenario.trace",
    "Variable": "soid.program.interface",
    "Verdict": "soid.oracle.answer",
    "Witness": "soid.witness.witness",
    "after": "soid.query.python",
    "decides": "soid.query.python",
    "example": "soid.examples:folder",
    "fact": "soid.query.python",
    "fails": "soid.query.python",
    "parse": "soid.query.language.query_parser",
    "read_trace": "soid.scenario.trace:read",
    "sentence": "soid.query.words",
    "solver_chain": "soid.solver.chain:chain",
    "throughout": "soid.query.python",
    "to_text": "soid.query.language.query_printer",
    "within": "soid.query.python",
}


def __getattr__(name: str) -> Any:
    """Load a name of the public API from the module that it lives in."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'soid' has no attribute {name!r}")
    module, _, attribute = home.partition(":")
    return getattr(importlib.import_module(module), attribute or name)
