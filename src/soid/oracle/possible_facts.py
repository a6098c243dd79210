"""The states that the factual moment may have been: inputs are logged rounded, or are not known at all.

Each of these states that gives what is logged may be the fact. One that gives something else is not.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Self, assert_never, final

from msgspec import Struct

from soid.engine.summary import ConcreteRun, Decided, PathSummary
from soid.formula import build
from soid.formula.checker import Impossible, Open, Possible
from soid.formula.term import Term
from soid.oracle.inquiry import Inquiry
from soid.oracle.log_check import LoggedSteps
from soid.program.types import constant
from soid.query.words import Words, listed
from soid.scenario.course import Course
from soid.scenario.family import Family
from soid.scenario.input_names import all_called
from soid.scenario.logged_course import logged_course
from soid.scenario.trace import Keyframe


@final
class PossibleFacts(Struct, frozen=True):
    """All that the factual moment may have been, and the steps after it, as far as the log says."""

    log: LoggedSteps
    course: Course
    family: Family  # the puncture is left out of use: the logged state itself is one of these

    @classmethod
    def of(cls, log: LoggedSteps) -> Self | None:
        """None: the log says all."""
        course = logged_course(log.keyframe, log.following)
        return None if course is None else cls(log, course, course.family())

    @property
    def names(self) -> str:
        return listed(all_called(self.family.freed, name=Words(self.family.interface).called))

    @property
    def precondition(self) -> Term:
        return self.family.scenarios[0]

    def consistent(self, summary: PathSummary) -> Term:
        """Where the program gives what is logged, or may do so for all that was explored."""
        return build.any_of(
            build.and_(path.condition, build.not_(self.log.agreement(path).false)) for path in summary.in_order
        )

    def agreeing(self, summary: PathSummary) -> Term:
        """Where the program is known to give what is logged."""
        return build.any_of(build.and_(path.condition, self.log.agreement(path).true) for path in summary.in_order)

    def fitted_log(self, summary: PathSummary, asking: Inquiry) -> LoggedSteps | None:
        """The log with values for what is not known, such that the program gives what is logged in all of its steps.

        What is logged rounded has its logged value. None: no such values were found.
        """
        unknown = self.family.undetermined
        rounded = [v.equals(self.family.fact[v.path]) for v in self.family.varying if v not in unknown]
        answer = asking.check([self.precondition, self.agreeing(summary), *rounded]) if unknown else None
        if not isinstance(answer, Possible):
            return None
        values = {v.path: int(answer.model.get(v.symbol, self.family.fact[v.path])) for v in unknown}
        keyframe = dataclasses.replace(self.log.keyframe, inputs=_put(self.log.keyframe.inputs, values))
        following = (
            dataclasses.replace(step, inputs=_put(step.inputs, values, f"@{step.time}")) for step in self.log.following
        )
        return LoggedSteps(keyframe, tuple(following))

    def run(self, summary: PathSummary, model: Mapping[Term, Any]) -> ConcreteRun:
        """The run of one of the states."""
        inputs = self.family.fact
        return summary.run({v.symbol: model.get(v.symbol, inputs[v.path]) for v in self.family.varying})

    def always(self, summary: PathSummary, name: str, value: int, asking: Inquiry) -> bool:
        """Whether an output has this value in every state that may be the fact."""
        kind = self.family.interface.output_type(name)
        other = []
        for path in summary.paths:
            where = build.and_(path.condition, build.not_(self.log.agreement(path).false))
            if isinstance(path.ending, Decided) and name in path.outputs:
                output = path.outputs[name]
                same = build.and_(output.defined, build.eq(output.term, constant(kind, value)))
                where = build.and_(where, build.not_(same))
            other.append(where)
        differs = build.any_of(other)
        return differs is build.FALSE or isinstance(asking.check([self.precondition, differs]), Impossible)


def _put(inputs: Mapping[str, int], values: Mapping[str, int], mark: str = "") -> dict[str, int]:
    """Inputs with other values; those of a later step are marked with its number (`soid.scenario.course`)."""
    return {path: values.get(f"{path}{mark}", bits) for path, bits in inputs.items()}


def fitted(keyframe: Keyframe, asking: Inquiry) -> Keyframe:
    """A moment with values for what is not known of it, such that the program gives what is logged there.

    What is logged rounded has its logged value.
    """
    exact = dataclasses.replace(
        keyframe, rounded={p: r for p, r in keyframe.rounded.items() if p in keyframe.decisions}
    )
    log = LoggedSteps(exact)
    facts = PossibleFacts.of(log)
    assert facts is not None, "something is not known"
    given, where = facts.family.given, facts.precondition
    summary = asking.context.engine.explore(asking.exploration(given, where, asking.direct, log.compared))
    asking.refine(summary)
    fitting = facts.consistent(summary)
    start = [v.equals(keyframe.inputs[v.path]) for v in facts.family.varying]  # if that fits, it is the plainest
    answer = asking.check([where, fitting, *start])
    if not isinstance(answer, Possible):
        answer = asking.check([where, fitting])
    match answer:
        case Possible(model):
            values = {v.path: int(model.get(v.symbol, keyframe.inputs[v.path])) for v in facts.family.varying}
            # symbols for approximated results have no meaning outside of their exploration
            known = build.TRUE if summary.approximations else fitting
            return dataclasses.replace(keyframe, inputs={**keyframe.inputs, **values}, fitting=known)
        case Impossible():
            unfit = f"whatever {facts.names} was, the program does not give what is logged"
            return dataclasses.replace(keyframe, unfit=unfit)
        case Open(reason):
            return dataclasses.replace(keyframe, unchecked=f"whether any value of {facts.names} fits it: {reason}")
        case _:
            assert_never(answer)
