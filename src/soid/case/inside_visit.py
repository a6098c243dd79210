"""What a question visits inside the program, and which of that other questions visit too.

At one point of the program, such as the return of a function, the states of two questions meet if some input takes both
there. The solvers decide it; a meet that they do not settle is kept and marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias, final

from msgspec import Struct

from soid.engine.inside import Inside, InsideState, ProgramPoint
from soid.engine.protocol import Engine, Exploration
from soid.engine.summary import PathSummary
from soid.formula import build
from soid.formula.operators import AND
from soid.formula.passes import free_variables, substitute
from soid.formula.term import Term
from soid.program.interface import Interface
from soid.program.types import show

Emptiness: TypeAlias = Callable[[Sequence[Term]], bool | None]  # of a conjunction: None: not settled

#: why nothing is said of the inside
_NO_INSIDE: Final = "what lies inside this kind of program cannot be seen: it is shown at its boundary alone"
_OTHER_WAYS: Final = "its ways were followed together, and states inside belong to single ways"


@final
class InsideMeet(Struct, frozen=True):
    """States of two questions at one point of the program that have a state in common, or may have one."""

    questions: tuple[int, int]
    states: tuple[int, int]  # by their places among the states of each
    settled: bool  # False: they may have one


@final
class InsideStateDocument(Struct, frozen=True):
    """A state inside the program, as JSON."""

    number: int
    before: int | None
    step: int
    at: str
    file: str | None
    line: int | None
    values: dict[str, str]


@final
class InsideDocument(Struct, frozen=True):
    """What a question visits inside the program, as JSON."""

    question: int
    states: list[InsideStateDocument]
    leads_to: tuple[tuple[int, int], ...]
    open: str


@final
class Stretch(Struct, frozen=True):
    """States inside the program, one after the other, between two places at which ways part."""

    before: int | None  # the stretch before it, by its place; None: the program begins with it
    states: tuple[int, ...]  # by their places
    ends: tuple[int, ...]  # the numbers of the states at the program's end to which it leads


@final
class InsideVisit(Struct, frozen=True):
    """The states that one question visits inside the program."""

    question: int
    states: tuple[InsideState, ...] = ()
    conditions: tuple[Term, ...] = ()  # of each: with what the question assumes
    leads_to: tuple[tuple[int, int], ...] = ()  # the last ones on a way, and the number of the state that it ends in
    open: str = ""  # why there may be more; empty: these are all

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The ways inside, cut where they part."""
        children: dict[int | None, list[int]] = {}
        for number, state in enumerate(self.states):
            children.setdefault(state.before, []).append(number)
        ends: dict[int, list[int]] = {}
        for last, end in self.leads_to:
            ends.setdefault(last, []).append(end)
        found: list[Stretch] = []
        waiting: list[tuple[int, int | None]] = [(first, None) for first in reversed(children.get(None, []))]
        while waiting:
            at, before = waiting.pop()
            states = [at]
            while at not in ends and len(children.get(at, ())) == 1:
                at = children[at][0]
                states.append(at)
            waiting += [(child, len(found)) for child in reversed(children.get(at, []))]
            found.append(Stretch(before, tuple(states), tuple(ends.get(at, ()))))
        return tuple(found)

    def parted(self, number: int, interface: Interface) -> list[Term]:
        """What the way assumes there that it did not assume at the state before, over inputs as they are read."""
        state = self.states[number]
        known = () if state.before is None else _conjuncts(self.states[state.before].condition)
        plainly = {each.reading: build.var(each.path, each.reading.sort) for each in interface.inputs}
        return substitute([each for each in _conjuncts(state.condition) if each not in known], plainly)

    @property
    def document(self) -> InsideDocument:
        states = [_document(number, state) for number, state in enumerate(self.states)]
        return InsideDocument(self.question, states, self.leads_to, self.open)


def _document(number: int, state: InsideState) -> InsideStateDocument:
    where, values = state.point.where, dict(named_values(state))
    file, line = (None, None) if where is None else (where.file, where.line)
    return InsideStateDocument(number, state.before, state.step, str(state.point), file, line, values)


def _conjuncts(condition: Term) -> tuple[Term, ...]:
    if condition is build.TRUE:
        return ()
    return condition.args if condition.op is AND else (condition,)


def named_values(
    state: InsideState, depends: Callable[[Iterable[str]], str] = lambda names: f"depends on {', '.join(names)}"
) -> Iterable[tuple[str, str]]:
    """The names that are known at a state, as its function has them, and their values, or what these hang on."""
    for variable, value in state.values:
        own = variable.path.rpartition(":")[2]
        name = "the result" if own.endswith("()") else own
        if value.term.is_const and value.defined is build.TRUE:
            yield name, show(variable.type, int(value.term.value))
        else:
            yield name, depends(sorted(each.name for each in free_variables([value.term])))


def look_inside(
    engine: Engine, exploration: Exploration, summary: PathSummary, question: int, assumed: Term, ends: Sequence[int]
) -> InsideVisit:
    """What lies inside of the ways of a question; `ends` has the number of the state at the end of each."""
    found = engine.inside(exploration)
    if found is None:
        return InsideVisit(question, open=_NO_INSIDE)
    if not found.open and len(found.ends) != len(summary.paths):
        return InsideVisit(question, open=_OTHER_WAYS)
    conditions = tuple(build.and_(assumed, each.condition) for each in found.states)
    return InsideVisit(question, found.states, conditions, tuple(_leading(found, ends)), found.open)


def _leading(found: Inside, ends: Sequence[int]) -> Iterable[tuple[int, int]]:
    if len(found.ends) == len(ends):
        yield from ((last, end) for last, end in zip(found.ends, ends, strict=True) if last is not None)


def inside_meets(
    old: InsideVisit, new: InsideVisit, empty: Callable[[Sequence[Term]], bool | None]
) -> list[InsideMeet]:
    """The states of two questions that meet: each pair of conditions is asked about once."""
    at: dict[tuple[int, ProgramPoint], list[int]] = {}
    for number, state in enumerate(old.states):
        at.setdefault((state.step, state.point), []).append(number)
    known: dict[tuple[Term, Term], bool | None] = {}
    found = []
    for number, state in enumerate(new.states):
        for other in at.get((state.step, state.point), ()):
            pair = old.conditions[other], new.conditions[number]
            if pair not in known:
                known[pair] = empty(pair)
            if not known[pair]:
                found.append(InsideMeet((old.question, new.question), (other, number), known[pair] is False))
    return found
