"""From paths and a behavior to formulas: the paper's encodings of factual and counterfactual questions.

With the family's formula `phi` (the suppositions, the fact punctured out), the paths' conditions `pi` and the behavior
`beta` on each path:

    would  is refuted by a state of    phi and pi and not-true(beta)      (Theorem 2, i: the implication is valid)
    might  is shown by a state of      phi and pi and true(beta)          (Theorem 2, ii)
    did    is `would` over the one factual state                          (Theorem 1)

A behavior has three values on a path. Where the program fails or does not decide, its decisions have no value, and a
formula over them is neither true nor false. Such a path refutes a `would` and does not show a `might`, for a behavior
and for its negation. A world goes on around a program that fails: what happened in it by then is known, and what comes
later is open. Unexplored states are kept apart: they can only make a verdict unknown. So do states in which the
behavior speaks of an output that the program leaves as it was, unless the behavior has the same truth for every value.

Over several steps the truth is that of the last step, or Kleene's `or` or `and` over all steps; a step that a path does
not reach is neither true nor false. So a behavior that has occurred stays true when the program fails later, or when
exploration ends later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, final

from msgspec import Struct
from msgspec.structs import replace

from soid.engine.summary import (
    Decided,
    Ending,
    Failed,
    LeftOpen,
    OutputValue,
    Path,
    PathSummary,
    Unexplored,
    goes_on,
    is_open,
    kept_open,
)
from soid.errors import QueryError
from soid.formula import build
from soid.formula.passes import substitute
from soid.formula.term import Term
from soid.program.interface import LISTED, Interface, Role, Variable
from soid.program.perception import NO_ACTS, Perceived, symbol_at
from soid.program.types import constant
from soid.query.behavior import Behavior
from soid.query.steps import ONE, Over, Steps
from soid.scenario.kleene_terms import Operand, lower
from soid.scenario.operand_values import Truth, both, either


@final
class Encoding(Struct, frozen=True):
    """Where in the family the behavior occurs; each field is a formula over the freed inputs' symbols."""

    shows: Term  # the behavior occurs
    refutes: Mapping[str, Term]  # it does not occur; by what happens instead, in the order of checking
    unexplored: Term  # not known
    open_shows: Term  # and where, of these, it may occur
    open_refutes: Term  # or may not occur
    left_open: tuple[LeftOpen, ...] = ()  # why it is not known


#: what can happen instead of a behavior; the first one that has a witness is shown
OTHERWISE: Final = "decides otherwise"
FAILS: Final = "fails"
UNDECIDED: Final = "does not decide"
NEITHER: Final = "speaks of something that is never reached"
NO_VALUE: Final = "computes something that has no value there"

_NO_TRUTH: Final = Truth(build.FALSE, build.FALSE)


def encode(summary: PathSummary, behavior: Behavior, facts: FactualMoment, steps: Steps = ONE) -> Encoding:
    shows: list[Term] = []
    refutes: dict[str, list[Term]] = {OTHERWISE: [], FAILS: [], UNDECIDED: [], NEITHER: [], NO_VALUE: []}
    unexplored: list[Term] = []
    open_shows: list[Term] = []
    open_refutes: list[Term] = []
    left_open: list[LeftOpen] = []
    for path in summary.paths:
        truth, unknown = truth_on(path, behavior, facts, steps), unknown_on(path, behavior, steps)
        before = _truth_before(path, truth, behavior, facts, steps)
        shows.append(build.and_(path.condition, truth.true))
        settled = build.or_(truth.true, truth.false, before.false)
        unexplored.append(build.and_(path.condition, unknown, build.not_(settled)))
        wide = truth if unknown is build.FALSE else truth_on(path, behavior, facts, steps, widely=True)
        open_shows.append(build.and_(unexplored[-1], build.not_(wide.false)))
        open_refutes.append(build.and_(unexplored[-1], build.not_(wide.true)))
        if unexplored[-1] is not build.FALSE:
            left_open.append(_why_open(path, behavior, steps))
        known = build.TRUE if goes_on(path.ending) else build.or_(build.not_(unknown), truth.false)
        nothing = NO_VALUE if behavior.is_partial else NEITHER
        for what, where in _instead(path, truth, before, nothing).items():
            instead = build.and_(path.condition, where, build.TRUE if what == OTHERWISE else known)
            refutes[what].append(_by_case(instead, path, behavior, steps) if what == nothing else instead)
    return Encoding(
        shows=build.any_of(shows),
        refutes={what: build.any_of(where) for what, where in refutes.items()},
        unexplored=build.any_of(unexplored),
        open_shows=build.any_of(open_shows),
        open_refutes=build.any_of(open_refutes),
        left_open=tuple(left_open),
    )


def _truth_before(path: Path, truth: Truth, behavior: Behavior, facts: FactualMoment, steps: Steps) -> Truth:
    """The truth without a path's last step, or with what has happened in a world by the time the program ended."""
    if goes_on(path.ending) and not behavior.speaks_of_endings:
        return truth
    return truth_on(replace(path, ending=Unexplored("")), behavior, facts, steps)


def _by_case(where: Term, path: Path, behavior: Behavior, steps: Steps) -> Term:
    """A term that holds only where labels are known, label by label: one value of each is true, and no other."""
    for _, output in _read_on(path, behavior, steps):
        found = []
        for case in output.cases:
            values = {other.is_it: build.TRUE if other is case else build.FALSE for other in output.cases}
            found.append(build.and_(case.is_it, *substitute([where], values)))
        where = build.any_of(found) if found else where
    return where


def unknown_on(path: Path, behavior: Behavior, steps: Steps = ONE) -> Term:
    """Where on a path something is not known that the behavior speaks of; its truth may be known all the same."""
    if is_open(path.ending) or goes_on(path.ending):
        return build.TRUE
    return build.any_of(output.kept for _, output in _read_on(path, behavior, steps))


def _read_on(path: Path, behavior: Behavior, steps: Steps) -> Iterator[tuple[str, OutputValue]]:
    """The outputs that the behavior reads in the steps that it is about, as far as the path has them."""
    given = (*path.earlier, path.outputs)[: steps.count]
    for step in range(len(given) - 1 if steps.over is Over.AFTER else 0, len(given)):
        for name in sorted(behavior.outcomes):
            if name in given[step]:
                yield name, given[step][name]
            elif step and f"{name}'" in given[step - 1]:  # the state before a step is what the step before it has left
                yield f"{name}'", given[step - 1][f"{name}'"]


def _why_open(path: Path, behavior: Behavior, steps: Steps) -> LeftOpen:
    if isinstance(path.ending, Unexplored):
        return LeftOpen(str(path.ending), path.ending.out_of_time)
    if is_open(path.ending):
        return LeftOpen(f"open, because the world breaks down in them: it {path.ending}")
    if goes_on(path.ending):
        return LeftOpen(f"open, because the program {path.ending}, and what the world then makes of it is not known")
    return kept_open(read for read in _read_on(path, behavior, steps) if read[1].kept is not build.FALSE)


def truth_on(
    path: Path, behavior: Behavior, facts: FactualMoment, steps: Steps = ONE, *, widely: bool = False
) -> Truth:
    """Where on a path the behavior is true, and where it is false; `widely`: even if it is not known what happens."""
    reached = min(len(path.earlier) + 1, steps.count)
    if steps.over is Over.AFTER:
        return _truth_at(reached - 1, path, behavior, facts, widely) if reached == steps.count else _NO_TRUTH
    truths = [_truth_at(step, path, behavior, facts, widely) for step in range(reached)]
    if reached < steps.count:
        truths.append(_NO_TRUTH)
    return either(truths) if steps.over is Over.WITHIN else both(truths)


def concrete_path(
    name: str,
    ending: Ending,
    steps: Sequence[Mapping[str, Any]],
    interface: Interface,
    between: Sequence[Mapping[str, tuple[Any, Any]]] = (),
) -> Path:
    """The path of one state: outputs are constants; `between` has the ends of those that are not known exactly."""
    made: list[dict[str, OutputValue]] = [
        {name: OutputValue(constant(interface.output_type(name), int(value))) for name, value in step.items()}
        for step in steps
    ]
    for outputs, ranges in zip(made, between, strict=False):
        for name_, ends in ranges.items():
            low, high = (constant(interface.output_type(name_), int(end)) for end in ends)
            outputs[name_] = OutputValue(low, build.FALSE, build.TRUE, high)
    *earlier, last = made
    return Path(name, build.TRUE, ending, last, tuple(earlier))


def _truth_at(step: int, path: Path, behavior: Behavior, facts: FactualMoment, widely: bool) -> Truth:
    scope = PathScope(path, facts, step, widely)
    ends = not isinstance(scope.ending, Decided) and not goes_on(scope.ending)
    undecided = ends and not behavior.speaks_of_endings
    return _NO_TRUTH if undecided or is_open(scope.ending) else lower(behavior.expression, scope)


def _instead(path: Path, truth: Truth, before: Truth, nothing: str) -> dict[str, Term]:
    """What happens instead of the behavior on a path, and where.

    `before` is the truth without the path's last step, `nothing` says why the behavior is neither true nor false.
    """
    not_true = build.not_(truth.true)
    if isinstance(path.ending, Decided):
        return {OTHERWISE: truth.false, nothing: build.and_(not_true, build.not_(truth.false))}
    end = FAILS if isinstance(path.ending, Failed) else UNDECIDED
    return {OTHERWISE: before.false, end: build.and_(not_true, build.not_(before.false))}


@final
class FactualMoment(Struct, frozen=True):
    """The values of the factual moment that `fact(...)` reads, and the inputs that keep their values."""

    interface: Interface
    inputs: Mapping[str, int]  # bits of every input in the fact
    outputs: Mapping[str, int]  # bits of the decisions: as logged, else as the program computes them
    fixed: Mapping[str, int]  # bits of the inputs that the family does not vary
    environments: tuple[Perceived, ...] = ()  # the environment from the second step on, if it changes
    acts: Perceived = NO_ACTS  # what is done in the first step whatever is decided


@final
class PathScope(Struct, frozen=True):
    """The meaning of names in one step of a path that reaches this step."""

    path: Path
    facts: FactualMoment
    step: int = 0
    widely: bool = False  # what a label is not counts, even where it is not known which one it is

    @property
    def ending(self) -> Ending:
        return self.path.ending if self.step == len(self.path.earlier) else Decided()

    @property
    def fails(self) -> Term:
        return build.const(build.TRUE.sort, isinstance(self.ending, Failed))

    @property
    def decides(self) -> Term:
        return build.const(build.TRUE.sort, isinstance(self.ending, Decided))

    def read(self, name: str, primed: bool, /) -> Operand:
        variable = self.facts.interface.variable(name)
        if not variable.is_input or primed:
            return self._output(variable, self.step, primed)
        later: Perceived = self.facts.environments[self.step - 1] if self.step and self.facts.environments else {}
        if self.step and variable.role is Role.STATE:
            if any(source.path in later for source in variable.sources):
                raise QueryError(
                    f"{variable.path} is in part what the program remembers, and in part what it perceives anew",
                    f"Ask about one step, or name the parts. {LISTED}",
                )
            return self._output(variable, self.step - 1, primed=True)
        return Operand(variable.type, symbol_at(variable, later, self.facts.fixed, self.path.earlier[: self.step]))

    def _output(self, variable: Variable, step: int, primed: bool) -> Operand:
        outputs = (*self.path.earlier, self.path.outputs)[step]
        output = outputs.get(f"{variable.path}'" if primed else variable.path)
        if output is None:
            return _constant(variable, None)
        return Operand(variable.type, output.term, output.defined, output.upper, self._cases(output), self.widely)

    def _cases(self, output: OutputValue) -> tuple[tuple[int, Truth], ...]:
        """Whether a label is each of its values: it is known which, or if `widely`, that it is not this one."""
        found = []
        for case in output.cases:
            others = build.any_of(other.is_it for other in output.cases if other is not case)
            found.append((case.value, Truth(case.is_it, build.not_(case.may_be) if self.widely else others)))
        return tuple(found)

    def fact(self, name: str, primed: bool, /) -> Operand:
        variable = self.facts.interface.variable(name)
        if variable.is_input and not primed:
            return _constant(variable, variable.value_in(self.facts.inputs))
        return _constant(variable, self.facts.outputs.get(f"{variable.path}'" if primed else variable.path))

    def enumerators(self, label: str, /) -> tuple[tuple[str, int], ...]:
        return self.facts.interface.numbered(label)


def _constant(variable: Variable, bits: int | None) -> Operand:
    """A variable's known value; None: it has no value."""
    value = build.const(variable.symbol.sort, bits or 0)
    return Operand(variable.type, value, build.FALSE if bits is None else build.TRUE)
