"""A plan: a script for one program, with names expanded and every question checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, final

from msgspec import Struct

from soid.program.interface import Interface
from soid.query.language.script.nodes import On
from soid.query.language.script.verdict_formula import VerdictFormula
from soid.query.query import Query
from soid.scenario.expression import TextSpan


@final
class PlannedMoment(Struct, frozen=True):
    """A step of a log."""

    step: int | None = None  # None: the case's own
    log: str | None = None  # the log's name in the script; None: the first one
    keyframe: str | None = None  # the moment's name, if the script uses it

    def __str__(self) -> str:
        if self.step is None:
            return "the case's own moment"
        called = f"{self.keyframe}, " if self.keyframe is not None else ""
        return f"{called}step {self.step}" + (f" of {self.log}" if self.log is not None else "")


@final
class PlannedQuestion(Struct, frozen=True):
    """A question."""

    query: Query
    text: str  # as query text
    span: TextSpan  # of the line in the script
    order: int | None = None  # in the order of the script, from 1; None at the prompt, and in a cause


@final
class PutCause(Struct, frozen=True):
    """A cause, as four questions."""

    held: PlannedQuestion  # did the cause hold in fact?
    happened: PlannedQuestion  # did the effect happen in fact?
    whenever: PlannedQuestion  # would the effect happen in every other scenario in which the cause holds?
    otherwise: PlannedQuestion  # would the effect never happen in scenarios in which the cause does not hold?
    text: str  # as in the script, with names expanded
    span: TextSpan
    order: int | None = None  # as of a question


@final
class PutStudy(Struct, frozen=True):
    """Causes, a map, or the explanation of an answer."""

    kind: Literal["causes", "map", "explanation"]
    asked: str  # the `would` whose counterexamples causes are; what may differ on a map; empty for an explanation
    span: TextSpan
    by: str | None = None  # of a map
    order: int | None = None  # of the question that is explained

    @property
    def text(self) -> str:
        """It in words."""
        told = {"causes": "causes in", "map": "map of", "explanation": "explanation of question"}[self.kind]
        return f"{told} {self.asked or self.order}"


@final
class Decide(Struct, frozen=True):
    """A question, and the steps for each verdict."""

    condition: PlannedQuestion | PutCause
    branches: Mapping[On, Steps]


@final
class PlannedArm(Struct, frozen=True):
    """Steps, and the formula over verdicts under which they are taken."""

    formula: VerdictFormula | None  # None: always
    text: str  # of the formula, as in the script
    span: TextSpan  # of the line
    steps: Steps


@final
class Weigh(Struct, frozen=True):
    """The steps of the first arm whose formula holds."""

    arms: tuple[PlannedArm, ...]


@final
class Go(Struct, frozen=True):
    """The following steps of the same block are about another moment."""

    moment: PlannedMoment


@final
class Each(Struct, frozen=True):
    """The same steps at several moments."""

    moments: tuple[PlannedMoment, ...]
    steps: Steps


@final
class InTurn(Struct, frozen=True):
    """Blocks one after the other: a loop over places, each with its own questions."""

    blocks: tuple[Steps, ...]


@final
class End(Struct, frozen=True):
    """The conclusion."""

    text: str
    span: TextSpan


Step = PlannedQuestion | PutCause | PutStudy | Decide | Weigh | Go | Each | InTurn | End
Steps = tuple[Step, ...]


@final
class ScriptPlan(Struct, frozen=True):
    """A script, ready to be run."""

    steps: Steps
    start: PlannedMoment
    keyframes: Mapping[str, PlannedMoment]
    interface: Interface  # of the program that its questions are about
    concludes: bool  # whether a conclusion is written anywhere in it
