"""The questions of a script that are asked at many moments: all of them at each, whatever the answers are.

>>> from soid.program.interface import Interface, Role, Variable
>>> from soid.program.types import BoolType
>>> from soid.query.language.script.script_parser import parse_script
>>> brakes = Interface((Variable("wet", Role.ENVIRONMENT, BoolType()), Variable("brake", Role.DECISION, BoolType())))
>>> swept_questions(parse_script("family weather = wet is anything\\nlet q = would brake if weather"), brakes)
('would brake if wet is anything',)
>>> swept_questions(parse_script("did brake\\nat step 3\\ndid wet"), brakes)
Traceback (most recent call last):
soid.errors.QueryError: `at` has no meaning in a sweep: its moments are chosen for all questions alike
Leave this line out: the sweep itself is told the steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from soid.errors import QueryError
from soid.program.interface import Interface
from soid.query.language.script import nodes
from soid.query.language.script.plan import InTurn, PlannedQuestion, PutCause, Steps
from soid.query.language.script.resolver import resolve
from soid.scenario.expression import error_at

_MOMENTS: Final = (
    "its moments are chosen for all questions alike",
    "Leave this line out: the sweep itself is told the steps.",
)
_ALL_ASKED: Final = (
    "each question is asked at each moment, whatever the answers are",
    "Write the questions on lines of their own; what follows from answers is for a run of the script, at one moment.",
)
_STUDIED: Final = (
    "it has answers to questions, a row each",
    "Leave this line out; a run of the script at one moment does it.",
)

#: what has no meaning in a sweep: how it begins, and why
_MEANINGLESS: Final[dict[type, tuple[str, tuple[str, str]]]] = {
    nodes.AtStep: ("at", _MOMENTS),
    nodes.AtKeyframe: ("at", _MOMENTS),
    nodes.EachStep: ("for each step", _MOMENTS),
    nodes.EachKeyframe: ("for each keyframe", _MOMENTS),
    nodes.When: ("when", _ALL_ASKED),
    nodes.WhenVerdicts: ("when", _ALL_ASKED),
    nodes.Conclude: ("conclude", _ALL_ASKED),
    nodes.LetWitness: ("witness of", _ALL_ASKED),
    nodes.StudyCauses: ("causes of", _STUDIED),
    nodes.StudyMap: ("map", _STUDIED),
    nodes.StudyExplanation: ("explain", _STUDIED),
}


def swept_questions(script: nodes.Script, interface: Interface, steps: int = 1) -> tuple[str, ...]:
    """The texts of the questions, each once, with names expanded; a cause is its four questions.

    `steps` is the program's default number of steps. What the script says of its own moments counts for none of them.
    """
    lines = tuple(map(_without_moment, _asking(script.lines)))
    plan = resolve(replace(script, lines=lines), interface, steps)
    found = tuple(dict.fromkeys(each.text for each in _questions(plan.steps)))
    if not found:
        raise QueryError("the script asks nothing", "Write a question on a line of its own: did brake")
    return found


def _asking(lines: tuple[nodes.Statement, ...]) -> Iterator[nodes.Statement]:
    """The lines without definitions of moments; raises where one has no meaning in a sweep."""
    for line in lines:
        if type(line) in _MEANINGLESS:
            word, (why, remedy) = _MEANINGLESS[type(line)]
            raise error_at(line.span, f"`{word}` has no meaning in a sweep: {why}", remedy)
        if isinstance(line, nodes.EachPlace):
            yield replace(line, block=replace(line.block, lines=tuple(_asking(line.block.lines))))
        elif not isinstance(line, nodes.KeyframeDefinition):
            yield line


def _without_moment(line: nodes.Statement) -> nodes.Statement:
    return replace(line, step=None) if isinstance(line, nodes.LogDeclaration) else line


def _questions(steps: Steps) -> Iterator[PlannedQuestion]:
    for step in steps:
        if isinstance(step, InTurn):
            for block in step.blocks:
                yield from _questions(block)
        elif isinstance(step, PutCause):
            yield from (step.held, step.happened, step.whenever, step.otherwise)
        elif isinstance(step, PlannedQuestion):
            yield step
        else:
            raise AssertionError(f"{step} was refused")
