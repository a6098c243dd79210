"""The PathSummary: every path of a program under a precondition, with its condition, its outputs and its ending.

A path ends in one of four ways, and no path is ever dropped: states that an engine has not explored are an
`Unexplored` path, whose condition says which states they are. If a program is called several times, its state fed
back, a path goes through all these steps, or ends in the one in which it fails.

If a program calls a function whose results no formula gives (`pow`, `sin`), each result is a symbol of its own in the
path's terms, and an `Approximation` describes it. For one state its value is what the library really returns; for many
states only facts are known that hold everywhere.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, final

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from soid.assumptions import Assumption
from soid.errors import InternalError, OverlapError
from soid.formula import build
from soid.formula.build import FALSE, TRUE
from soid.formula.cell_function import CellFunction, Rise
from soid.formula.intervals import Values
from soid.formula.passes import evaluate, evaluate_all, substitute
from soid.formula.term import Term


@final
class Location(Struct, frozen=True, array_like=True):
    """A place in the source."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class _Ending(Struct, frozen=True, tag_field="is", tag=str.lower):
    """An ending; records and kept summaries show it as JSON, with its name in the field `is`."""


@final
class Decided(_Ending, frozen=True):
    """The program decided: every output has its value."""

    def __str__(self) -> str:
        return "decides"


@final
class Failed(_Ending, frozen=True, rename={"kind": "text"}):
    """The program failed: it divided by zero, left an array, aborted."""

    kind: str  # in words: "division by zero"
    where: Location | None = None
    of_world: bool | UnsetType = UNSET  # it is a world that failed, not the program: what comes next is not known
    in_world: bool | UnsetType = UNSET  # it is the program, and a world that is asked about goes on around it

    def __str__(self) -> str:
        return f"fails: {self.kind}" + (f" at {self.where}" if self.where else "")


@final
class Undecided(_Ending, frozen=True, rename={"detail": "text"}):
    """The program did not decide inside its window."""

    detail: str = ""
    window: int | None = None  # the loop iterations and calls that it had
    in_world: bool | UnsetType = UNSET  # a world that is asked about goes on around the program

    def __str__(self) -> str:
        window = "" if self.window is None else f" within its window of {self.window}"
        return f"does not decide{window}" + (f": {self.detail}" if self.detail else "")


@final
class Unexplored(_Ending, frozen=True, rename={"reason": "text"}):
    """What the program does here is not known: a budget ended, or the engine met something unsupported."""

    reason: str
    where: Location | None = None
    out_of_time: bool = False  # the time budget ended

    def __str__(self) -> str:
        return f"unexplored: {self.reason}" + (f" at {self.where}" if self.where else "")


Ending = Decided | Failed | Undecided | Unexplored


@final
class LabelCase(Struct, frozen=True):
    """One value of a label that is not known everywhere."""

    value: int
    is_it: Term  # where it surely is this value
    may_be: Term  # where it may be this value, for all that is known


@final
class OutputValue(Struct, frozen=True):
    """What one output is on a path."""

    term: Term  # over the freed inputs' symbols, in the sort that the program computes with
    defined: Term = TRUE  # where it has a known value: an internal value may never be computed
    kept: Term = (
        FALSE  # where it has a value that is not known, such as that from before the call; it is not defined there
    )
    upper: Term | None = None  # of a number: where it is not known, it lies from `term` to this
    why: str = ""  # why it is not known; empty: it has its value from before the call
    cases: tuple[LabelCase, ...] = ()  # of a label: all its values; where it is not known it is one that it may be

    @property
    def terms(self) -> tuple[Term, ...]:
        upper = () if self.upper is None else (self.upper,)
        cases = (term for case in self.cases for term in (case.is_it, case.may_be))
        return (self.term, self.defined, self.kept, *upper, *cases)

    def put(self, terms: Iterator[Term]) -> OutputValue:
        """The same with other terms, in the order of `terms`."""
        term, defined, kept = next(terms), next(terms), next(terms)
        upper = None if self.upper is None else next(terms)
        cases = tuple(LabelCase(case.value, next(terms), next(terms)) for case in self.cases)
        return replace(self, term=term, defined=defined, kept=kept, upper=upper, cases=cases)


@final
class Path(Struct, frozen=True):
    """One way through the program."""

    name: str  # for messages: the file it came from, or a number
    condition: Term  # over the freed inputs' symbols and those of approximations
    ending: Ending
    outputs: Mapping[str, OutputValue] = field(default_factory=dict)  # by output name; only where it decided
    earlier: tuple[Mapping[str, OutputValue], ...] = ()  # the same of each step before the one that it ended in


def assuming(paths: Sequence[Path], values: Mapping[Term, Term]) -> list[Path]:
    """The paths with values substituted for some inputs, except those whose condition becomes false."""
    if not values:
        return [path for path in paths if path.condition is not FALSE]
    conditions = substitute([path.condition for path in paths], values)
    possible = [(path, now) for path, now in zip(paths, conditions, strict=True) if now is not FALSE]
    return [
        replace(
            path,
            condition=condition,
            outputs=_substituted(path.outputs, values),
            earlier=tuple(_substituted(step, values) for step in path.earlier),
        )
        for path, condition in possible
    ]


def _substituted(outputs: Mapping[str, OutputValue], values: Mapping[Term, Term]) -> dict[str, OutputValue]:
    terms = iter(substitute([term for output in outputs.values() for term in output.terms], values))
    return {name: output.put(terms) for name, output in outputs.items()}


def to_be_logged(path: str) -> str:
    """What to do about a variable whose value before the call matters and is not known."""
    return f'say that it is state, log it, and ask about {path}\': [variables] "{path}" = {{ role = "state" }}'


def is_open(ending: Ending) -> bool:
    """Whether it is not known what happens from there on: a model that breaks down says nothing of what comes."""
    return isinstance(ending, Unexplored) or (isinstance(ending, Failed) and ending.of_world is True)


def goes_on(ending: Ending) -> bool:
    """Whether a world goes on where the program has ended: what has happened by then is known, and nothing later."""
    return isinstance(ending, Failed | Undecided) and ending.in_world is True


@final
class LeftOpen(Struct, frozen=True):
    """Why it is not known what happens on a path, in words that follow "was left"."""

    reason: str
    out_of_time: bool = False

    def __str__(self) -> str:
        return self.reason


def kept_open(outputs: Iterable[tuple[str, OutputValue]]) -> LeftOpen:
    """Why a question is open that speaks of outputs whose values are not known on a path."""
    name, output = next(iter(outputs))
    if output.why:
        return LeftOpen(f"open: {output.why}")
    first = name.removesuffix("'")
    if first == "*return" or first.startswith(("return.", "return[")):  # behind a pointer that the program returns
        return LeftOpen(f"open: what {first} is after the call is not known, for no logged variable lies there")
    kept = f"open: {first} keeps its value from before the call"
    if any(sign in first for sign in ".[*"):
        kept += ", or the program has changed a pointer to it"
    return LeftOpen(f"{kept}: it is not known; {to_be_logged(first)}")


@final
class ModelNumber(Struct, frozen=True):
    """A number of a learned model; of one that is known between two ends, one of these."""

    name: str  # of the sum or the link
    end: int | None = None  # 0: the least that it may be, 1: the greatest


class Enclosure(Protocol):
    """What is known of a function at given arguments: bounds that may be wide, but are never wrong."""

    def facts(self) -> tuple[Term, ...]:
        """Terms over arguments and symbol that hold whatever the arguments are."""
        ...

    def over(self, arguments: tuple[Values, ...], /) -> Values:
        """An interval with every result for arguments in these intervals."""
        ...

    def value(self, arguments: tuple[int, ...], /) -> int:
        """What the library returns for these arguments, as bits."""
        ...

    def closer(self, arguments: tuple[int, ...], /) -> Enclosure:
        """A tighter enclosure at these arguments, and around them."""
        ...

    @property
    def bulk(self) -> CellFunction | None:
        """The same over many boxes at once, where the function can do that."""
        return None

    @property
    def rise(self) -> Rise | None:
        """How steeply it rises, of a function of one argument that does."""
        return None

    @property
    def number(self) -> ModelNumber | None:
        """Which number of a learned model it is, if it is one."""
        return None


@final
@dataclasses.dataclass(frozen=True, slots=True)
class Approximation:
    """A result of a function that no formula gives."""

    symbol: Term  # the variable that stands for it; no input
    function: str  # as the program calls it
    arguments: tuple[Term, ...]  # over inputs and the symbols of earlier approximations
    where: Location | None  # of the call
    enclosure: Enclosure = dataclasses.field(compare=False)

    def __str__(self) -> str:
        return f"approximated function {self.function}" + (f" at {self.where}" if self.where else "")


def add_results(approximations: Iterable[Approximation], values: dict[Term, Any]) -> None:
    """Add to a state what the library really returns in it; approximations in the order they were made in."""
    known: dict[tuple[Term, ...], tuple[Any, ...]] = {}  # many numbers of a model have the same arguments
    for each in approximations:
        if each.arguments not in known:
            known[each.arguments] = tuple(evaluate_all(each.arguments, values))
        values[each.symbol] = each.enclosure.value(known[each.arguments])


def instances(
    approximations: Sequence[Approximation], values: Mapping[Term, Term], mark: str
) -> tuple[dict[Term, Term], list[Approximation]]:
    """The numbers of a learned model, some inputs having values: what to substitute, and the numbers that this makes.

    A formula that speaks of several states has a number of its own for each of them, called by the `mark`.
    """
    put, made = dict(values), list[Approximation]()
    for one in approximations:
        assert one.enclosure.number is not None, "what is known of it is of its own arguments"
        arguments = tuple(substitute(one.arguments, put))
        if all(each.is_const for each in arguments):
            known = one.enclosure.value(tuple(each.value for each in arguments))
            put[one.symbol] = build.const(one.symbol.sort, known)
        elif arguments != one.arguments:
            put[one.symbol] = build.var(f"{one.symbol.name} {mark}", one.symbol.sort)
            made.append(dataclasses.replace(one, symbol=put[one.symbol], arguments=arguments))
    return put, made


@final
class ConcreteRun(Struct, frozen=True):
    """What the program does on one state."""

    path: Path
    outputs: Mapping[str, Any]  # values as terms hold them, of the outputs that have one
    earlier: tuple[Mapping[str, Any], ...] = ()  # the same of each step before the one that it ended in
    kept: tuple[frozenset[str], ...] = ()  # of each step: the outputs whose value is not known
    between: tuple[Mapping[str, tuple[Any, Any]], ...] = ()  # of each step: the ends between which such a number lies

    def keeps(self, step: int, name: str) -> bool:
        return step < len(self.kept) and name in self.kept[step]


@final
class PathSummary(Struct, frozen=True):
    """All paths that are possible under the precondition; together they cover it."""

    paths: tuple[Path, ...]
    relies_on: tuple[Assumption, ...] = ()  # what the engine assumed, for the Answer
    approximations: tuple[Approximation, ...] = ()  # whose symbols the paths mention, in the order they were made in
    instructions: int = 0  # that the engine executed to find them
    settled_by: Mapping[str, int] = field(default_factory=dict)  # sides of branches for which no checker was asked

    def counts(self) -> dict[str, int]:
        """Paths by how they ended."""
        counted = Counter(type(path.ending) for path in self.paths)
        return {each.__name__.lower(): counted[each] for each in (Decided, Failed, Undecided, Unexplored)}

    @property
    def in_order(self) -> list[Path]:
        """The paths in an order that does not depend on the exploration."""
        from soid.formula.smtlib.script_writer import text  # loaded on demand: most questions need no order

        return sorted(self.paths, key=lambda path: (text(path.condition), str(path.ending)))

    @property
    def numbers_only(self) -> bool:
        """Whether all that is approximated are numbers of a learned model: functions of the inputs, with results."""
        return all(one.enclosure.number is not None for one in self.approximations)

    @property
    def is_explored(self) -> bool:
        return not any(isinstance(path.ending, Unexplored) for path in self.paths)

    def run(self, state: Mapping[Term, Any]) -> ConcreteRun:
        """The path that a state takes, and its outputs there."""
        values = dict(state)
        add_results(self.approximations, values)
        taken = [path for path in self.paths if evaluate(path.condition, values)]
        explored = [path for path in taken if not isinstance(path.ending, Unexplored)]
        if not taken:
            raise InternalError("no path covers a state of the family", "Please report this with the project.")
        first, *others = (_run(path, values) for path in explored or taken[:1])
        for other in others:
            if (other.path.ending, other.earlier, other.outputs) != (first.path.ending, first.earlier, first.outputs):
                raise overlap(first.path, other.path, {term.name: value for term, value in state.items()})
        return first


def _run(path: Path, state: Mapping[Term, Any]) -> ConcreteRun:
    steps = (*path.earlier, path.outputs)
    *earlier, outputs = (_values(step, state) for step in steps)
    kept = tuple(
        frozenset(name for name, one in step.items() if one.kept is not FALSE and evaluate(one.kept, state))
        for step in steps
    )
    return ConcreteRun(path, outputs, tuple(earlier), kept, tuple(_ranges(step, state) for step in steps))


def _ranges(outputs: Mapping[str, OutputValue], state: Mapping[Term, Any]) -> dict[str, tuple[Any, Any]]:
    """The ends between which the numbers lie that are not known."""
    return {
        name: (evaluate(one.term, state), evaluate(one.upper, state))
        for name, one in outputs.items()
        if one.upper is not None and evaluate(one.kept, state)
    }


def _values(outputs: Mapping[str, OutputValue], state: Mapping[Term, Any]) -> dict[str, Any]:
    names = list(outputs)
    values = evaluate_all([outputs[name].term for name in names], state)
    defined = evaluate_all([outputs[name].defined for name in names], state)
    return {name: value for name, value, known in zip(names, values, defined, strict=True) if known}


def overlap(one: Path, other: Path, state: Mapping[str, object]) -> OverlapError:
    """The error for two paths that say different things about one state."""
    shown = ", ".join(f"{name} = {value}" for name, value in sorted(state.items())) or "every state"
    return OverlapError(
        f"the paths {one.name} and {other.name} overlap and differ: both cover {shown}",
        "Paths of a deterministic program exclude each other; check how these two were made.",
    )
