"""Suppositions: how a scenario may differ from the fact.

A supposition frees exactly the input variables that it mentions. `keep` undoes this for one variable. A scenario
fulfils all suppositions, and inputs that are not freed keep their factual values. Labels and `fact(...)` free nothing.

>>> from soid.program.interface import Role, Variable
>>> from soid.program.types import BoolType
>>> interface = Interface((Variable("error", Role.ENVIRONMENT, BoolType()), Variable("heat", Role.STATE, BoolType())))
>>> freed(interface, (Satisfies(Name("error")), Anything("heat"), Keep("error")))
('heat',)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import assert_never, final

from soid.errors import KeyframeError, QueryError, SortMismatchError
from soid.program.domain import contains
from soid.program.interface import Interface, Variable
from soid.program.types import FloatType, IntType, missing_value, parse
from soid.scenario.expression import (
    Between,
    Compare,
    Comparison,
    Decides,
    Expression,
    FactOf,
    Fails,
    Identical,
    Label,
    Literal,
    Located,
    Member,
    Name,
    TextSpan,
    error_at,
    pointing_at,
    walk,
)
from soid.scenario.expression_text import expression_text, is_joined, path_text
from soid.scenario.number_terms import exact
from soid.scenario.trace import Trace
from soid.scenario.typed_step import step_of
from soid.scenario.written_step import WrittenStep, WrittenTime, number_of, step_text


@final
class Anything(Located, frozen=True):
    """The variable has any value of its domain."""

    path: str


@final
class AnyBits(Located, frozen=True):
    """The variable has any bit pattern of its type, including NaN, infinities and numbers without a label."""

    path: str


@final
class Keep(Located, frozen=True):
    """The variable keeps its factual value, even if another supposition mentions it."""

    path: str


@final
class Within(Located, frozen=True):
    """The variable lies within a distance of its factual value. The distance is exact, not rounded.

    >>> Within("x", "0.25").share, Within("x", "10 %").share
    (None, '10')
    """

    path: str
    distance: str  # a number as written, or "10 %" of the factual value

    @property
    def share(self) -> str | None:
        """The number of percent, if the distance is a share of the factual value."""
        return self.distance[:-1].rstrip() if self.distance.endswith("%") else None


@final
class Satisfies(Located, frozen=True):
    """A formula over the inputs holds."""

    formula: Expression


Untimed = Anything | AnyBits | Within | Satisfies


@final
class During(Located, frozen=True):
    """Something is supposed of some steps: of one, of all from one on, or of some in a row. Its values stay in them.

    With `until` they end with the step in which the program first fulfils a condition, or with the question.
    """

    supposed: Untimed
    first: WrittenStep | None  # of the log, the first of them; None: the first that the question is about
    last: WrittenStep | None  # the last one; None: the last that the question is about
    until: Expression | None = None  # over what the program decides in a step, and the state after it

    @classmethod
    def of(
        cls,
        supposed: Untimed,
        word: str,
        first: WrittenStep | None,
        last: WrittenStep | None,
        span: TextSpan | None = None,
    ) -> During:
        """What is supposed `at step 3`, `from step 3`, `from step 3 to step 5`, or `to step 5`."""
        if word == "at" and first is not None and last is not None:
            begin, end = step_text(first), step_text(last)
            raise QueryError(f"`at` is for one step, not for {begin} to {end}", f"Write `from {begin} to {end}`.")
        return cls(supposed, first, first if word == "at" else last, span=span)._in_order(first, last)

    def _in_order(self, first: WrittenStep | None, last: WrittenStep | None) -> During:
        """The same, if it does not end before it begins; `first` and `last` are its steps as written."""
        if isinstance(self.first, int) and isinstance(self.last, int) and self.last < self.first:
            assert first is not None and last is not None
            begin, end = step_text(first), step_text(last)
            raise error_at(self.span, f"{end} is before {begin}", f"Write `from {end} to {begin}`.")
        return self

    def in_log(self, log: Trace) -> During:
        """The same with the numbers of its steps: a time means the last step that was logged then or before."""
        first, last = (self._number(step, log) for step in (self.first, self.last))
        found = During(self.supposed, first, last, self.until, span=self.span)
        return found._in_order(self.first, self.last)

    def _number(self, step: WrittenStep | None, log: Trace) -> int | None:
        if not isinstance(step, WrittenTime):
            return step
        try:
            return step_of(step.text, log, {})
        except KeyframeError as error:
            raise error_at(self.span, error.cause, error.remedy) from error

    def ending(self, until: Expression, span: TextSpan | None = None) -> During:
        """The same until a condition holds."""
        if self.last is not None or self.until is not None:
            raise error_at(
                span,
                f"`{self.when}` says already when it ends",
                "Write `until` after `from step A`, or by itself; of two ends leave out one.",
            )
        return During(self.supposed, self.first, None, until, span=span)

    @property
    def when(self) -> str:
        begins = "" if self.first is None else f"from {step_text(self.first)}"
        if self.until is not None:
            text = expression_text(self.until)
            text = f"({text})" if is_joined(self.until) else text
            return f"{begins} until {text}".lstrip()
        if self.last is None:
            return begins
        last = step_text(self.last)
        return f"at {last}" if self.last == self.first else f"{begins} to {last}".lstrip()

    def mark(self, keyframe: int) -> str:
        """What is added to a variable's path for its value in these steps: `@231`, `@230..`, `@230..239`."""
        first = keyframe if self.first is None else number_of(self.first)
        last = "" if self.last is None else str(number_of(self.last))
        return f"@{first}" if last == str(first) else f"@{first}..{last}"


Supposition = Anything | AnyBits | Keep | Within | Satisfies | During


def in_log(suppositions: tuple[Supposition, ...], log: Trace) -> tuple[Supposition, ...]:
    """The suppositions with numbers of steps in the place of times."""
    return tuple(each.in_log(log) if isinstance(each, During) else each for each in suppositions)


def supposition_text(supposition: Supposition) -> str:
    match supposition:
        case Anything(path):
            return f"{path_text(path)} is anything"
        case AnyBits(path):
            return f"{path_text(path)} is any bits"
        case Keep(path):
            return f"keep {path_text(path)}"
        case Within(path, distance):
            return f"{path_text(path)} within {distance} of fact"
        case Satisfies(formula):
            return expression_text(formula)
        case During(supposed):
            text = supposition_text(supposed)
            joined = isinstance(supposed, Satisfies) and is_joined(supposed.formula)
            return f"({text}) {supposition.when}" if joined else f"{text} {supposition.when}"
        case _:
            assert_never(supposition)


def mentioned(interface: Interface, supposition: Supposition) -> tuple[Variable, ...]:
    """The variables that a supposition mentions, in the order written. All of them must be inputs."""
    with pointing_at(supposition.span):
        match supposition:
            case Anything(path) | AnyBits(path) | Keep(path) | Within(path, _):
                return (_input(interface, path),)
            case Satisfies(formula):
                return _mentioned_in(interface, formula)
            case During(supposed):
                return mentioned(interface, supposed)
            case _:
                assert_never(supposition)


def _mentioned_in(interface: Interface, formula: Expression) -> tuple[Variable, ...]:
    found: dict[str, Variable] = {}
    for node in formula.speaking:
        with pointing_at(node.span):
            match node:
                case Name(path, primed) if path in interface or primed:
                    variable = _input(interface, path, primed=primed)
                    found[variable.path] = variable
                case Name():
                    pass  # a label
                case FactOf() if node.shown is not None:
                    pass  # a value by then
                case FactOf(path, primed):
                    _input(interface, path, primed=primed)
                case Fails() | Decides():
                    raise QueryError(
                        "a supposition speaks of what the program is given, not of how it ends",
                        "Put `fails` and `decides` into the behavior, before `if`.",
                    )
                case _:
                    assert_never(node)
    return tuple(found.values())


def _input(interface: Interface, path: str, *, primed: bool = False) -> Variable:
    variable = interface.variable(path)
    if primed:
        raise QueryError(
            f"{path}' is the state after the call, and a supposition speaks of what comes before it",
            f"Write {path} for the state before the call, or put {path}' into the behavior, before `if`.",
        )
    if not variable.is_input and variable.path not in interface.acted:
        raise QueryError(
            f"{path} is no input of the program, so it cannot be supposed ({variable.role.value})",
            "Suppose what the program is given; what it decides belongs into the behavior, before `if`, or after "
            "`until`, in parentheses if it has `and`." + _acting(interface),
        )
    return variable


def _acting(interface: Interface) -> str:
    """What could be supposed of decisions, in a sentence."""
    if interface.acted:
        return f" The world goes on from {' and '.join(sorted(interface.acted))}: suppose one of these."
    return " What if it had acted otherwise takes a world that goes on from what is done: [world] in the manifest."


def called_missing(interface: Interface, suppositions: Iterable[Supposition]) -> set[str]:
    """The variables of which suppositions say that they are missing, or not missing, whatever their domains are."""
    return {
        variable.path for variable, bits in _constants(interface, suppositions) if bits == missing_value(variable.type)
    }


def left_out(interface: Interface, suppositions: tuple[Supposition, ...]) -> list[tuple[Variable, int]]:
    """The values that suppositions name, and that their variables do not range over."""
    wide = {interface.variable(each.path).path for each in suppositions if isinstance(each, AnyBits)}
    return [
        (variable, bits)
        for variable, bits in _constants(interface, suppositions)
        if variable.path not in wide
        and bits != missing_value(variable.type)
        and not contains(variable.type, variable.domain, bits)
    ]


def _constants(interface: Interface, suppositions: Iterable[Supposition]) -> Iterator[tuple[Variable, int]]:
    """The variables that suppositions compare with constants for being the same, and the bits of these."""
    formulas = (each.formula for each in suppositions if isinstance(each, Satisfies))
    pairs = (pair for formula in formulas for node in walk(formula) for pair in _compared(node))
    for one, other in pairs:
        if isinstance(one, Name) and one.path in interface:
            variable = interface.variable(one.path)
            bits = _constant(variable, other)
            if bits is not None:
                yield variable, bits


def _compared(node: Expression | Between) -> Iterator[tuple[Expression, Expression]]:
    """What a formula compares for being the same."""
    match node:
        case Identical(operand, value):
            yield operand, value
        case Compare(first, rest):
            for left, (op, right) in zip((first, *(each for _, each in rest)), rest, strict=False):
                if op in (Comparison.EQ, Comparison.NE):
                    yield from ((left, right), (right, left))
        case Member(operand, items):
            yield from ((operand, item) for item in items if not isinstance(item, Between))
        case _:
            pass


def _constant(variable: Variable, value: Expression) -> int | None:
    """The bits of a constant, as a value of the variable; None if it is none."""
    text = value.path if isinstance(value, Name) else value.text if isinstance(value, Literal | Label) else None
    try:
        return None if text is None else parse(variable.type, text)
    except ValueError:
        return None


def freed(interface: Interface, suppositions: Iterable[Supposition]) -> tuple[str, ...]:
    """The paths of the variables that vary, in the interface's order. Contradictory suppositions are errors.

    What is supposed of some steps frees none of these.
    """
    suppositions = tuple(suppositions)
    kept = {
        source.path
        for each in suppositions
        if isinstance(each, Keep)
        for source in interface.variable(each.path).sources
    }
    varied: dict[str, Supposition] = {}
    vary: set[str] = set()
    for each in suppositions:
        for variable in mentioned(interface, each):
            if isinstance(each, During):
                continue  # it frees inputs of its own
            if isinstance(each, Anything | AnyBits | Within):
                _check_terms(variable, each, kept, varied)
            if not isinstance(each, Keep):
                vary.update(source.path for source in variable.sources)
    return tuple(variable.path for variable in interface.inputs if variable.path in vary - kept)


def _check_terms(
    variable: Variable, supposition: Anything | AnyBits | Within, kept: set[str], varied: dict[str, Supposition]
) -> None:
    """Refuse a variable that is to vary and to be kept, or to be `anything` and `any bits`."""
    path = variable.path
    if any(source.path in kept for source in variable.sources):
        raise error_at(
            supposition.span,
            f"{path} is to vary and to be kept",
            f"Leave out one of `{supposition_text(supposition)}` and `keep {path}`.",
        )
    if isinstance(supposition, Within):
        return
    other = varied.setdefault(path, supposition)
    if type(other) is not type(supposition):
        raise error_at(
            supposition.span,
            f"{path} is to be anything in its domain and any bits",
            f"Leave out one of `{supposition_text(other)}` and `{supposition_text(supposition)}`.",
        )


def check_distance(variable: Variable, supposition: Within, fact: Fraction = Fraction(0)) -> Fraction:
    """The exact distance from a fact. The variable must be a number, and the distance must not be negative."""
    with pointing_at(supposition.span):
        if not isinstance(variable.type, IntType | FloatType):
            raise SortMismatchError(
                f"{variable.path} is {variable.type}, and nearness is for numbers",
                f"List the values it may have: {variable.path} in {{...}}.",
            )
        share = supposition.share
        distance = exact(supposition.distance if share is None else share)
        if distance is None or distance < 0:
            raise QueryError(f"{supposition.distance} is no distance", "Write a number from 0 on: 0.1, or 10 %.")
        return distance if share is None else distance / 100 * abs(fact)
