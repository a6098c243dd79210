"""Settling a witness: from any model of a formula to the one that is shown.

The first model depends on the solver. The witness shown does not: first every variable that can return to its factual
value returns, in the interface's order; then each of the others moves as near to the fact as the formula allows, again
in order, to the lower of two equally near values. Each step asks only *whether* something is satisfiable, so the result
depends neither on the solver nor on the model at the start. That state says where the border is. What is shown is as
far beyond it as a round number, where one will do as well (`rounded`).

    fact  x = 1.0, signal = LEFT      formula  x >= 3 or signal = RIGHT
    model x = 7.25e30, signal = RIGHT
    shown x = 1.0, signal = RIGHT
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, assert_never, final

from msgspec import Struct

from soid.budget import Deadline
from soid.engine.summary import Approximation, add_results
from soid.formula import softfloat as sf
from soid.formula.cell_function import source_of
from soid.formula.checker import Checker, Impossible, Open, Possible
from soid.formula.interval_program import IntervalProgram
from soid.formula.intervals import NEVER
from soid.formula.passes import evaluate_all, mentions_only
from soid.formula.term import Term, postorder
from soid.program.interface import Variable
from soid.program.types import BoolType, EnumType, FloatType, IntType, missing_value, value_order
from soid.witness.round_numbers import round_numbers

#: After so many refusals in a row the best state may be the nearest: one more question can show that.
_REFUSALS: Final = 3


@final
class SettledState(Struct, frozen=True):
    """A state of the formula near to the fact."""

    state: dict[str, int]  # bits of each freed variable
    complete: bool  # False: a nearer state may exist
    out_of_time: bool = False  # if it is not complete: more time may find it


def settle(
    goal: Sequence[Term],
    freed: Sequence[Variable],
    fact: Mapping[str, int],
    model: Mapping[Term, Any],
    check: Checker,
    deadline: Deadline,
    approximations: Sequence[Approximation] = (),
) -> SettledState:
    """The settled state of the goal, starting from a model of it.

    `approximations` are those whose symbols the goal may mention: their values follow from the state.
    """
    search = _NearnessSearch(list(goal), freed, fact, check, deadline, approximations)
    search.take(model)
    moved = [variable for variable in freed if not search.returns(variable)]
    for variable in moved:
        search.approach(variable)
    state = {variable.path: search.bits(variable) for variable in freed}
    return SettledState(state, search.complete, search.out_of_time)


def rounded(
    goal: Sequence[Term],
    freed: Sequence[Variable],
    fact: Mapping[str, int],
    nearest: Mapping[str, int],
    check: Checker,
    deadline: Deadline,
    approximations: Sequence[Approximation] = (),
    kept: Container[str] = (),
) -> dict[str, int]:
    """The nearest state of the goal with round numbers in the place of those of many digits, where the goal holds.

    Those that are `kept` stay as they are.
    """
    search = _NearnessSearch(list(goal), freed, fact, check, deadline, approximations, dict(nearest))
    for variable in freed:
        kind, bits = variable.type, nearest[variable.path]
        if bits != fact[variable.path] and variable.path not in kept and isinstance(kind, FloatType):
            any(search.holds_with(variable, other) for other in round_numbers(kind, fact[variable.path], bits))
    return search.state


@final
class _NearnessSearch(Struct, dict=True):
    """The goal with the variables pinned so far, and the best state known."""

    goal: list[Term]
    freed: Sequence[Variable]
    fact: Mapping[str, int]
    check: Checker
    deadline: Deadline
    given: Sequence[Approximation]  # those that the goal may mention
    state: dict[str, int] = {}
    complete: bool = True
    out_of_time: bool = False
    pinned: dict[str, int] = {}  # bits of the variables pinned so far

    @cached_property
    def spans(self) -> IntervalProgram:
        """The goal, to be evaluated over ranges of the variables."""
        return IntervalProgram(postorder(self.goal), {each.symbol: each.order for each in self.freed})

    @cached_property
    def approximations(self) -> tuple[Approximation, ...]:
        """Those that the goal mentions."""
        return _mentioned(self.goal, self.given)

    @cached_property
    def plain(self) -> bool:
        """Whether the goal can be evaluated on a state."""
        known = {variable.symbol for variable in self.freed} | {one.symbol for one in self.approximations}
        return mentions_only(self.goal, known)

    def take(self, model: Mapping[Term, Any]) -> None:
        # A variable that the formula does not mention keeps its factual value.
        self.state = {v.path: int(model.get(v.symbol, self.fact[v.path])) for v in self.freed}

    def give_up(self, out_of_time: bool) -> None:
        self.complete, self.out_of_time = False, self.out_of_time or out_of_time

    def bits(self, variable: Variable) -> int:
        return self.state[variable.path]

    def can(self, *wish: Term) -> bool:
        """Whether the goal and the wish are satisfiable; if so, their model becomes the best state."""
        if self.deadline.is_over:
            self.give_up(out_of_time=True)
            return False
        answer = self.check([*self.goal, *wish])
        match answer:
            case Possible(model):
                self.take(model)
                return True
            case Impossible():
                return False
            case Open():
                self.give_up(answer.out_of_time)
                return False
            case _:
                assert_never(answer)

    def can_lie(self, variable: Variable, low: int, high: int) -> bool:
        """Whether the goal is satisfiable with a variable between two places: mostly intervals or an end show it."""
        if self._is_excluded(variable, low, high):
            return False
        ends = dict.fromkeys(variable.order.value_at(place) for place in (low, high))
        return any(self.holds_at(variable, end) for end in ends) or self.can(variable.between(low, high))

    def _is_excluded(self, variable: Variable, low: int, high: int) -> bool:
        """Whether some condition holds nowhere in these places, whatever the variables are that are not pinned."""
        places = {
            each.path: each.order.place_of(self.pinned[each.path]) for each in self.freed if each.path in self.pinned
        }
        ranges = {path: (place, place) for path, place in places.items()} | {variable.path: (low, high)}
        values = self.spans.run(tuple(ranges.get(each.path, each.order.places) for each in self.freed))
        return any(values[self.spans.places[term]] == NEVER for term in self.goal if term in self.spans.places)

    def holds_at(self, variable: Variable, bits: int) -> bool:
        """Whether the goal holds if one variable of the best state changes; if so, that is the best state."""
        if self.deadline.is_over or not self.plain:
            return False
        state = {**self.state, variable.path: bits}
        values: dict[Term, Any] = {v.symbol: state[v.path] for v in self.freed}
        add_results(self.approximations, values)
        if not all(evaluate_all(self.goal, values)):
            return False
        self.state = state
        return True

    def holds_with(self, variable: Variable, bits: int) -> bool:
        """The same, where the goal cannot be evaluated too."""
        if self.plain:
            return self.holds_at(variable, bits)
        state = {**self.state, variable.path: bits}
        return self.can(*(each.equals(state[each.path]) for each in self.freed))

    def pin(self, variable: Variable) -> None:
        self.goal.append(variable.equals(self.bits(variable)))
        self.pinned[variable.path] = self.bits(variable)

    def returns(self, variable: Variable) -> bool:
        """Return a variable to its factual value, if the goal allows it."""
        fact = self.fact[variable.path]
        if self.bits(variable) != fact:
            if self.deadline.is_over:
                self.give_up(out_of_time=True)
                return False
            place = variable.order.place_of(fact)
            if not self.holds_at(variable, fact) and not self.can_lie(variable, place, place):
                return False
        self.pin(variable)
        return True

    def approach(self, variable: Variable) -> None:
        """Move a variable that cannot return as near to its factual value as the goal allows."""
        if self.deadline.is_over:
            self.give_up(out_of_time=True)
            return
        kind = variable.type
        is_labelled = isinstance(kind, EnumType) and self._first_label(variable, kind)
        if not is_labelled and not isinstance(kind, BoolType):
            self._nearest(variable, kind)
        self.pin(variable)

    def _first_label(self, variable: Variable, kind: EnumType) -> bool:
        """Labels have no distance: take the first possible one in the order of declaration."""
        mask = (1 << kind.width) - 1
        return any(
            self.bits(variable) == value & mask or self.can(variable.equals(value & mask))
            for _, value in kind.labels
            if value & mask != self.fact[variable.path]
        )

    def _nearest(self, variable: Variable, kind: IntType | FloatType | EnumType) -> None:
        bits = self.fact[variable.path]
        if bits == missing_value(kind):  # no number is nearer to it than another: the one that is nearest to 0
            bits = 0
            if self.can(variable.equals(bits)):
                return
        fact = variable.order.place_of(bits)
        if isinstance(kind, FloatType) and _number(kind, bits) is not None:
            self._prefer_a_number(variable, kind)
        above = self._place(variable) > fact
        self._approach_from(variable, fact, above)
        other = _mirrored(kind, fact, self._place(variable))
        low, high = (other, fact - 1) if above else (fact + 1, other - 1)
        if low <= high and self.can_lie(variable, low, high):
            self._approach_from(variable, fact, not above)

    def _place(self, variable: Variable) -> int:
        return variable.order.place_of(self.bits(variable))

    def _prefer_a_number(self, variable: Variable, kind: FloatType) -> None:
        """Every number is nearer to a number than infinities and NaNs are."""
        if _number(kind, self.bits(variable)) is None:
            greatest = kind.format.max_finite
            self.can(variable.between(variable.order.place_of(greatest | kind.format.sign_bit), greatest))

    def _approach_from(self, variable: Variable, fact: int, above: bool) -> None:
        """Bisect between the fact and the best state's value, which lies on that side."""
        step = 1 if above else -1
        near, far = fact + step, self._place(variable)
        refused = 0  # times in a row
        if ends := self._ends_of_cells(variable, near, far, step):
            near = self._past_refused(variable, ends, near, step)
            far, refused = self._place(variable), _REFUSALS
        while (far - near) * step > 0:  # a solver with a wrong model may have put the state on the other side
            middle = (near + far) // 2 if above else -((-near - far) // 2)
            end = far - step if refused == _REFUSALS else middle
            if self.holds_at(variable, variable.order.value_at(end)):  # often saves the solver call
                far, refused = end, 0
            elif self.complete and self.can_lie(variable, min(near, end), max(near, end)):
                far, refused = self._place(variable), 0
            elif self.complete:
                near, refused = end + step, refused + 1
            else:  # only evaluation brings it nearer now
                near, refused = middle + step, 0

    def _ends_of_cells(self, variable: Variable, near: int, far: int, step: int) -> list[int]:
        """The places on the way where a function's result may change, the nearest first: each begins a cell."""
        found: set[int] = set()
        for one in self.approximations:
            function = one.enclosure.bulk
            for number, argument in enumerate(one.arguments if function is not None else ()):
                if function is not None and source_of(argument) is variable.symbol:
                    from soid.formula.function_arguments import places_of  # numpy takes long to load

                    begins = places_of(variable.order, function.cuts(number))
                    found.update(place if step > 0 else place - 1 for place in begins)
        inside = [place for place in found if (place - near) * step > 0 and (far - place) * step > 0]
        return sorted(inside, key=lambda place: place * step)

    def _past_refused(self, variable: Variable, ends: list[int], near: int, step: int) -> int:
        """Bisect over these places; all before the place that this gives are refused."""
        low, high, start = 0, len(ends), near
        while low < high and self.complete:
            middle = (low + high) // 2
            end = ends[middle]
            if self.holds_at(variable, variable.order.value_at(end)) or self.can_lie(
                variable, min(start, end), max(start, end)
            ):
                high = middle
            elif self.complete:
                low, near = middle + 1, end + step
        return near


def _mentioned(goal: Sequence[Term], approximations: Sequence[Approximation]) -> tuple[Approximation, ...]:
    """The approximations whose results a goal mentions, and those from whose results these follow."""
    known = set(postorder(goal))
    found: list[Approximation] = []
    for one in reversed(approximations):
        if one.symbol in known:
            found.append(one)
            known.update(postorder(one.arguments))
    return tuple(reversed(found))


def _mirrored(kind: IntType | FloatType | EnumType, fact: int, best: int) -> int:
    """The place of the least value that is not less than the best one mirrored at the fact.

    Below the fact, values from this place on are no farther than the best; above it, values before this place are
    strictly nearer. This asymmetry makes the lower of two equally near values win.
    """
    order = value_order(kind)
    if isinstance(kind, FloatType):
        at_fact, at_best = (_number(kind, order.value_at(place)) for place in (fact, best))
        if at_fact is not None and at_best is not None:
            return order.place_of(sf.ceil_fraction(kind.format, 2 * at_fact - at_best))
    first, last = order.places
    return max(first, min(last + 1, 2 * fact - best))


def _number(kind: FloatType, bits: int) -> Fraction | None:
    """The number with these bits; None for an infinity or a NaN."""
    return sf.to_fraction(kind.format, bits) if sf.is_finite(kind.format, bits) else None
