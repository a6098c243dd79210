"""What is to be done, names put in and every question checked: what a script comes to for one program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from msgspec import Struct

from soid.query.language.script.nodes import On
from soid.query.query import Query
from soid.scenario.expression import TextSpan


@final
class PlannedMoment(Struct, frozen=True):
    """When: a step of a log."""

    step: int | None = None  # None: the case's own
    log: str | None = None  # as the script calls it; None: the first one
    keyframe: str | None = None  # the name that the moment was asked for by

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


@final
class PutCause(Struct, frozen=True):
    """A cause: four questions, of which the last two are the two directions of it."""

    held: PlannedQuestion  # did it hold, what is said to be the cause?
    happened: PlannedQuestion  # did it happen, what it is said to have caused?
    whenever: PlannedQuestion  # would it happen in every other scenario in which the cause holds?
    otherwise: PlannedQuestion  # would it not happen in any scenario in which the cause does not hold?
    text: str  # as it is written in the script, names put in
    span: TextSpan


@final
class Decide(Struct, frozen=True):
    """A question, and what to do on its answer."""

    condition: PlannedQuestion | PutCause
    branches: Mapping[On, Steps]


@final
class Go(Struct, frozen=True):
    """What follows in the same block is about another moment."""

    moment: PlannedMoment


@final
class Each(Struct, frozen=True):
    """The same at several moments."""

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


Step = PlannedQuestion | PutCause | Decide | Go | Each | InTurn | End
Steps = tuple[Step, ...]


@final
class ScriptPlan(Struct, frozen=True):
    """A script, ready to be run."""

    steps: Steps
    start: PlannedMoment
    keyframes: Mapping[str, PlannedMoment]
    concludes: bool  # whether a conclusion is written anywhere in it
