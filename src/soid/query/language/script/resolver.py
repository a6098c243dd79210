"""Turns a script into a plan: it expands names, unrolls loops over places, and checks the questions of all branches.

So an error in the last line is found before the first question is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, assert_never, final

from msgspec import Struct, field
from msgspec.structs import replace

from soid.errors import KeyframeError, QueryError, did_you_mean
from soid.program.interface import Interface
from soid.query.language.script import nodes
from soid.query.language.script.checked_questions import put, study
from soid.query.language.script.definitions import Definitions
from soid.query.language.script.nodes import Script, ScriptBlock, Statement
from soid.query.language.script.plan import (
    Decide,
    Each,
    End,
    Go,
    InTurn,
    PlannedArm,
    PlannedMoment,
    PlannedQuestion,
    PutCause,
    ScriptPlan,
    Step,
    Steps,
    Weigh,
)
from soid.query.language.script.question_order import QuestionOrder
from soid.query.language.script.verdict_formula import verdicts_of
from soid.scenario.expression import TextSpan, error_at, pointing_at
from soid.scenario.expression_text import expression_text
from soid.scenario.written_step import WrittenStep, number_of, step_text

#: lines of a script after loops over places are unrolled: nested loops can make it very long
MOST_LINES: Final = 10_000

#: moments of one loop
MOST_MOMENTS: Final = 100_000

#: the number of a step in the log of a name; raises KeyframeError if there is no such step
FindStep = Callable[[WrittenStep, str | None], int]


def resolve(
    script: Script, interface: Interface, steps: int = 1, find_step: FindStep = lambda step, log: number_of(step)
) -> ScriptPlan:
    """The plan of a script; `steps` is the program's default number of steps. Errors have their place in the text."""
    return _Resolver(script, Definitions(interface), QuestionOrder.of(script), steps, find_step).plan()


@final
class _Resolver(Struct):
    """The state of the resolution of one script."""

    script: Script
    names: Definitions  # without any name yet
    questions: QuestionOrder
    steps: int
    find_step: FindStep
    logs: list[str | None] = field(default_factory=list)  # names; None in a moment means the first
    keyframes: dict[str, PlannedMoment] = field(default_factory=dict)
    loops: tuple[int, ...] = ()  # where the loops around the line start, the outermost first
    lines: int = 0
    concludes: bool = False

    def plan(self) -> ScriptPlan:
        start = PlannedMoment()
        for line in self.script.lines:
            if isinstance(line, nodes.LogDeclaration):
                start = self._log(line, start)
            elif isinstance(line, nodes.KeyframeDefinition):
                self.keyframes[line.name] = self._moment(line.step, line.log, line.span, line.name)
        steps = self._block(ScriptBlock(self.script.lines), self.names)
        return ScriptPlan(steps, start, self.keyframes, self.names.interface, self.concludes)

    def _log(self, line: nodes.LogDeclaration, start: PlannedMoment) -> PlannedMoment:
        if line.name in self.logs:
            called = f"a log is called {line.name} already" if line.name else "there is a log without a name already"
            raise error_at(line.span, called, 'Give each log a name: trace "..." as night.')
        self.logs.append(line.name)
        if line.step is None:
            return start
        if len(self.logs) > 1:
            raise error_at(
                line.span,
                "the moment that questions are about is one of the first log",
                f"For this one, name it: keyframe later = {step_text(line.step)} of {line.name}.",
            )
        return self._moment(line.step, None, line.span)

    def _block(self, block: ScriptBlock, names: Definitions) -> Steps:
        """The steps of a block. Names that it defines are local to it."""
        steps: list[Step] = []
        for line in block.lines:
            self.lines += 1
            with pointing_at(_span(line)):
                if self.lines > MOST_LINES:
                    problem = f"the script has more than {MOST_LINES} lines, its loops unrolled"
                    raise QueryError(problem, "Ask these questions in several scripts.")
                names = self._named(line, names)
                steps += self._steps(line, names)
        return tuple(steps)

    def _named(self, line: Statement, names: Definitions) -> Definitions:
        if isinstance(line, nodes.Let):
            return names.let(line.name, line.value, line.span)
        if isinstance(line, nodes.FamilyDefinition):
            return names.family(line.name, line.suppositions, line.span)
        if isinstance(line, nodes.NamedQuestion):
            return names.question(line.name, line.span)
        if isinstance(line, nodes.LetWitness):
            return names.witness(line.name, self._scenario(line.question, _span(line)), line.span)
        return names

    def _steps(self, line: Statement, names: Definitions) -> Iterable[Step]:
        if isinstance(line, nodes.Heading | nodes.Let | nodes.LetWitness | nodes.FamilyDefinition):
            return ()
        match line:
            case nodes.AtStep(step, log):
                return (Go(self._moment(step, log, line.span)),)
            case nodes.AtKeyframe(name):
                return (Go(self._keyframe(name, line.span)),)
            case nodes.Ask(condition) | nodes.NamedQuestion(_, condition):
                return (self._put(condition, names, _span(line)),)
            case nodes.StudyCauses() | nodes.StudyMap() | nodes.StudyExplanation():
                return (study(line, names, lambda called: self._scenario(called, _span(line)), _span(line)),)
            case nodes.WhenVerdicts(arms):
                return (Weigh(tuple(self._arm(arm, names) for arm in arms)),)
            case nodes.When():
                asked = self._put(line.condition, names, _span(line))
                return (Decide(asked, {branch.on: self._block(branch.block, names) for branch in line.branches}),)
            case nodes.EachPlace(name, places):
                values = [value for place in places for value in names.over(place, line.span)]
                inner = (names.let(name, value, line.span) for value in values)
                return (InTurn(tuple(self._loop(line, each) for each in inner)),)
            case nodes.EachStep(ranges, log):
                return (Each(self._moments(ranges, log, line.span), self._loop(line, names)),)
            case nodes.EachKeyframe(called):
                return (Each(tuple(self._keyframe(name, line.span) for name in called), self._loop(line, names)),)
            case nodes.Conclude(text):
                self.concludes = True
                return (End(text, _span(line)),)
            case _:
                assert_never(line)

    def _scenario(self, called: str, span: TextSpan) -> int:
        return self.questions.scenario(called, span, span, self.loops)

    def _put(self, condition: nodes.Condition, names: Definitions, span: TextSpan) -> PlannedQuestion | PutCause:
        return replace(put(condition, names, self.steps, span), order=self.questions.at(span))

    def _arm(self, arm: nodes.VerdictArm, names: Definitions) -> PlannedArm:
        span, text, formula = _span(arm), "", None
        if arm.formula is not None:
            text = expression_text(arm.formula)
            formula = verdicts_of(
                arm.formula, lambda called, place: self.questions.find(called, place, span, self.loops)
            )
        return PlannedArm(formula, text, span, self._block(arm.block, names))

    def _loop(self, line: nodes.Loop, names: Definitions) -> Steps:
        """The steps of one time around."""
        around = self.loops
        self.loops = (*around, _span(line).start)
        steps = self._block(line.block, names)
        self.loops = around
        return steps

    def _moment(
        self, step: WrittenStep, log: str | None, span: TextSpan | None, keyframe: str | None = None
    ) -> PlannedMoment:
        number, other_log = self._found(step, log, span)
        return PlannedMoment(number, other_log, keyframe)

    def _found(self, step: WrittenStep, log: str | None, span: TextSpan | None) -> tuple[int, str | None]:
        """The number of a step, and the name of its log; None for the first one."""
        if log is not None and log not in self.logs:
            known = [name for name in self.logs if name is not None]
            raise error_at(span, f"no log is called {log}", _meant(log, known, 'trace "..." as NAME'))
        other_log = log if self.logs and log != self.logs[0] else None
        try:
            return self.find_step(step, other_log), other_log
        except KeyframeError as error:
            raise error_at(span, error.cause, error.remedy) from error

    def _moments(
        self, ranges: tuple[tuple[WrittenStep, WrittenStep], ...], log: str | None, span: TextSpan | None
    ) -> tuple[PlannedMoment, ...]:
        numbers = [tuple(self._end(each, log, span) for each in ends) for ends in ranges]
        if any(last < first for first, last in numbers):
            raise error_at(span, "these steps are none", "Write the earlier one first.")
        if sum(last - first + 1 for first, last in numbers) > MOST_MOMENTS:
            raise error_at(span, f"these are more than {MOST_MOMENTS} moments", "Ask about fewer at once.")
        return tuple(self._moment(at, log, span) for first, last in numbers for at in range(first, last + 1))

    def _end(self, step: WrittenStep, log: str | None, span: TextSpan | None) -> int:
        return step if isinstance(step, int) else self._found(step, log, span)[0]

    def _keyframe(self, name: str, span: TextSpan | None) -> PlannedMoment:
        if name not in self.keyframes:
            remedy = _meant(name, self.keyframes, "keyframe NAME = step N")
            raise error_at(span, f"no moment is called {name}", remedy)
        return self.keyframes[name]


def _span(line: Statement | nodes.VerdictArm) -> TextSpan:
    assert line.span is not None
    return line.span


def _meant(name: str, known: Iterable[str], otherwise: str) -> str:
    return did_you_mean(name, known, f"Give it its name first, at the top: {otherwise}.")
