"""soid puts decision programs on the stand: did, would and might questions, answered with proof.

>>> import soid
>>> oven = soid.open(soid.example("microwave"))
>>> oven.ask("would action == CANCEL if error == true and closed == true and heat is anything").verdict
<Verdict.YES: 'yes'>
>>> v = oven.variables
>>> oven.at(3).ask(soid.might(v.action == "CANCEL").given(v.heat.anything())).verdict
<Verdict.YES: 'yes'>

Everything below is the public API; it is loaded when it is first used, so that `import soid` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which takes longer to load than the start of a command
if TYPE_CHECKING:
    from typing import Any

    from soid.budget import Budget, Cancellation
    from soid.case.abstraction import Abstraction
    from soid.case.case import Case
    from soid.case.custody.custody import Custody, Expectations
    from soid.case.custody.log_attestation import LogStatement
    from soid.case.project import Project, open_async
    from soid.case.record.entry import Entry
    from soid.errors import SoidError
    from soid.examples import folder as example
    from soid.explanation.explainer import Explanation
    from soid.mapping.decision_map import DecisionMap
    from soid.oracle.answer import Answer, Verdict
    from soid.oracle.inquiry import Limits, QuestionProgress, Settings
    from soid.program.interface import Interface, Role, Variable
    from soid.program.program import Program
    from soid.query.language.query_parser import parse
    from soid.query.language.query_printer import to_text
    from soid.query.python import (
        after,
        at_step,
        bits_and,
        bits_not,
        bits_or,
        bits_xor,
        decides,
        did,
        fact,
        fails,
        from_step,
        maximum,
        might,
        minimum,
        quot,
        rem,
        smtlib,
        throughout,
        until,
        within,
        would,
    )
    from soid.query.query import Query, QueryKind
    from soid.query.steps import Steps
    from soid.query.words import sentence
    from soid.scenario.trace import Keyframe, Step, Trace
    from soid.scenario.trace_reader import read as read_trace
    from soid.solver.chain import chain as solver_chain
    from soid.sweep.answer_table import Answers
    from soid.witness.witness import Change, Witness

    open = Project.open  # not in __all__: a star import leaves Python's own open alone

__version__ = "0.1.0"

__all__ = [
    "Abstraction",
    "Answer",
    "Answers",
    "Budget",
    "Cancellation",
    "Case",
    "Change",
    "Custody",
    "DecisionMap",
    "Entry",
    "Expectations",
    "Explanation",
    "Interface",
    "Keyframe",
    "Limits",
    "LogStatement",
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
    "at_step",
    "bits_and",
    "bits_not",
    "bits_or",
    "bits_xor",
    "decides",
    "did",
    "example",
    "fact",
    "fails",
    "from_step",
    "maximum",
    "might",
    "minimum",
    "open_async",
    "parse",
    "quot",
    "read_trace",
    "rem",
    "sentence",
    "smtlib",
    "solver_chain",
    "throughout",
    "to_text",
    "until",
    "within",
    "would",
]

#: the names by their modules
_HOMES = {
    "soid.budget": ("Budget", "Cancellation"),
    "soid.case.abstraction": ("Abstraction",),
    "soid.case.case": ("Case",),
    "soid.case.custody.custody": ("Custody", "Expectations"),
    "soid.case.custody.log_attestation": ("LogStatement",),
    "soid.case.project": ("Project", "open_async"),
    "soid.case.record.entry": ("Entry",),
    "soid.errors": ("SoidError",),
    "soid.examples": ("example",),
    "soid.explanation.explainer": ("Explanation",),
    "soid.mapping.decision_map": ("DecisionMap",),
    "soid.oracle.answer": ("Answer", "Verdict"),
    "soid.oracle.inquiry": ("Limits", "QuestionProgress", "Settings"),
    "soid.program.interface": ("Interface", "Role", "Variable"),
    "soid.program.program": ("Program",),
    "soid.query.language.query_parser": ("parse",),
    "soid.query.language.query_printer": ("to_text",),
    "soid.query.python": (
        "after",
        "at_step",
        "bits_and",
        "bits_not",
        "bits_or",
        "bits_xor",
        "decides",
        "did",
        "fact",
        "fails",
        "from_step",
        "maximum",
        "might",
        "minimum",
        "quot",
        "rem",
        "smtlib",
        "throughout",
        "until",
        "within",
        "would",
    ),
    "soid.query.query": ("QueryKind", "Query"),
    "soid.query.steps": ("Steps",),
    "soid.query.words": ("sentence",),
    "soid.scenario.trace": ("Keyframe", "Step", "Trace"),
    "soid.scenario.trace_reader": ("read_trace",),
    "soid.solver.chain": ("solver_chain",),
    "soid.sweep.answer_table": ("Answers",),
    "soid.witness.witness": ("Change", "Witness"),
}

#: names of the API that their modules call otherwise
_RENAMED = {"example": "folder", "read_trace": "read", "solver_chain": "chain"}


def __dir__() -> list[str]:
    """What completion proposes: the public names, those that are not loaded yet included."""
    return sorted((*__all__, "open", "__version__"))


if not TYPE_CHECKING:  # for a checker a name that is not there is an error

    def __getattr__(name: str) -> Any:
        """Load a name of the public API from the module that it lives in."""
        if name == "open":  # the way in: the same as Project.open
            return __getattr__("Project").open
        for module, names in _HOMES.items():
            if name in names:
                import importlib

                return getattr(importlib.import_module(module), _RENAMED.get(name, name))
        raise AttributeError(f"module 'soid' has no attribute {name!r}")
